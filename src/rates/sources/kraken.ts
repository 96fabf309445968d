import { z } from 'zod';
import { COIN_DEFINITIONS, COINS, type Coin } from '../../domain/coins.ts';
import { positiveDecimal } from '../decimal.ts';
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

const ticker = z.object({ c: z.array(z.string()).min(1) });
const answer = z.object({ error: z.array(z.string()), result: z.record(z.string(), ticker).optional() });

/** https://docs.kraken.com/api/docs/rest-api/get-ticker-information: the last trade of each pair. */
export function kraken(origin = 'https://api.kraken.com'): RateSource {
  return {
    name: 'kraken',
    requests(currencies) {
      return currencies.flatMap((currency) => {
        const asked = COINS.map((coin) => COIN_DEFINITIONS[coin].rates.kraken);
        const pairs = asked.flatMap(({ symbol, currencies: known }) =>
          known.includes(currency) ? [`${symbol}${currency}`] : [],
        );
        return pairs.length === 0 ? [] : [new URL(`/0/public/Ticker?pair=${pairs.join(',')}`, origin)];
      });
    },
    parse(body) {
      const { error, result = {} } = answer.parse(JSON.parse(body));
      if (error.length > 0) throw new Error(`Kraken answered: ${error.join(', ').slice(0, 200)}`);
      return Object.entries(result).flatMap(([pair, { c }]) => priceOf(pair, c[0]));
    },
  };
}

function priceOf(pair: string, lastTrade: string | undefined): SourcePrice[] {
  const known = BY_PAIR.get(pair);
  return known === undefined ? [] : [{ ...known, rate: positiveDecimal.parse(lastTrade), at: null }];
}
