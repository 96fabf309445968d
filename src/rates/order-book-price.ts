import { Big } from 'big.js';
import { positiveDecimal } from './decimal.ts';

/** An exchange's prices of a pair, unparsed. */
interface BookQuote {
  readonly last: unknown;
  readonly bid: unknown;
  readonly ask: unknown;
}

/** Maximum spread, percent of the bid; above it the pair is too illiquid for a price. */
const MAX_SPREAD_PERCENT = 5;

/**
 * The current price of a pair. The last trade of an illiquid pair may be hours old, so it counts only if it
 * is between the current bid and ask; otherwise the nearer of the two is the price. Null if the book is
 * empty, crossed or its spread too wide.
 */
export function priceFromOrderBook({ last, bid, ask }: BookQuote): string | null {
  const [low, high] = [positiveDecimal.safeParse(bid).data, positiveDecimal.safeParse(ask).data];
  const trade = positiveDecimal.safeParse(last).data;
  if (low === undefined || high === undefined || trade === undefined) return null;
  const spread = new Big(high).minus(low);
  if (spread.lt(0) || spread.times(100).gt(new Big(low).times(MAX_SPREAD_PERCENT))) return null;
  if (new Big(trade).lt(low)) return low;
  return new Big(trade).gt(high) ? high : trade;
}
