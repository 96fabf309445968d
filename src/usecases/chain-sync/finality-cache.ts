import type { ChainId } from '../../domain/coins.ts';
import type { Finality } from '../../domain/confirmations.ts';
import type { Clock } from '../../domain/ports.ts';
import { finalitiesAwaited } from '../../store/payments/awaited-finality.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** How old the answer may be. Only late money makes a payment wait anew by a policy that has changed since. */
const FRESH_MS = 10 * 60_000;

/**
 * The words of the network that payments made under an earlier policy wait for. Asked of the database
 * now and then only: the question goes over all payments, and each look at the chain needs the answer.
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
