import type { Config } from '../config/config.ts';
import { subscriptionMail } from '../http/subscription-page/mail.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { queueSubscriptionMails } from '../usecases/subscription-mails/index.ts';
import { renewDueSubscriptions, type SubscriptionDeps } from '../usecases/subscriptions/index.ts';

const EVERY_MS = 5_000;

interface JobDeps extends SubscriptionDeps {
  readonly config: Pick<Config, 'smtp'>;
}

/** Makes invoices that are due, applies the passage of time to subscriptions, and mails their payers. */
export function createSubscriptionJob(deps: JobDeps): Scheduler {
  const { baseUrl, config, logger } = deps;
  const mailing = { ...deps, hasMailServer: config.smtp !== null };
  return new Scheduler(logger)
    .every('subscriptions', EVERY_MS, async (signal) => renewDueSubscriptions(deps, signal))
    .every('subscription-mails', EVERY_MS, async (signal) =>
      queueSubscriptionMails(mailing, (facts) => subscriptionMail(facts, baseUrl), signal),
    );
}
