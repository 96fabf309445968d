import { afterEach, expect, it } from 'vitest';
import { eventually } from '../../_helpers/poll.ts';
import { readable, SmtpSink, tokenIn } from '../../_helpers/smtp-sink.ts';
import { TillProcess } from '../../_helpers/till.ts';

const PASSWORD = 'correct horse battery';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function startTill(env: Record<string, string>): Promise<TillProcess> {
  const till = await TillProcess.start(env);
  ends.push(() => till.end());
  return till;
}

async function startSink(port = 0): Promise<SmtpSink> {
  const sink = await SmtpSink.start({ port });
  ends.push(() => sink.stop().catch(() => undefined));
  return sink;
}

const register = (till: TillProcess, email: string) =>
  till.api.must<{ token: string }>('POST', '/auth/register', { body: { email, password: PASSWORD } });
const mailsOf = async (sink: SmtpSink, count: number) =>
  eventually(
    `${count} mails arrived`,
    () => sink.mails,
    (mails) => mails.length >= count,
  );

it('the daemon sends an email with a verification link, and one with a password reset link', async () => {
  const sink = await startSink();
  const till = await startTill({ TILLD_SMTP_URL: sink.url, TILLD_SMTP_FROM: 'till@pay.example.com' });
  const { token } = await register(till, 'ann@example.com');
  const [first] = await mailsOf(sink, 1);
  expect(first).toMatchObject({ from: 'till@pay.example.com', to: ['ann@example.com'] });
  await till.api.must('POST', '/auth/verify-email', {
    token,
    body: { token: tokenIn(readable(first?.raw ?? '')) },
  });
  expect(await till.api.must('GET', '/auth/me', { token })).toMatchObject({ user: { isVerified: true } });
  await till.api.must('POST', '/auth/forgot-password', { body: { email: 'ann@example.com' } });
  const second = (await mailsOf(sink, 2))[1];
  await till.api.must('POST', '/auth/reset-password', {
    body: { token: tokenIn(readable(second?.raw ?? '')), password: 'an entirely new one' },
  });
  await till.api.must('POST', '/auth/login', {
    body: { email: 'ann@example.com', password: 'an entirely new one' },
  });
});

it('the daemon responds without waiting for the mail server, and sends queued emails after kill -9', async () => {
  const mute = await startSink();
  mute.behaviour = { mute: true };
  const till = await startTill({ TILLD_SMTP_URL: mute.url });
  const { token } = await register(till, 'ann@example.com');
  // The first attempt is still under way: had the answer waited for its end, the next one would be far off.
  await eventually(
    'the mail is being sent',
    () => mute.connections,
    (count) => count > 0,
  );
  await till.kill9();
  const { port } = mute;
  await mute.stop();
  const sink = await startSink(port);
  await till.up();
  const [mail] = await mailsOf(sink, 1);
  expect(mail?.to).toEqual(['ann@example.com']);
  await till.api.must('POST', '/auth/verify-email', {
    token,
    body: { token: tokenIn(readable(mail?.raw ?? '')) },
  });
});

it('the daemon stops in time although the mail server does not respond', async () => {
  const mute = await startSink();
  mute.behaviour = { mute: true };
  const till = await startTill({ TILLD_SMTP_URL: mute.url });
  await register(till, 'ann@example.com');
  await eventually(
    'the mail is being sent',
    () => mute.connections,
    (count) => count > 0,
  );
  // The daemon ends itself with 1 when its time to stop is over.
  expect(await till.terminate()).toBe(0);
});

it('the daemon writes the link to the log in plain text when no mail server is configured', async () => {
  const till = await startTill({ TILLD_LOG_LEVEL: 'info' });
  const { token } = await register(till, 'ann@example.com');
  const line = await eventually(
    'the link is in the log',
    () => till.output.split('\n').find((text) => text.includes('verify-email?token=')),
    (text) => text !== undefined,
  );
  const fields = JSON.parse(line ?? '{}') as { to: string; link: string; msg: string };
  expect(fields).toMatchObject({ to: 'ann@example.com', msg: 'no mail server configured; email not sent' });
  const mailed = new URL(fields.link).searchParams.get('token');
  await till.api.must('POST', '/auth/verify-email', { token, body: { token: mailed } });
});
