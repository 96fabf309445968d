import type { Config } from '../config/config.ts';
import type { SecretBox } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import { createLogMailer } from '../mail/log-mailer.ts';
import { createSmtpMailer } from '../mail/smtp-mailer.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import type { Db } from '../store/sqlite/database.ts';
import { deliverMails } from '../usecases/mail/index.ts';

const DELIVER_EVERY_MS = 1_000;

/**
 * Delivers mails from the outbox to the mail server, or to the log without one. A stop aborts a mail being sent; it stays
 * in the outbox.
 */
export function createMailDelivery(deps: {
  readonly config: Pick<Config, 'smtp'>;
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
}): Scheduler {
  const { config, logger } = deps;
  const { smtp } = config;
  const mailer =
    smtp === null ? createLogMailer(logger) : createSmtpMailer({ url: smtp.url.reveal(), from: smtp.from });
  return new Scheduler(logger).every('mails', DELIVER_EVERY_MS, (signal) =>
    deliverMails({ ...deps, mailer }, signal),
  );
}
