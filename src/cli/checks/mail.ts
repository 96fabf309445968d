import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { createSmtpMailer } from '../../mail/smtp-mailer.ts';
import type { Finding } from './files.ts';

const TIMEOUT_MS = 60_000;

/** Sends a test mail to an address, if there is one. */
export async function checkMail({ smtp, operatorEmail }: Config, to: string | null): Promise<Finding[]> {
  const check = 'mail';
  if (smtp === null) {
    // Of what the settings ask for, nothing would ever arrive.
    const result = operatorEmail === null ? 'warning' : 'failed';
    const detail = 'TILLD_SMTP_URL is not set: mails go to the log and are not sent';
    return [{ check, result, detail }];
  }
  if (to === null) {
    const detail = 'not tested: name an address by --mail-to or TILLD_OPERATOR_EMAIL';
    return [{ check, result: 'warning', detail }];
  }
  const text = 'This is the test mail of tillctl check-config. The mail server accepts mails of tilld.';
  const mail = { id: randomUUID(), to, subject: 'tilld test mail', text, html: `<p>${text}</p>` };
  try {
    const mailer = createSmtpMailer({ url: smtp.url.reveal(), from: smtp.from });
    await mailer.send({ ...mail, link: null, unsubscribe: null }, AbortSignal.timeout(TIMEOUT_MS));
    return [{ check, result: 'ok', detail: `the server accepted a test mail to ${to}` }];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ check, result: 'failed', detail: `the server did not accept a test mail to ${to}: ${why}` }];
  }
}
