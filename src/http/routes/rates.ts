import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { merchantMode } from '../../usecases/access/index.ts';
import { getRates, type GetRatesDeps } from '../../usecases/rates/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { currency } from '../schemas/codes.ts';
import { readExample } from '../schemas/example-values.ts';
import { modeQuery } from '../schemas/query.ts';

const rate = z.object({
  rate: z.string().meta({ description: 'Price of one whole coin in the currency', examples: ['100000'] }),
  sources: z
    .array(z.string())
    .meta({ description: 'Sources of the price', examples: [['kraken', 'coinbase']] }),
  at: timestamp().meta({ description: 'When the oldest of these sources was read' }),
});

/** Current exchange rates. */
export function rateRoutes(deps: GetRatesDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/rates',
      summary: 'Read the current rates',
      description:
        'Price of one whole coin, as a payment created now would lock it. Coins without a known price are omitted.',
      tags: ['Rates'],
      auth: 'payer',
      scope: 'any',
      status: 200,
      query: z.object({
        mode: modeQuery().meta({ example: 'sandbox' }),
        currency: currency().default('USD'),
      }),
      data: z.object({
        rates: z
          .partialRecord(z.enum(COINS), rate)
          .meta({ example: { BTC: readExample(rate), ETH: readExample(rate, { rate: '4000' }) } }),
      }),
      errors: ['RATE_UNAVAILABLE'],
      handler: async ({ auth, query }) => {
        const mode = merchantMode(auth.merchant, query.mode);
        const quotes = await getRates(deps, { currency: query.currency, mode });
        const rates = Object.entries(quotes).map(([coin, { rate, sources, at }]) => [
          coin,
          { rate, sources, at: isoTime(at) },
        ]);
        return { rates: Object.fromEntries(rates) };
      },
    }),
  ];
}
