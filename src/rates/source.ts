import type { Coin } from '../domain/coins.ts';

/** One public price source. Does no I/O: it builds the requests and parses the responses. */
export interface RateSource {
  readonly name: string;
  /** What to fetch for these currencies; empty when the source has none of them. */
  requests(currencies: readonly string[]): readonly URL[];
  /** Additional request headers: an API key. Secret. */
  headers?(): Readonly<Record<string, string>>;
  /**
   * Parses one response. Pure.
   * @throws if the response is not of the expected form.
   */
  parse(body: string): readonly SourcePrice[];
}

/** Price of one coin from one source. */
export interface SourcePrice {
  readonly coin: Coin;
  readonly currency: string;
  /** Positive decimal, exactly as the source wrote it. */
  readonly rate: string;
  /** Time of the price from the source itself, ms; null if it has none. */
  readonly at: number | null;
}
