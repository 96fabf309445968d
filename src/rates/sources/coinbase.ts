import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { currencyDigits } from '../../domain/currencies.ts';
import { positiveDecimal } from '../decimal.ts';
import type { RateSource } from '../source.ts';

const answer = z.object({
  data: z.object({ currency: z.enum(COINS), rates: z.record(z.string(), z.unknown()) }),
});

/** https://docs.cdp.coinbase.com/coinbase-app/track-apis/exchange-rates: one coin in every currency. */
export function coinbase(origin = 'https://api.coinbase.com'): RateSource {
  return {
    name: 'coinbase',
    requests: (currencies) =>
      currencies.length === 0
        ? []
        : COINS.map((coin) => new URL(`/v2/exchange-rates?currency=${coin}`, origin)),
    parse(body) {
      const { currency: coin, rates } = answer.parse(JSON.parse(body)).data;
      // The list contains hundreds of coins in addition to fiat currencies; an invalid one must not affect the others.
      return Object.entries(rates).flatMap(([currency, text]) => {
        const rate = currencyDigits(currency) === null ? undefined : positiveDecimal.safeParse(text).data;
        return rate === undefined ? [] : [{ coin, currency, rate, at: null }];
      });
    },
  };
}
