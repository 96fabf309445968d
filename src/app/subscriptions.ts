import { Scheduler } from '../scheduler/scheduler.ts';
import { renewDueSubscriptions, type SubscriptionDeps } from '../usecases/subscriptions/index.ts';

const EVERY_MS = 5_000;

/** Makes invoices that are due, and applies the passage of time to subscriptions. */
export function createSubscriptionJob(deps: SubscriptionDeps): Scheduler {
  return new Scheduler(deps.logger).every('subscriptions', EVERY_MS, async (signal) =>
    renewDueSubscriptions(deps, signal),
  );
}
