import { z } from 'zod';
import { COINS, MODES } from '../../domain/coins.ts';
import { readTreasury, type TreasuryDeps } from '../../usecases/treasury/index.ts';
import { coin } from '../schemas/codes.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { modeQuery } from '../schemas/query.ts';
import { defineRoute, type Route } from '../server/route.ts';

const valued = z
  .object({
    amount: z.string().meta({ description: 'In the coin', example: '0.5' }),
    fiatAmount: z.string().nullable().meta({
      description: 'Its value now in `currency`; null while no exchange rate is known',
      example: '31250',
    }),
  })
  .meta({ id: 'ValuedAmount' });

const held = z.object({ confirmed: valued, unconfirmed: valued });

const dayLimit = {
  spent: z
    .string()
    .nullable()
    .meta({
      description:
        'What the limit counts since the start of the day of the shop; null: unknown, without an exchange rate or after a ' +
        'restore on this day',
      example: '180',
    }),
  limit: z.string().nullable().meta({ description: 'Null: no limit per day', example: '500' }),
  currency: z.string().meta({ example: 'EUR' }),
};

const data = z
  .object({
    mode: z.enum(MODES),
    currency: z.string().meta({ description: 'Of the limits, or else of the shop', example: 'EUR' }),
    timeZone: z.string().meta({ description: 'Of the days of the shop', example: 'Europe/Berlin' }),
    coins: z.array(
      z.object({
        coin: z.enum(COINS),
        hot: held.meta({
          description:
            "On the till's own account, for which it signs. `confirmed`: in blocks, and not spent by any, with frozen " +
            'and reserved money; `unconfirmed`: received from others, not in a block yet',
        }),
        watched: held.meta({ description: 'On watched accounts, whose keys are elsewhere' }),
        promised: valued.nullable().meta({
          description:
            'What may still leave: open refund links and claims, sends that wait for an approval, and sends in no ' +
            'block yet, with their fees; null while the amount of a link is unknown',
        }),
        forwarded: z
          .object({ total: valued, last30Days: valued })
          .meta({ description: 'Sent to cold storage by confirmed forwards' }),
      }),
    ),
    today: z.object({
      date: z.string().meta({ format: 'date', examples: ['2026-01-31'] }),
      ...dayLimit,
      keys: z
        .array(
          z.object({
            id: z.string().meta({ example: EXAMPLES.keyId }),
            name: z.string().meta({ example: 'Refund robot' }),
            ...dayLimit,
          }),
        )
        .meta({ description: 'Restricted keys with a limit per day' }),
    }),
    days: z
      .array(
        z.object({
          date: z.string().meta({ format: 'date', examples: ['2026-01-31'] }),
          fiatIn: z.string().nullable().meta({ example: '1250.5' }),
          fiatOut: z.string().nullable().meta({ example: '300' }),
          coins: z.array(
            z.object({
              coin: coin(),
              in: z.string().meta({ example: '0.02' }),
              out: z.string().meta({ example: '0.0048' }),
            }),
          ),
        }),
      )
      .meta({
        description:
          'The last 30 days of the shop, today last, by the books: payments and deposits in; refunds, sends and network ' +
          'fees out. `fiatIn` and `fiatOut` value a day at the rate of now',
      }),
  })
  .meta({ id: 'Treasury' });

/** What a shop holds and where, for its treasurer. */
export function treasuryRoute(deps: TreasuryDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/treasury',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'Read the treasury',
    description:
      'What each coin of the shop holds and where, what is promised and was forwarded, how much of the limits per day is ' +
      'used, and 30 days of money in and out.',
    tags: ['Wallet'],
    status: 200,
    errors: [],
    query: z.object({ mode: modeQuery().meta({ example: 'sandbox' }) }),
    data,
    handler: async ({ auth: { merchant }, query: { mode } }) => readTreasury(deps, { merchant, mode }),
  });
}
