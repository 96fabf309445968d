import type { Config } from '../config/config.ts';
import type { SecretBox } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import { createLogMailer } from '../mail/log-mailer.ts';
import { createSmtpMailer } from '../mail/smtp-mailer.ts';
import type { Db } from '../store/sqlite/database.ts';
import { deliverMails, pruneMails } from '../usecases/mail/index.ts';
import { PeriodicTask } from '../workers/periodic-task.ts';

const DELIVER_EVERY_MS = 1_000;
const PRUNE_EVERY_MS = 3_600_000;

/** Delivers mails from the outbox to the mail server, or to the log without one. */
export interface MailDelivery {
  start(): void;
  /** Aborts a mail being sent; it stays in the outbox. */
  stop(): Promise<void>;
}

export function createMailDelivery(deps: {
  readonly config: Pick<Config, 'smtp'>;
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
}): MailDelivery {
  const { config, logger } = deps;
  const { smtp } = config;
  const mailer =
    smtp === null ? createLogMailer(logger) : createSmtpMailer({ url: smtp.url.reveal(), from: smtp.from });
  const stopping = new AbortController();
  const tasks = [
    new PeriodicTask('mails', DELIVER_EVERY_MS, logger, () =>
      deliverMails({ ...deps, mailer }, stopping.signal),
    ),
    new PeriodicTask('mail-pruning', PRUNE_EVERY_MS, logger, () => pruneMails(deps)),
  ];
  return {
    start: () => {
      for (const task of tasks) task.start();
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}
