import type { Coin } from '../domain/coins.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import type { MedianRate } from './median.ts';
import type { AgreedRate } from './quorum-rates.ts';
import {
  judgeRate,
  NO_HISTORY,
  type RateHistory,
  type SingleSourceLimits,
  type Verdict,
} from './single-source.ts';

/** A rate from a single source although more agreed before, or a rejected one. */
export interface RateProblem {
  readonly coin: Coin;
  readonly currency: string;
  readonly state: 'alone' | 'refused';
  readonly source: string;
}

/**
 * Applies the limits of a single source to every rate. Logs when a rate starts and stops to depend on one
 * source.
 */
export class RateGuard {
  readonly #limits: SingleSourceLimits;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #histories = new Map<string, RateHistory>();
  readonly #troubles = new Map<string, RateProblem>();

  constructor(
    limits: SingleSourceLimits,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The rate if it is accepted; otherwise null. */
  check(coin: Coin, currency: string, rate: MedianRate | null): MedianRate | null {
    if (rate === null) return null;
    const key = `${coin} ${currency}`;
    const history = this.#histories.get(key) ?? NO_HISTORY;
    const verdict = judgeRate(rate, history, { limits: this.#limits, now: this.#clock.now() });
    this.#histories.set(key, verdict.history);
    this.#note(key, { coin, currency, source: rate.sources.join(', ') }, verdict);
    return verdict.state === 'refused' ? null : rate;
  }

  /** The last rates that two or more sources agreed on. */
  agreed(): AgreedRate[] {
    return [...this.#histories].flatMap(([key, { agreed }]) => {
      const [coin, currency] = key.split(' ') as [Coin, string];
      return agreed === null ? [] : [{ coin, currency, ...agreed }];
    });
  }

  /** Loads the rates agreed on before a restart; newer ones stay. */
  restore(rates: readonly AgreedRate[]): void {
    for (const { coin, currency, rate, at } of rates) {
      const [key, agreed] = [`${coin} ${currency}`, { rate, at }];
      if (!this.#histories.has(key)) this.#histories.set(key, { agreed, last: agreed });
    }
  }

  problems(): readonly RateProblem[] {
    return [...this.#troubles.values()];
  }

  /** Drops the state of currencies that are not refreshed any more. */
  keep(currencies: ReadonlySet<string>): void {
    for (const [key, { currency }] of this.#troubles)
      if (!currencies.has(currency)) this.#troubles.delete(key);
  }

  #note(key: string, about: Omit<RateProblem, 'state'>, { state, reason }: Verdict): void {
    const before = this.#troubles.get(key)?.state ?? null;
    const now = state === 'alone' || state === 'refused' ? state : null;
    if (now === null) this.#troubles.delete(key);
    else this.#troubles.set(key, { ...about, state: now });
    if (now === before) return;
    if (now === 'refused')
      this.#logger.error(
        { ...about, reason },
        'exchange rate rejected: the only source deviates too far from the last accepted rate',
      );
    else if (now === 'alone') this.#logger.warn(about, 'exchange rate comes from a single source');
    else this.#logger.info(about, 'exchange rate confirmed by several sources again');
  }
}
