import { z } from 'zod';
import { READINESS } from '../../domain/coin-readiness.ts';
import { COINS } from '../../domain/coins.ts';
import { readSetup, type ReadSetupDeps, SETUP_REASONS, SETUP_STEPS } from '../../usecases/shops/index.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { defineRoute, type Route } from '../server/route.ts';

const step = z.object({
  name: z.enum(SETUP_STEPS),
  done: z.boolean(),
  at: timestamp().nullable().meta({ description: 'Time since which it is done, or of the last occurrence' }),
  reason: z.enum(SETUP_REASONS).nullable(),
});

const coinReadiness = z
  .object({
    coin: z.enum(COINS),
    state: z.enum(READINESS).meta({ description: 'Only `ready` accepts real money' }),
    height: z.int().nullable().meta({ description: 'Block read so far', example: 925_000 }),
    lag: z.int().nullable().meta({ description: 'Blocks left to read', example: 1200 }),
    message: z.string().meta({ example: 'its node is still syncing at block 925000, 1200 to go' }),
  })
  .meta({ id: 'CoinReadiness' });

/** The remaining steps of a shop before it goes live. */
export function setupRoutes(deps: ReadSetupDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/merchant/setup',
      summary: 'Read what is set up',
      description:
        'Steps to do before accepting real money, each derived from facts: a payment completed in the sandbox, a ' +
        'webhook endpoint that answered, the domain verified, a second factor or passkey of the user (with a key: of ' +
        'its owner), scheduled backups of this server that are recent, a node in step with its network. `coins` ' +
        'shows for each coin whether it can be accepted live, and if not, why.',
      tags: ['Merchants'],
      auth: 'merchant',
      scope: 'never',
      status: 200,
      errors: [],
      example: {
        data: {
          hasLivePayment: false,
          steps: [
            { name: 'test_payment', done: true, at: null, reason: null },
            { name: 'webhook', done: false, at: null, reason: 'no_answer' },
          ],
          coins: [
            {
              coin: 'BTC',
              state: 'syncing',
              height: 925_000,
              lag: 1_200,
              message: 'its node is still syncing at block 925000, 1200 to go',
            },
          ],
        },
      },
      data: z.object({
        hasLivePayment: z.boolean().meta({ description: 'Whether a live payment was completed' }),
        steps: z.array(step),
        coins: z.array(coinReadiness),
      }),
      handler: async ({ auth }) => {
        const { steps, ...rest } = await readSetup(deps, { merchant: auth.merchant, userId: auth.userId });
        return {
          ...rest,
          steps: steps.map((one) => ({ ...one, at: one.at === null ? null : isoTime(one.at) })),
        };
      },
    }),
  ];
}
