import type { SecretBox } from '../domain/keys.ts';
import { expireApprovals } from '../usecases/approvals/index.ts';
import { expireLinks, sendClaims } from '../usecases/refunds/index.ts';
import { RetryBackoff, type SendCoinsDeps } from '../usecases/wallet/index.ts';
import { coalesce } from '../scheduler/coalesce.ts';
import { Scheduler } from '../scheduler/scheduler.ts';

const EVERY_MS = 2_000;
const BACKOFF = { most: 5_000, restMs: 5_000, maxRestMs: 300_000 };

/** Sends claimed refunds and expires unclaimed links. */
export interface RefundLinks {
  start(): void;
  stop(): Promise<void>;
  /** Sends claimed refunds now; resolves after the attempt. Never rejects. */
  sendClaims(): Promise<void>;
}

export function createRefundLinks(deps: SendCoinsDeps & { readonly secretBox: SecretBox }): RefundLinks {
  const { logger } = deps;
  const claimBackoff = new RetryBackoff(deps.clock, BACKOFF);
  const send = coalesce(
    async () => sendClaims({ ...deps, claimBackoff }),
    (error) =>
      logger.error({ err: error }, 'reading claimed refunds that wait to be sent failed; will retry'),
  );
  const jobs = new Scheduler(logger).every('refund-links', EVERY_MS, async () => {
    await expireLinks(deps);
    await expireApprovals(deps);
    await send();
  });
  return {
    start: () => jobs.start(),
    stop: async () => {
      await jobs.stop();
      await send.idle();
    },
    sendClaims: send,
  };
}
