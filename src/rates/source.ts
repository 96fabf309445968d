import type { Coin } from '../domain/coins.ts';

/** One public price list. Asks nothing itself: it names the requests and reads the answers. */
export interface RateSource {
  readonly name: string;
  /** What to fetch for these currencies; empty when the source has none of them. */
  requests(currencies: readonly string[]): readonly URL[];
  /** What its requests carry beside the usual headers: a key. Secret. */
  headers?(): Readonly<Record<string, string>>;
  /**
   * Reads one answer. Pure.
   * @throws when the answer is not of the expected shape.
   */
  parse(body: string): readonly SourcePrice[];
}

/** What one coin costs by one source. */
export interface SourcePrice {
  readonly coin: Coin;
  readonly currency: string;
  /** Positive decimal, exactly as the source wrote it. */
  readonly rate: string;
  /** When the source itself says the price was made, ms; null when it does not. */
  readonly at: number | null;
}
