import type { Coin } from '../domain/coins.ts';
import type { Observation } from './median.ts';
import type { SourcePrice } from './source.ts';

/** Refreshed continuously. */
const BASE: readonly string[] = ['USD', 'EUR'];
/** Maximum number of unpinned currencies, because everyone who may read rates can request them. */
const MAX_OTHERS = 40;
const FORGET_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * The last price of every source. Currencies in use are pinned and never evicted; the others are an LRU cache
 * of the last requested ones. Bounded by the existing currencies.
 */
export class RateCache {
  #pinned: ReadonlySet<string> = new Set(BASE);
  /** Other currency → time of the last request, oldest first. */
  readonly #others = new Map<string, number>();
  /** Currency → `COIN source` → observation. */
  readonly #prices = new Map<string, Map<string, Observation>>();

  /** Replaces the pinned currencies. A currency that is no longer pinned counts as requested now. */
  pin(currencies: readonly string[], now: number): void {
    const before = this.#pinned;
    this.#pinned = new Set([...BASE, ...currencies]);
    for (const currency of this.#pinned) this.#others.delete(currency);
    for (const currency of before) if (!this.#pinned.has(currency)) this.touch(currency, now);
  }

  isPinned(currency: string): boolean {
    return this.#pinned.has(currency);
  }

  /** Marks a currency as requested; evicts the least recently requested one that is not pinned. */
  touch(currency: string, now: number): void {
    if (this.#pinned.has(currency)) return;
    this.#others.delete(currency);
    this.#others.set(currency, now);
    const [oldest] = this.#others.keys();
    if (this.#others.size > MAX_OTHERS && oldest !== undefined) this.#forget(oldest);
  }

  /** The currencies to refresh, pinned ones first; others not requested for a day are dropped. */
  currencies(now: number): string[] {
    for (const [currency, askedAt] of this.#others) {
      if (now - askedAt > FORGET_AFTER_MS) this.#forget(currency);
    }
    return [...this.#pinned, ...this.#others.keys()];
  }

  wants(currency: string): boolean {
    return this.#pinned.has(currency) || this.#others.has(currency);
  }

  /** Stores prices in requested currencies. Uses a source's own time if it is older than the local one. */
  store(source: string, prices: readonly SourcePrice[], receivedAt: number): void {
    for (const { coin, currency, rate, at } of prices) {
      if (!this.wants(currency)) continue;
      const known = this.#prices.get(currency) ?? new Map<string, Observation>();
      known.set(`${coin} ${source}`, { source, rate, at: Math.min(at ?? receivedAt, receivedAt) });
      this.#prices.set(currency, known);
    }
  }

  /** Every source's price between `since` and `until`; a later time comes from a clock that was set back. */
  fresh(coin: Coin, currency: string, since: number, until = Number.POSITIVE_INFINITY): Observation[] {
    return [...(this.#prices.get(currency) ?? [])]
      .filter(([key, { at }]) => key.startsWith(`${coin} `) && at >= since && at <= until)
      .map(([, observation]) => observation);
  }

  #forget(currency: string): void {
    this.#others.delete(currency);
    this.#prices.delete(currency);
  }
}
