import { z } from 'zod';
import { asCoin, type Coin } from '../../domain/coins.ts';
import { positiveDecimal } from '../decimal.ts';
import type { RateSource, SourcePrice } from '../source.ts';

/** Fiat pairs by coin. An unknown pair fails the whole request, so only long-standing ones are asked. */
const CURRENCIES: Readonly<Record<Coin, readonly string[]>> = {
  BTC: ['USD', 'EUR', 'GBP', 'CAD', 'JPY', 'CHF', 'AUD'],
  ETH: ['USD', 'EUR', 'GBP', 'CAD', 'JPY', 'CHF', 'AUD'],
  LTC: ['USD', 'EUR'],
  SOL: ['USD', 'EUR'],
};
const COINS_ASKED: readonly Coin[] = ['BTC', 'ETH', 'LTC', 'SOL'];

/** Kraken writes XXBTZUSD, XETHZEUR, XLTCZUSD for old pairs and SOLUSD, XBTCHF for younger ones. */
const PAIR = /^X?(XBT|ETH|LTC|SOL)Z?(USD|EUR|GBP|CAD|JPY|CHF|AUD)$/;

const ticker = z.object({ c: z.array(z.string()).min(1) });
const answer = z.object({ error: z.array(z.string()), result: z.record(z.string(), ticker).optional() });

/** https://docs.kraken.com/api/docs/rest-api/get-ticker-information: the last trade of each pair. */
export function kraken(origin = 'https://api.kraken.com'): RateSource {
  return {
    name: 'kraken',
    requests(currencies) {
      return currencies.flatMap((currency) => {
        const coins = COINS_ASKED.filter((coin) => CURRENCIES[coin].includes(currency));
        const pairs = coins.map((coin) => `${coin === 'BTC' ? 'XBT' : coin}${currency}`);
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
  const [, symbol = '', currency = ''] = PAIR.exec(pair) ?? [];
  const coin = asCoin(symbol === 'XBT' ? 'BTC' : symbol);
  if (coin === null) return [];
  return [{ coin, currency, rate: positiveDecimal.parse(lastTrade), at: null }];
}
