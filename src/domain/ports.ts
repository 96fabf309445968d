import type { Coin } from './coins.ts';

/** Wall clock in milliseconds since the epoch; injected so that tests can move time. */
export interface Clock {
  now(): number;
}

/** The logging interface of the program. pino implements it; secrets are redacted there. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A price: how many units of `currency` one whole coin costs, as an exact decimal string. */
export interface RateQuote {
  readonly coin: Coin;
  readonly currency: string;
  readonly rate: string;
  readonly sources: readonly string[];
  /** When the oldest contributing source was read, ms. */
  readonly at: number;
}

/** Fiat prices of coins, from memory only: a quote never performs a network call. */
export interface Rates {
  /** @throws {AppError} RATE_UNAVAILABLE when no source is fresh enough; no rate is guessed. */
  quote(coin: Coin, currency: string, mode: 'live' | 'sandbox'): RateQuote;
  /** Waits, for a bounded time, until a currency without a recent quote has been fetched. Never throws. */
  ensure(currency: string): Promise<void>;
}
