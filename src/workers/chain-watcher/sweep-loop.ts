import type { ChainId } from '../../domain/coins.ts';
import type { Chains } from '../../domain/chains.ts';
import {
  closeGaps,
  createSweepBackoff,
  gatherDeposits,
  sweepDeposits,
  type SweepDepositsDeps,
} from '../../usecases/wallet/index.ts';
import { PeriodicTask } from '../periodic-task.ts';

/**
 * Sweeps settled deposits to addresses that sends draw on. Every chain has a loop of its own, so a slow node
 * delays no other coin.
 */
export class SweepLoop {
  readonly #tasks: readonly PeriodicTask[];

  constructor(
    deps: Omit<SweepDepositsDeps, 'chains'>,
    chains: readonly ChainId[],
    options: { readonly intervalMs: number; readonly trusted: () => Chains },
  ) {
    this.#tasks = chains.map(({ coin, mode }) => {
      const chain = { coin, mode };
      const memory = createSweepBackoff(deps.clock);
      return new PeriodicTask(`${coin} ${mode} sweeps`, options.intervalMs, deps.logger, async () => {
        const trusted = { ...deps, chains: options.trusted() };
        await closeGaps(trusted, chain, memory);
        await sweepDeposits(trusted, chain, memory);
        await gatherDeposits(trusted, chain, memory);
      });
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
