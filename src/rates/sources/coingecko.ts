import { z } from 'zod';
import { COIN_DEFINITIONS, COINS, type Coin } from '../../domain/coins.ts';
import { currencyDigits } from '../../domain/currencies.ts';
import { parseExactJson, positiveDecimal } from '../decimal.ts';
import type { RateSource } from '../source.ts';

const UPDATED_AT = 'last_updated_at';
const answer = z.record(z.string(), z.record(z.string(), z.unknown()));
const seconds = z.string().regex(/^\d{1,12}$/);

/** Keys of a paid plan use another host and another header than those of the free plan. */
const PLANS = {
  demo: { origin: 'https://api.coingecko.com', header: 'x-cg-demo-api-key' },
  pro: { origin: 'https://pro-api.coingecko.com', header: 'x-cg-pro-api-key' },
} as const;

/** Access to CoinGecko. */
export interface CoingeckoAccess {
  readonly plan: keyof typeof PLANS;
  /** Null: without a key, which CoinGecko refuses or limits. */
  readonly apiKey: { reveal(): string } | null;
}

/** https://docs.coingecko.com/reference/simple-price: all coins in all requested currencies at once. */
export function coingecko(
  { plan, apiKey }: CoingeckoAccess = { plan: 'demo', apiKey: null },
  origin: string = PLANS[plan].origin,
): RateSource {
  return {
    name: 'coingecko',
    headers: () => (apiKey === null ? {} : { [PLANS[plan].header]: apiKey.reveal() }),
    requests(currencies) {
      if (currencies.length === 0) return [];
      const url = new URL('/api/v3/simple/price', origin);
      url.searchParams.set('ids', COINS.map(coinId).join(','));
      url.searchParams.set('vs_currencies', currencies.map((currency) => currency.toLowerCase()).join(','));
      url.searchParams.set(`include_${UPDATED_AT}`, 'true');
      url.searchParams.set('precision', 'full');
      return [url];
    },
    parse(body) {
      const byId = answer.parse(parseExactJson(body));
      return COINS.flatMap((coin) => {
        const entry = byId[coinId(coin)] ?? {};
        const at = Number(seconds.parse(entry[UPDATED_AT] ?? '0')) * 1000;
        return Object.entries(entry).flatMap(([key, text]) => {
          const currency = key.toUpperCase();
          const rate = currencyDigits(currency) === null ? undefined : positiveDecimal.safeParse(text).data;
          return rate === undefined ? [] : [{ coin, currency, rate, at }];
        });
      });
    },
  };
}

function coinId(coin: Coin): string {
  return COIN_DEFINITIONS[coin].rates.coingecko;
}
