import type { ChainId } from '../../domain/coins.ts';
import type { Chains } from '../../domain/chains.ts';
import {
  fillNonceGaps,
  createSweepBackoff,
  consolidateAccounts,
  sweepDeposits,
  type SweepDepositsDeps,
} from '../../usecases/wallet/index.ts';
import { Scheduler } from '../../scheduler/scheduler.ts';

/**
 * Sweeps settled deposits to addresses that sends draw on. Every chain has a loop of its own, so a slow node
 * delays no other coin.
 */
export class SweepLoop {
  readonly #jobs: Scheduler;

  constructor(
    deps: Omit<SweepDepositsDeps, 'chains'>,
    chains: readonly ChainId[],
    options: { readonly intervalMs: number; readonly trusted: () => Chains },
  ) {
    this.#jobs = new Scheduler(deps.logger);
    for (const { coin, mode } of chains) {
      const chain = { coin, mode };
      const memory = createSweepBackoff(deps.clock);
      this.#jobs.every(`${coin} ${mode} sweeps`, options.intervalMs, async () => {
        const trusted = { ...deps, chains: options.trusted() };
        await fillNonceGaps(trusted, chain, memory);
        await sweepDeposits(trusted, chain, memory);
        await consolidateAccounts(trusted, chain, memory);
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
