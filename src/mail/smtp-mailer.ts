import type { Transporter } from 'nodemailer';
import { MailRefused, type Mailer } from '../domain/mail.ts';

/** Timeout, because an unresponsive mail server must not delay the mails behind this one for long. */
const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 20_000;
const SEND_TIMEOUT_MS = 45_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i;

export interface SmtpSettings {
  /** `smtp://` (upgraded by STARTTLS if offered) or `smtps://`, with user and password if needed. */
  readonly url: string;
  /** Sender: an address, or a name and an address in angle brackets. */
  readonly from: string;
}

/**
 * Sends mails by SMTP (RFC 5321), one connection each. Credentials are never sent unencrypted to another
 * host.
 */
export function createSmtpMailer(settings: SmtpSettings): Mailer {
  const url = new URL(settings.url);
  const mustEncrypt = url.protocol === 'smtp:' && url.username !== '' && !LOOPBACK.test(url.hostname);
  let transport: Transporter | null = null;
  // The library (5 MB) is loaded at the first mail, so that an installation without a mail server does not
  // load it.
  const connected = async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    transport ??= createTransport({
      url: settings.url,
      ...(mustEncrypt ? { requireTLS: true } : {}),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      dnsTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return transport;
  };
  return {
    send: async ({ id, to, subject, text, html, unsubscribe, attachments = [] }, signal) => {
      try {
        await (
          await connected()
        ).sendMail({
          from: settings.from,
          // As an object it is one address, whatever characters it contains.
          to: { name: '', address: to },
          subject,
          text,
          html,
          attachments: attachments.map(({ name, type, base64 }) => ({
            filename: name,
            contentType: type,
            content: base64,
            encoding: 'base64',
          })),
          messageId: `<${id}@${url.hostname}>`,
          headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(unsubscribe) },
          signal: AbortSignal.any([signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]),
        });
      } catch (error) {
        throw isRefusal(error) ? new MailRefused(toMessage(error), { cause: error }) : error;
      }
    },
  };
}

/** One-click unsubscribe in the mail program (RFC 8058). */
function unsubscribeHeaders(url: string | null): Record<string, string> {
  if (url === null) return {};
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/**
 * Whether the server rejected this mail permanently; a wrong password of the daemon is excluded, because the
 * operator can fix it.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error) || !('command' in error)) return false;
  const { responseCode, command } = error;
  const isPermanent = typeof responseCode === 'number' && responseCode >= 500 && responseCode < 600;
  return isPermanent && (command === 'RCPT TO' || command === 'DATA');
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
