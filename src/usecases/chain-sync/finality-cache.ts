import type { ChainId } from '../../domain/coins.ts';
import type { Finality } from '../../domain/confirmations.ts';
import type { Clock } from '../../domain/ports.ts';
import { finalitiesAwaited } from '../../store/payments/awaited-finality.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** Longest age of the cached answer. Only late money makes a payment wait under a policy that has since changed. */
const FRESH_MS = 10 * 60_000;

/**
 * Caches the finality levels that payments created under an earlier policy wait for: the query covers all payments, and
 * every polling round needs the answer.
 */
export class FinalityCache {
  #known: { readonly words: readonly Finality[]; readonly at: number } | null = null;

  async awaited(
    deps: { readonly db: Db; readonly clock: Clock },
    chain: ChainId,
  ): Promise<readonly Finality[]> {
    const now = deps.clock.now();
    if (this.#known === null || Math.abs(now - this.#known.at) >= FRESH_MS) {
      this.#known = { words: await finalitiesAwaited(deps.db, chain), at: now };
    }
    return this.#known.words;
  }
}
