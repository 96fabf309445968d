import { z } from 'zod';
import { COINS, type Coin } from '../domain/coins.ts';
import { currencyDigits } from '../domain/currencies.ts';
import type { Clock, Logger } from '../domain/ports.ts';

/** A rate that two or more sources agreed on, with its time. */
export interface AgreedRate {
  readonly coin: Coin;
  readonly currency: string;
  /** Positive decimal. */
  readonly rate: string;
  readonly at: number;
}

/** Storage of agreed rates across restarts: one text, replaced as a whole. */
export interface QuorumRatesStore {
  /** Null before the first write. */
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
}

const MIN_WRITE_INTERVAL_MS = 60_000;
/** `COIN CURRENCY` → [rate, time in ms]. */
const TEXT = z.record(z.string(), z.tuple([z.string().regex(/^\d{1,30}(\.\d{1,8})?$/), z.int().min(0)]));

/**
 * Keeps the last agreed rates, so that they bound a single source after a restart, too. Bounded by the
 * existing coins and currencies.
 */
export class QuorumRates {
  readonly #store: QuorumRatesStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #written = '';

  constructor(
    store: QuorumRatesStore,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Returns the stored rates without those that cannot be parsed. @throws if the store cannot be read. */
  async load(): Promise<readonly AgreedRate[]> {
    const text = await this.#store.read();
    const parsed = text === null ? null : TEXT.safeParse(parseJson(text));
    if (parsed === null) return [];
    if (!parsed.success) {
      this.#logger.error(
        {},
        'stored exchange rates unreadable; a single price source is accepted without a comparison with them',
      );
      return [];
    }
    return Object.entries(parsed.data).flatMap(([key, [rate, at]]) => {
      const [name, currency = ''] = key.split(' ');
      const coin = COINS.find((each) => each === name);
      const isUsable = Number(rate) > 0 && currencyDigits(currency) !== null;
      return coin === undefined || !isUsable ? [] : [{ coin, currency, rate, at }];
    });
  }

  /** Stores the rates at most once a minute. A failure is logged, and the next call retries. */
  async save(rates: readonly AgreedRate[]): Promise<void> {
    const now = this.#clock.now();
    // If the clock was set back, the next write must not be postponed.
    if (now >= this.#writtenAt && now - this.#writtenAt < MIN_WRITE_INTERVAL_MS) return;
    const entries = rates.map(({ coin, currency, rate, at }) => [`${coin} ${currency}`, [rate, at]]);
    const text = JSON.stringify(Object.fromEntries(entries));
    if (entries.length === 0 || text === this.#written) return;
    try {
      await this.#store.write(text);
      [this.#writtenAt, this.#written] = [now, text];
    } catch (error) {
      this.#logger.warn(
        { err: error },
        'storing the exchange rates failed; will retry with the next refresh',
      );
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
