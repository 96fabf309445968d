import type { Logger } from '../domain/ports.ts';
import { expireLinks, sendClaims } from '../usecases/refunds/index.ts';
import { RetryBackoff, type SendCoinsDeps } from '../usecases/wallet/index.ts';
import { PeriodicTask } from '../workers/periodic-task.ts';

const EVERY_MS = 2_000;
const BACKOFF = { most: 5_000, restMs: 5_000, maxRestMs: 300_000 };

/** Sends claimed refunds and expires unclaimed links. */
export interface RefundLinks {
  start(): void;
  stop(): Promise<void>;
  /** Sends claimed refunds now; resolves after the attempt. Never rejects. */
  sendClaims(): Promise<void>;
}

export function createRefundLinks(deps: SendCoinsDeps): RefundLinks {
  const { logger } = deps;
  const claimBackoff = new RetryBackoff(deps.clock, BACKOFF);
  const send = oneAtATime(logger, async () => sendClaims({ ...deps, claimBackoff }));
  const task = new PeriodicTask('refund-links', EVERY_MS, logger, async () => {
    await expireLinks(deps);
    await send();
  });
  return {
    start: () => task.start(),
    stop: async () => {
      await task.stop();
      await send.idle();
    },
    sendClaims: send,
  };
}

interface Rounds {
  (): Promise<void>;
  idle(): Promise<void>;
}

/**
 * Runs rounds that never overlap: a request during one round is served by the next, which sees all rows
 * stored before the request.
 */
function oneAtATime(logger: Logger, round: () => Promise<void>): Rounds {
  let current: Promise<void> = Promise.resolve();
  let isRunning = false;
  let next: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    isRunning = true;
    try {
      await round();
    } catch (error) {
      logger.error({ err: error }, 'reading claimed refunds failed; retried');
    } finally {
      isRunning = false;
    }
  };
  const ask = async (): Promise<void> => {
    if (!isRunning && next === null) {
      current = run();
      return current;
    }
    next ??= current.then(async () => {
      next = null;
      current = run();
      return current;
    });
    return next;
  };
  const idle = async (): Promise<void> => {
    await current;
    if (next !== null) await next;
  };
  return Object.assign(ask, { idle });
}
