import type { Clock } from '../../../domain/ports.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { readTip, SHOWN_ABOVE_FINALIZED, type Tip } from '../rpc/tip.ts';

/**
 * How long scans without any news continue with the same tip, ms. Payments expire by the time of the tip, so at
 * most this much later; a tip of two minutes counts as stale.
 */
const REUSED_MS = 30_000;

export interface ScanTipDeps {
  readonly client: NodeClient;
  readonly clock: Clock;
  readonly savesCalls: boolean;
}

/** The tip of the last scan, which the next one reuses while nothing happens to our accounts. */
export class ScanTip {
  readonly #deps: ScanTipDeps;
  #last: { readonly tip: Tip; readonly at: number } | null = null;
  /** Slot from which on everything found so far is final; null before the first scan. */
  #restsAt: number | null = null;

  constructor(deps: ScanTipDeps) {
    this.#deps = deps;
  }

  /** The tip of the last scan; null where every scan reads its own, and before the first. */
  get last(): Tip | null {
    return this.#deps.savesCalls ? (this.#last?.tip ?? null) : null;
  }

  /**
   * The last tip, for a scan without news: null when it is old, when the ledger is not at it, or while
   * confirmations of something found are counted.
   */
  reusable(recorded: number | null): Tip | null {
    const { last: tip } = this;
    if (tip === null || recorded !== tip.block.slot) return null;
    const age = this.#deps.clock.now() - (this.#last?.at ?? 0);
    const isFresh = age >= 0 && age < REUSED_MS;
    return isFresh && this.#restsAt !== null && tip.block.slot >= this.#restsAt ? tip : null;
  }

  /** @param balancesSlot slot up to which all balances were read: the tip is never above it; null if none were */
  async read(balancesSlot: number | null): Promise<Tip> {
    const at = this.#deps.clock.now();
    const tip = await readTip(this.#deps.client, balancesSlot);
    this.#last = { tip, at };
    // After a start, what earlier runs recorded may not be final yet.
    this.#restsAt ??= tip.block.slot + SHOWN_ABOVE_FINALIZED;
    return tip;
  }

  /** Records the slot of a transaction: the next tips are read until it is final. */
  found(slot: number): void {
    this.#restsAt = Math.max(this.#restsAt ?? 0, slot + SHOWN_ABOVE_FINALIZED);
  }
}
