import { z } from 'zod';
import { asCoin } from '../../domain/coins.ts';
import { priceFromOrderBook } from '../order-book-price.ts';
import type { RateSource } from '../source.ts';

const CURRENCIES: ReadonlySet<string> = new Set(['USD', 'EUR', 'GBP']);

const ticker = z.object({
  pair: z.string(),
  last: z.unknown(),
  bid: z.unknown(),
  ask: z.unknown(),
  timestamp: z.string().regex(/^\d{1,12}$/),
});
const answer = z.array(z.unknown());

/** https://www.bitstamp.net/api/#tag/Tickers: all pairs in one answer; the last trade of each within its bid and ask. */
export function bitstamp(origin = 'https://www.bitstamp.net'): RateSource {
  return {
    name: 'bitstamp',
    requests: (currencies) =>
      currencies.some((currency) => CURRENCIES.has(currency)) ? [new URL('/api/v2/ticker/', origin)] : [],
    parse(body) {
      return answer.parse(JSON.parse(body)).flatMap((item) => {
        const entry = ticker.safeParse(item).data;
        const [symbol = '', currency = ''] = entry?.pair.split('/') ?? [];
        const coin = asCoin(symbol);
        if (entry === undefined || coin === null || !CURRENCIES.has(currency)) return [];
        const rate = priceFromOrderBook(entry);
        return rate === null ? [] : [{ coin, currency, rate, at: Number(entry.timestamp) * 1000 }];
      });
    },
  };
}
