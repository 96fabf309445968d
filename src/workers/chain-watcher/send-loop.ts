import { accountsPerSend } from '../../domain/accounts.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { SendPlace } from '../../store/sends/open-sends.ts';
import {
  advanceSends,
  bumpSends,
  type BumpSendsDeps,
  consolidateRound,
  failDisplacedSends,
  failReverted,
  type FailRevertedDeps,
  expireUnsigned,
  prepareSends,
  releaseQueued,
} from '../../usecases/wallet/index.ts';
import { Scheduler } from '../../scheduler/scheduler.ts';

export type SendLoopDeps = BumpSendsDeps & FailRevertedDeps;

export interface SendLoopOptions {
  /** Pause between two rounds of a chain. */
  readonly intervalMs: number;
  /** How often stuck sends are reviewed. */
  readonly bumpIntervalMs: number;
  /** Polls a chain now, because sends wait for the block of the previous one. */
  readonly poll: (chain: ChainId) => void;
}

/**
 * Pause between two reads of the queues of a chain, because a transaction waits no longer than its blockhash
 * is valid.
 */
const QUEUE_INTERVAL_MS = 1_000;

/**
 * Advances the open sends of each chain until they confirm. Every chain has a loop of its own, so a
 * failing node delays no other coin. The first round resumes sends that an earlier process left open.
 */
export class SendLoop {
  readonly #jobs: Scheduler;

  constructor(deps: SendLoopDeps, chains: readonly ChainId[], options: SendLoopOptions) {
    const { intervalMs } = options;
    const queueMs = Math.min(intervalMs, QUEUE_INTERVAL_MS);
    this.#jobs = new Scheduler(deps.logger);
    for (const chain of chains) {
      const name = `${chain.coin} ${chain.mode} sends`;
      this.#jobs.every(name, intervalMs, sendRounds(deps, chain, options));
      if (accountsPerSend(chain) === null) continue;
      this.#jobs.every(`${name} that wait`, queueMs, async () => {
        if (await releaseQueued(deps, chain)) options.poll(chain);
      });
    }
  }

  start(): void {
    this.#jobs.start();
  }

  /** Stops and waits for the current rounds. */
  async stop(): Promise<void> {
    await this.#jobs.stop();
  }
}

function sendRounds(deps: SendLoopDeps, chain: ChainId, options: SendLoopOptions): () => Promise<void> {
  let resume = true;
  let bumpedAt: number | null = null;
  let bumpedTo: SendPlace | null = null;
  return async () => {
    await failReverted(deps, chain);
    await failDisplacedSends(deps, chain);
    await advanceSends(deps, chain, { resume });
    await expireUnsigned(deps, chain);
    await prepareSends(deps, chain);
    resume = false;
    const now = deps.clock.now();
    // A future time was written before the clock was set back.
    if (bumpedAt !== null && bumpedAt <= now && now - bumpedAt < options.bumpIntervalMs) return;
    bumpedAt = now;
    bumpedTo = await bumpSends(deps, chain, bumpedTo);
    await consolidateRound(deps, chain);
  };
}
