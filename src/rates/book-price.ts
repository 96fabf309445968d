import { Big } from 'big.js';
import { positiveDecimal } from './decimal.ts';

/** What an exchange tells of a pair, as it wrote it. */
interface BookQuote {
  readonly last: unknown;
  readonly bid: unknown;
  readonly ask: unknown;
}

/** A wider spread is no price: too few trade the pair. Percent of the bid. */
const MAX_SPREAD_PERCENT = 5;

/**
 * The price of a pair now. The last trade may be hours old where few trade: it counts only between the bid and the ask, which
 * are now; else the nearer of them does. Null where the book is empty, crossed or too wide to
 * tell a price.
 */
export function priceInBook({ last, bid, ask }: BookQuote): string | null {
  const [low, high] = [positiveDecimal.safeParse(bid).data, positiveDecimal.safeParse(ask).data];
  const trade = positiveDecimal.safeParse(last).data;
  if (low === undefined || high === undefined || trade === undefined) return null;
  const spread = new Big(high).minus(low);
  if (spread.lt(0) || spread.times(100).gt(new Big(low).times(MAX_SPREAD_PERCENT))) return null;
  if (new Big(trade).lt(low)) return low;
  return new Big(trade).gt(high) ? high : trade;
}
