import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MailRefused, type MailMessage } from '../../../src/domain/mail.ts';
import { createSmtpMailer } from '../../../src/mail/smtp-mailer.ts';
import { eventually } from '../../_helpers/poll.ts';
import { selfSigned } from '../../_helpers/self-signed.ts';
import { readable, SmtpSink } from '../../_helpers/smtp-sink.ts';

let sink: SmtpSink;
beforeEach(async () => {
  sink = await SmtpSink.start();
});
afterEach(async () => sink.stop());

const message = (fields: Partial<MailMessage> = {}): MailMessage => ({
  id: 'mail_0123456789',
  to: 'ann@example.com',
  subject: 'Confirm your email address',
  text: 'Hello,\n\nhttps://pay.example.com/dashboard/verify-email?token=abc\n',
  html: '<p>Hello</p>',
  link: null,
  unsubscribe: null,
  ...fields,
});
const send = async (
  fields: Partial<MailMessage> = {},
  url = sink.url,
  signal = new AbortController().signal,
) => createSmtpMailer({ url, from: 'Till <till@pay.example.com>' }).send(message(fields), signal);
/** The header lines of the one mail that came, unfolded. */
const headers = () => {
  const raw = sink.mails[0]?.raw ?? '';
  return (raw.split('\r\n\r\n')[0] ?? '').replace(/\r\n[ \t]+/g, ' ').split('\r\n');
};
const headerOf = (name: string) =>
  headers().filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));

describe('createSmtpMailer', () => {
  it('delivers an email with sender, recipient, text and HTML, with a unique Message-ID', async () => {
    await send();
    expect(sink.mails).toMatchObject([{ from: 'till@pay.example.com', to: ['ann@example.com'], auth: null }]);
    expect(headerOf('From')).toEqual(['From: Till <till@pay.example.com>']);
    expect(headerOf('To')).toEqual(['To: ann@example.com']);
    expect(headerOf('Subject')).toEqual(['Subject: Confirm your email address']);
    expect(headerOf('Message-ID')).toEqual(['Message-ID: <mail_0123456789@127.0.0.1>']);
    expect(headerOf('Auto-Submitted')).toEqual(['Auto-Submitted: auto-generated']);
    const body = readable(sink.mails[0]?.raw ?? '');
    expect(body).toContain('https://pay.example.com/dashboard/verify-email?token=abc');
    expect(body).toContain('<p>Hello</p>');
  });

  it('authenticates with the user and password of the URL', async () => {
    await send({}, `smtp://till:p%40ss%3Aword@127.0.0.1:${sink.port}`);
    expect(sink.mails[0]?.auth).toBe('\0till\0p@ss:word');
  });

  it('uses TLS with a server that has a trusted certificate, and sends nothing to any other', async () => {
    const tls = selfSigned(['localhost']);
    const secure = await SmtpSink.start({ tls });
    const url = `smtps://till:secret@localhost:${secure.port}`;
    await expect(send({}, url)).rejects.toThrow(/certificate/);
    expect(secure.commands).toEqual([]);
    // The operator may say so where a certificate of their own is in use.
    await send({}, `${url}?tls.rejectUnauthorized=false`);
    expect(secure.mails).toMatchObject([{ to: ['ann@example.com'], auth: '\0till\0secret' }]);
    await secure.stop();
  });

  it('delivers to international addresses', async () => {
    await send({ to: 'jörg@exämple.com' });
    await send({ to: 'joe@exämple.com' });
    expect(sink.mails.map((mail) => mail.to)).toEqual([['jörg@exämple.com'], ['joe@xn--exmple-cua.com']]);
  });

  it('never sends credentials unencrypted to another host', async () => {
    // An address of this machine that does not look like loopback.
    const url = `smtp://till:secret@[::ffff:127.0.0.1]:${sink.port}`;
    await expect(send({}, url)).rejects.toThrow();
    await eventually(
      'the client said hello and no more',
      () => sink.commands.map((line) => line.split(' ')[0]),
      (verbs) => verbs.includes('EHLO'),
    );
    expect(sink.commands.join('\n')).not.toMatch(/AUTH|MAIL/);
    expect(sink.mails).toEqual([]);
  });

  it.each([
    ['to', 'a@b.co\r\nBcc: thief@example.com'],
    ['to', 'a@b.co>\r\nRCPT TO:<thief@example.com'],
    ['to', 'a@b.co, thief@example.com'],
    ['subject', 'Hello\r\nBcc: thief@example.com'],
    ['subject', 'Hello\r\n\r\n<script>'],
    ['id', 'x@y>\r\nBcc: <thief@example.com'],
  ])('adds no header and no recipient when %s contains %j', async (field, value) => {
    await send({ [field]: value }).catch(() => undefined);
    expect(sink.commands.filter((line) => /^RCPT TO:<thief/i.test(line))).toEqual([]);
    expect(sink.mails.flatMap((mail) => mail.to)).not.toContain('thief@example.com');
    expect(headerOf('Bcc')).toEqual([]);
    expect(sink.mails[0]?.raw.split('\r\n\r\n')[1] ?? '').not.toContain('<script>');
  });
});

describe('createSmtpMailer on errors of the mail server', () => {
  it.each([
    ['rcpt', '550 5.1.1 no such user'],
    ['data', '554 5.7.1 not from you'],
  ])('marks a permanent refusal (5xx) at %s as permanent', async (stage, reply) => {
    sink.behaviour = { [stage]: reply };
    await expect(send()).rejects.toBeInstanceOf(MailRefused);
  });

  it.each([
    ['rcpt', '450 4.2.1 try later'],
    ['data', '451 4.3.0 no room just now'],
  ])('does not mark a temporary refusal (4xx) at %s as permanent', async (stage, reply) => {
    sink.behaviour = { [stage]: reply };
    const error: unknown = await send().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(MailRefused);
  });

  it('does not mark an unreachable server as a refusal', async () => {
    const { url } = sink;
    await sink.stop();
    const error: unknown = await send({}, url).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(MailRefused);
    sink = await SmtpSink.start();
  });

  it('can be aborted while a server is silent, and closes the connection', async () => {
    sink.behaviour = { mute: true };
    const stopping = new AbortController();
    const sending = send({}, sink.url, stopping.signal).catch((caught: unknown) => caught);
    await eventually(
      'the client connected',
      () => sink.connections,
      (count) => count === 1,
    );
    stopping.abort();
    expect(await sending).toBeInstanceOf(Error);
    await eventually(
      'the connection is closed',
      () => sink.connections,
      (count) => count === 0,
    );
  });
});
