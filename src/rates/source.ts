import type { Coin } from '../domain/coins.ts';

/** One public price source. Does no I/O itself: it names the requests and parses the answers. */
export interface RateSource {
  readonly name: string;
  /** What to fetch for these currencies; empty when the source has none of them. */
  requests(currencies: readonly string[]): readonly URL[];
  /** Additional request headers: an API key. Secret. */
  headers?(): Readonly<Record<string, string>>;
  /**
   * Reads one answer. Pure.
   * @throws when the answer is not of the expected shape.
   */
  parse(body: string): readonly SourcePrice[];
}

/** Price of one coin by one source. */
export interface SourcePrice {
  readonly coin: Coin;
  readonly currency: string;
  /** Positive decimal, exactly as the source wrote it. */
  readonly rate: string;
  /** Time of the price by the source itself, ms; null when it gives none. */
  readonly at: number | null;
}
