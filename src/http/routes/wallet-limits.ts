import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { RAISES } from '../../domain/send/limit-change.ts';
import { dropPendingLimits, editLimits, type LimitsDeps, readLimits } from '../../usecases/wallet/index.ts';
import { limitAmount } from '../schemas/amounts.ts';
import { timestamp } from '../schemas/answers.ts';
import { coin, currency } from '../schemas/codes.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { directs } from '../schemas/security-marks.ts';
import { identifier, text } from '../schemas/text.ts';
import { defineRoute, type Route } from '../server/route.ts';

const TAGS = ['Wallet'];
const LIST_MAX = 200;
const APPROVERS_MAX = 20;

const amount = z
  .object({ amount: z.string().meta({ example: '500' }), currency: z.string().meta({ example: 'EUR' }) })
  .nullable();

const allowed = z.object({
  coin: z.enum(COINS),
  destination: z.string().meta({ example: EXAMPLES.address }),
  label: z.string().meta({ example: 'Cold storage' }),
});

const limitsData = z
  .object({
    perSend: amount.meta({ description: 'Inclusive; null: no limit' }),
    perDay: amount.meta({ description: 'Of all that leaves on a calendar day of the shop; null: no limit' }),
    allowList: z
      .array(allowed)
      .nullable()
      .meta({ description: 'The destinations that need no approval; null: all' }),
    approvers: z.array(z.string().meta({ example: EXAMPLES.userId })).meta({
      description: 'Users who approve, with a second factor; empty: the owner',
    }),
    confirmed: z.boolean().meta({
      description:
        'False after a restore, until the owner confirms the limits: each send waits for an approval',
    }),
    pending: z
      .array(
        z.object({
          part: z.enum(RAISES),
          takesEffectAt: timestamp(),
          amount,
          destination: allowed.nullable(),
          approvers: z.array(z.string()).nullable().meta({ example: null }),
        }),
      )
      .meta({
        description:
          'What takes effect later, each with its value: an amount, or null for no limit; an address that is added to ' +
          'the list, or null for no list; approvers; the confirmation of limits after a restore',
        example: [],
      }),
  })
  .meta({ id: 'WalletLimits' });

/** Limits of what leaves a wallet without an approval. */
export function walletLimitsRoutes(deps: LimitsDeps): Route[] {
  return [readRoute(deps), editRoute(deps), dropRoute(deps)];
}

function readRoute(deps: LimitsDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/limits',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'Read the limits of the wallet',
    description: 'What may leave without an approval, and the changes that take effect later.',
    tags: TAGS,
    status: 200,
    errors: [],
    data: limitsData,
    handler: async ({ auth }) => readLimits(deps, auth.merchantId),
  });
}

function editRoute(deps: LimitsDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/merchant/wallet/limits',
    auth: 'jwt',
    scope: 'never',
    changesAccess: true,
    summary: 'Change the limits of the wallet',
    description:
      'For the owner. Sends, refunds and claims above a limit, or to a destination that is not on the list, wait for an ' +
      'approval; network fees count only as far as `maxFee` exceeds the usual share of the amount. Omitted fields stay, null lifts a limit. A lower limit, the first one and a ' +
      'removed address take effect at once; a higher one, none, an added address and other approvers after a delay (24 ' +
      'hours), and are `pending` until then. After a restore, any change confirms the limits, also an empty one: at once ' +
      'in the dashboard by the second factor, else after the delay.',
    tags: TAGS,
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'COIN_UNAVAILABLE'],
    body: z.object({
      merchantId: identifier().meta({ example: EXAMPLES.merchantId }),
      currency: currency()
        .optional()
        .meta({ description: "Of the amounts; defaults to the shop's currency" }),
      perSend: limitAmount().nullable().optional(),
      perDay: limitAmount().nullable().optional(),
      allowList: z
        .array(
          z.object({
            coin: coin(),
            destination: directs(text()).meta({ example: EXAMPLES.address }),
            label: text({ min: 0, max: 100 }).default('').meta({ example: 'Cold storage' }),
          }),
        )
        .max(LIST_MAX)
        .nullable()
        .optional()
        .meta({
          description: 'The whole list; added addresses are those of the current mode of the shop',
          examples: [null],
        }),
      approvers: z
        .array(identifier())
        .max(APPROVERS_MAX)
        .optional()
        .meta({
          description:
            'Ids of the owner or of members whose role may read the wallet; each needs an authenticator app',
          examples: [[]],
        }),
    }),
    example: {
      body: { merchantId: EXAMPLES.merchantId, currency: 'EUR', perSend: '500', perDay: '2000' },
    },
    data: limitsData,
    handler: async ({ auth, body }) =>
      editLimits(deps, { ...body, userId: auth.userId, sessionId: auth.sessionId }),
  });
}

function dropRoute(deps: LimitsDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/wallet/limits/pending',
    auth: 'jwt',
    scope: 'never',
    changesAccess: true,
    summary: 'Drop pending changes of the limits',
    description:
      'For the owner. Changes that have not taken effect are forgotten: those of one part, or all.',
    tags: TAGS,
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN'],
    body: z.object({
      merchantId: identifier().meta({ example: EXAMPLES.merchantId }),
      part: z.enum(RAISES).optional(),
    }),
    example: { body: { merchantId: EXAMPLES.merchantId } },
    data: limitsData,
    handler: async ({ auth, body: { merchantId, part = null } }) =>
      dropPendingLimits(deps, { userId: auth.userId, merchantId, part }),
  });
}
