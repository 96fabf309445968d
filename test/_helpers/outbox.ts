import type { Mailer, MailMessage } from '../../src/domain/mail.ts';
import { deliverMails } from '../../src/usecases/mail/deliver-mails.ts';
import { createSecretBox } from '../../src/wallet/secret-box.ts';
import type { HttpApp } from './http-app.ts';

const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Delivers the due webhooks of an app's outbox to the given receiver, as the daemon's loop does. */
export async function deliverTo(app: HttpApp, mailer: Mailer, signal = new AbortController().signal) {
  return deliverMails(
    {
      db: app.db,
      clock: { now: () => app.now() },
      logger: SILENT,
      secretBox: createSecretBox(app.keyring),
      mailer,
    },
    signal,
  );
}

/** Takes the mails that wait in an app's outbox, oldest first; those of one address only when given. */
export async function takeMails(app: HttpApp, to?: string): Promise<MailMessage[]> {
  const mails: MailMessage[] = [];
  const mailer: Mailer = { send: async (message) => void mails.push(message) };
  while ((await deliverTo(app, mailer)) > 0);
  return to === undefined ? mails : mails.filter((mail) => mail.to === to);
}
