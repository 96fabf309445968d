import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { ChainId, Coin } from '../../domain/coins.ts';
import type { Logger } from '../../domain/ports.ts';
import { countLookAhead } from '../../store/ledger/look-ahead.ts';
import { watchLookAhead, type WatchLookAheadDeps } from '../../usecases/addresses/index.ts';
import { Scheduler } from '../../scheduler/scheduler.ts';

export type LookAheadDeps = WatchLookAheadDeps & { readonly logger: Logger };

/** Pause between two counts, and before a retry after a failure. */
const RETRY_MS = 1_000;
/** Batches between two counts of the remainder. */
const COUNTED_EVERY = 100;

/**
 * Watches the addresses that a restore reserved, while the daemon serves. Chains are not read meanwhile,
 * because a block may pay an address that is not watched yet.
 */
export class LookAhead {
  readonly #deps: LookAheadDeps;
  readonly #jobs: Scheduler;
  #left: ReadonlyMap<Coin, number>;

  private constructor(deps: LookAheadDeps, left: ReadonlyMap<Coin, number>) {
    this.#deps = deps;
    this.#left = left;
    this.#jobs = new Scheduler(deps.logger).every('look-ahead', RETRY_MS, async (signal) =>
      this.#watch(signal),
    );
  }

  static async open(deps: LookAheadDeps): Promise<LookAhead> {
    return new LookAhead(deps, await countLookAhead(deps.db));
  }

  start(): void {
    this.#jobs.start();
  }

  async stop(): Promise<void> {
    await this.#jobs.stop();
  }

  /** Reserved addresses of a chain that are not watched yet. */
  left({ coin, mode }: ChainId): number {
    return mode === 'live' ? (this.#left.get(coin) ?? 0) : 0;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { db, logger } = this.#deps;
    // A watched account that is confirmed in a restored database reserves addresses later.
    this.#left = await countLookAhead(db);
    if (this.#left.size === 0) return;
    for (let batch = 1; !signal.aborted && (await watchLookAhead(this.#deps)); batch += 1) {
      if (batch % COUNTED_EVERY === 0) this.#left = await countLookAhead(db);
      await yieldToRequests();
    }
    this.#left = await countLookAhead(db);
    if (this.#left.size === 0)
      logger.info({}, 'addresses issued since the backup are watched now; blocks are read again');
  }
}
