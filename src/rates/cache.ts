import type { Coin } from '../domain/coins.ts';
import type { Observation } from './median.ts';
import type { SourcePrice } from './source.ts';

/** Always kept up to date. */
const PINNED: readonly string[] = ['USD', 'EUR'];
const MAX_CURRENCIES = 40;
const FORGET_AFTER_MS = 24 * 60 * 60 * 1000;

/** The last price of every source, for recently requested currencies. Bounded. */
export class RateCache {
  /** Currency → time of the last request, oldest first. */
  readonly #asked = new Map<string, number>(PINNED.map((currency) => [currency, 0]));
  /** Currency → `COIN source` → observation. */
  readonly #prices = new Map<string, Map<string, Observation>>();

  /** Marks a currency as requested; evicts the least recently requested one. */
  touch(currency: string, now: number): void {
    this.#asked.delete(currency);
    this.#asked.set(currency, now);
    if (this.#asked.size > MAX_CURRENCIES) {
      const oldest = [...this.#asked.keys()].find((known) => !PINNED.includes(known));
      if (oldest !== undefined) this.#forget(oldest);
    }
  }

  /** The currencies to refresh; those not requested for a day are dropped. */
  currencies(now: number): string[] {
    for (const [currency, askedAt] of this.#asked) {
      if (!PINNED.includes(currency) && now - askedAt > FORGET_AFTER_MS) this.#forget(currency);
    }
    return [...this.#asked.keys()];
  }

  wants(currency: string): boolean {
    return this.#asked.has(currency);
  }

  /** Stores prices in requested currencies. A source's own time counts when it is older than ours. */
  store(source: string, prices: readonly SourcePrice[], receivedAt: number): void {
    for (const { coin, currency, rate, at } of prices) {
      if (!this.#asked.has(currency)) continue;
      const known = this.#prices.get(currency) ?? new Map<string, Observation>();
      known.set(`${coin} ${source}`, { source, rate, at: Math.min(at ?? receivedAt, receivedAt) });
      this.#prices.set(currency, known);
    }
  }

  /** Every source's price between `since` and `until`; a later one is dated by a clock since set back. */
  fresh(coin: Coin, currency: string, since: number, until = Number.POSITIVE_INFINITY): Observation[] {
    return [...(this.#prices.get(currency) ?? [])]
      .filter(([key, { at }]) => key.startsWith(`${coin} `) && at >= since && at <= until)
      .map(([, observation]) => observation);
  }

  #forget(currency: string): void {
    this.#asked.delete(currency);
    this.#prices.delete(currency);
  }
}
