import { Scheduler } from '../scheduler/scheduler.ts';
import { type ForwardDeps, runForwards } from '../usecases/forwards/index.ts';
import { RetryBackoff } from '../usecases/wallet/index.ts';

const EVERY_MS = 5_000;
const BACKOFF = { most: 5_000, restMs: 10_000, maxRestMs: 600_000 };

/** Forwards coins to cold storage. */
export function createForwardJob(deps: ForwardDeps): Scheduler {
  const forwardBackoff = new RetryBackoff(deps.clock, BACKOFF);
  return new Scheduler(deps.logger).every('forwards', EVERY_MS, async (signal) =>
    runForwards({ ...deps, forwardBackoff }, signal),
  );
}
