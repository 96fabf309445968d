import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { ChainId, Coin } from '../../domain/coins.ts';
import type { Logger } from '../../domain/ports.ts';
import { countLookAhead } from '../../store/ledger/look-ahead.ts';
import { watchLookAhead, type WatchLookAheadDeps } from '../../usecases/addresses/index.ts';
import { PeriodicTask } from '../periodic-task.ts';

export type LookAheadDeps = WatchLookAheadDeps & { readonly logger: Logger };

/** Pause before a retry after a failure. */
const RETRY_MS = 1_000;
/** Batches between two counts of the remainder. */
const COUNTED_EVERY = 100;

/**
 * Watches the addresses that a restore reserved, while the daemon serves. Chains are not read meanwhile,
 * because a block may pay an address that is not watched yet.
 */
export class LookAhead {
  readonly #deps: LookAheadDeps;
  readonly #task: PeriodicTask;
  #left: ReadonlyMap<Coin, number>;
  #isStopping = false;

  private constructor(deps: LookAheadDeps, left: ReadonlyMap<Coin, number>) {
    this.#deps = deps;
    this.#left = left;
    this.#task = new PeriodicTask('look-ahead', RETRY_MS, deps.logger, () => this.#watch());
  }

  static async open(deps: LookAheadDeps): Promise<LookAhead> {
    return new LookAhead(deps, await countLookAhead(deps.db));
  }

  start(): void {
    if (this.#left.size > 0) this.#task.start();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#task.stop();
  }

  /** Reserved addresses of a chain that are not watched yet. */
  left({ coin, mode }: ChainId): number {
    return mode === 'live' ? (this.#left.get(coin) ?? 0) : 0;
  }

  async #watch(): Promise<void> {
    if (this.#left.size === 0) return;
    const { db, logger } = this.#deps;
    for (let batch = 1; !this.#isStopping && (await watchLookAhead(this.#deps)); batch += 1) {
      if (batch % COUNTED_EVERY === 0) this.#left = await countLookAhead(db);
      await yieldToRequests();
    }
    this.#left = await countLookAhead(db);
    if (this.#left.size === 0) logger.info({}, 'all addresses reserved by the restore are watched');
  }
}
