import { z } from 'zod';
import { COIN_DEFINITIONS, COINS, type Coin } from '../../domain/coins.ts';
import { priceFromOrderBook } from '../order-book-price.ts';
import type { RateSource, SourcePrice } from '../source.ts';

/** Kraken writes XXBTZUSD, XETHZEUR, XLTCZUSD for old pairs and SOLUSD, XBTCHF for younger ones. */
const BY_PAIR: ReadonlyMap<string, { readonly coin: Coin; readonly currency: string }> = new Map(
  COINS.flatMap((coin) => {
    const { symbol, currencies } = COIN_DEFINITIONS[coin].rates.kraken;
    return currencies.flatMap((currency) =>
      [`${symbol}${currency}`, `X${symbol}Z${currency}`].map((pair) => [pair, { coin, currency }] as const),
    );
  }),
);

/** The best ask and bid, and the last trade, each with its volume. */
const side = z.array(z.string()).min(1);
const ticker = z.object({ a: side, b: side, c: side });
const answer = z.object({ error: z.array(z.string()), result: z.record(z.string(), z.unknown()).optional() });

/** https://docs.kraken.com/api/docs/rest-api/get-ticker-information: the last trade of each pair within its bid and ask. */
export function kraken(origin = 'https://api.kraken.com'): RateSource {
  return {
    name: 'kraken',
    requests(currencies) {
      return currencies.flatMap((currency) => {
        const pairsByCoin = COINS.map((coin) => COIN_DEFINITIONS[coin].rates.kraken);
        const pairs = pairsByCoin.flatMap(({ symbol, currencies: known }) =>
          known.includes(currency) ? [`${symbol}${currency}`] : [],
        );
        return pairs.length === 0 ? [] : [new URL(`/0/public/Ticker?pair=${pairs.join(',')}`, origin)];
      });
    },
    parse(body) {
      const { error, result = {} } = answer.parse(JSON.parse(body));
      if (error.length > 0) throw new Error(`Kraken answered: ${error.join(', ').slice(0, 200)}`);
      return Object.entries(result).flatMap(([pair, entry]) => readPrice(pair, ticker.safeParse(entry).data));
    },
  };
}

/** The ticker does not date the last trade. A pair of another form spoils no other. */
function readPrice(pair: string, quoted: z.infer<typeof ticker> | undefined): SourcePrice[] {
  const known = BY_PAIR.get(pair);
  if (known === undefined || quoted === undefined) return [];
  const rate = priceFromOrderBook({ last: quoted.c[0], bid: quoted.b[0], ask: quoted.a[0] });
  return rate === null ? [] : [{ ...known, rate, at: null }];
}
