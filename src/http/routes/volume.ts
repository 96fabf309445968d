import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { merchantMode } from '../../usecases/access/index.ts';
import { readVolume } from '../../usecases/shops/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { dayQuery, ianaZone, modeQuery } from '../schemas/query.ts';

const coin = z.enum(COINS);
const payments = z.int().meta({ description: 'How many payments', example: 12 });

const volume = {
  coins: z
    .array(z.object({ coin, amount: z.string().meta({ example: '0.000499' }), payments }))
    .meta({ description: 'Confirmed money that arrived, in coins' }),
  fiat: z
    .array(
      z.object({
        currency: z.string().meta({ example: 'USD' }),
        coin: coin
          .nullable()
          .meta({ description: 'What these payments were paid in; null: several coins, or none' }),
        amount: z.string().meta({ example: '49.90' }),
        payments,
      }),
    )
    .meta({ description: 'Prices of the payments, by currency and coin' }),
};

const volumeDay = z
  .object({
    date: z.string().meta({ format: 'date', examples: ['2026-01-31'] }),
    ...volume,
  })
  .meta({ id: 'VolumeDay' });

/** The received volume of a merchant, by day. */
export function volumeRoutes(deps: { readonly db: Db; readonly clock: Clock }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/merchant/volume',
      summary: 'Volume by day, coin and currency',
      description:
        'Volume of completed payments in one mode of the merchant, by the day they were created: exact sums, with an ' +
        'entry for each day. Refunded payments do not count. At most 366 days; the last 30 by default.',
      tags: ['Payments'],
      auth: 'merchant',
      scope: 'payments:read',
      status: 200,
      errors: [],
      query: z.object({
        mode: modeQuery().meta({ example: 'sandbox' }),
        startDate: dayQuery().optional(),
        endDate: dayQuery().optional(),
        timezone: ianaZone().default('UTC').meta({ description: 'IANA time zone whose days these are' }),
      }),
      example: {
        query: { startDate: '2026-01-01', endDate: '2026-01-31', timezone: 'Europe/Berlin' },
        data: {
          days: [
            {
              date: '2026-01-31',
              coins: [{ coin: 'BTC', amount: '0.0251', payments: 3 }],
              fiat: [{ currency: 'USD', coin: 'BTC', amount: '2510.00', payments: 3 }],
            },
          ],
          totals: {
            coins: [{ coin: 'BTC', amount: '0.0251', payments: 3 }],
            fiat: [{ currency: 'USD', coin: 'BTC', amount: '2510.00', payments: 3 }],
          },
        },
      },
      data: z.object({ days: z.array(volumeDay), totals: z.object(volume) }),
      handler: async ({ auth, query }) =>
        readVolume(deps, {
          merchantId: auth.merchantId,
          mode: merchantMode(auth.merchant, query.mode),
          first: query.startDate,
          last: query.endDate,
          timeZone: query.timezone,
        }),
    }),
  ];
}
