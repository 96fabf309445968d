import type { ChainId } from '../../domain/coins.ts';
import type { SendPlace } from '../../store/sends/sends.ts';
import { advanceSends } from '../../usecases/settlement/advance-sends.ts';
import { bumpSends, type BumpSendsDeps } from '../../usecases/settlement/bump-sends.ts';
import { consolidateRound } from '../../usecases/settlement/consolidate-rounds.ts';
import { failOrphans } from '../../usecases/settlement/fail-orphans.ts';
import { failReverted, type FailRevertedDeps } from '../../usecases/settlement/fail-reverted.ts';
import { PeriodicTask } from '../periodic-task.ts';

export type SendLoopDeps = BumpSendsDeps & FailRevertedDeps;

export interface SendLoopOptions {
  /** Pause between two rounds of a chain. */
  readonly intervalMs: number;
  /** How often stuck sends are reviewed. */
  readonly bumpIntervalMs: number;
}

/**
 * Advances the open sends of each chain until they confirm. Every chain has a loop of its own, so a
 * failing node delays no other coin. The first round resumes sends that an earlier process left open.
 */
export class SendLoop {
  readonly #tasks: readonly PeriodicTask[];

  constructor(deps: SendLoopDeps, chains: readonly ChainId[], options: SendLoopOptions) {
    this.#tasks = chains.map((chain) => {
      const name = `${chain.coin} ${chain.mode} sends`;
      return new PeriodicTask(name, options.intervalMs, deps.logger, sendRounds(deps, chain, options));
    });
  }

  start(): void {
    for (const task of this.#tasks) task.start();
  }

  /** Stops and waits for the current rounds. */
  async stop(): Promise<void> {
    await Promise.all(this.#tasks.map(async (task) => task.stop()));
  }
}

function sendRounds(deps: SendLoopDeps, chain: ChainId, options: SendLoopOptions): () => Promise<void> {
  let resume = true;
  let bumpedAt: number | null = null;
  let bumpedTo: SendPlace | null = null;
  return async () => {
    await failReverted(deps, chain);
    await failOrphans(deps, chain);
    await advanceSends(deps, chain, { resume });
    resume = false;
    const now = deps.clock.now();
    // A future time was written before the clock was set back.
    if (bumpedAt !== null && bumpedAt <= now && now - bumpedAt < options.bumpIntervalMs) return;
    bumpedAt = now;
    bumpedTo = await bumpSends(deps, chain, bumpedTo);
    await consolidateRound(deps, chain);
  };
}
