import { z } from 'zod';
import {
  type FreezeDeps,
  type FreezeView,
  freezeWallet,
  getFreeze,
  unfreezeWallet,
} from '../../usecases/wallet/index.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { identifier, visibleText } from '../schemas/text.ts';
import { defineRoute, type Route } from '../server/route.ts';

const TAGS = ['Wallet'];
const REASON_MAX = 200;

const freezeData = z
  .object({
    frozen: z.boolean(),
    byOperator: z.boolean().meta({
      description: 'All wallets of this server are frozen: only its operator can unfreeze them',
      example: false,
    }),
    frozenAt: timestamp().nullable(),
    frozenBy: z
      .string()
      .nullable()
      .meta({ description: 'The email address, key or command that froze it', example: EXAMPLES.email }),
    reason: z.string().nullable().meta({ example: 'A key was stolen' }),
  })
  .meta({ id: 'WalletFreeze' });

const answer = ({ frozenAt, ...freeze }: FreezeView) => ({
  ...freeze,
  frozenAt: frozenAt === null ? null : isoTime(frozenAt),
});

/** Freezing a wallet in an emergency. */
export function walletFreezeRoutes(deps: FreezeDeps): Route[] {
  return [stateRoute(deps), freezeRoute(deps), unfreezeRoute(deps)];
}

function stateRoute({ db }: FreezeDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/freeze',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'Read whether the wallet is frozen',
    description: 'Whether sends are refused, since when, by whom and why.',
    tags: TAGS,
    status: 200,
    errors: [],
    data: freezeData,
    handler: async ({ auth }) => answer(await getFreeze(db, auth.merchantId)),
  });
}

function freezeRoute(deps: FreezeDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/freeze',
    movesMoney: false,
    recorded: true,
    auth: 'merchant',
    scope: 'wallet:send',
    summary: 'Freeze the wallet',
    description:
      'For an emergency, such as a stolen key: from now on nothing is signed. Sends, refunds, fee bumps and ' +
      'consolidations return 409 `WALLET_FROZEN`, claims on refund links and automatic moves wait, in both modes. ' +
      'Transactions that are signed already may still be mined; cancel them. Payments are still accepted. Only the ' +
      'owner unfreezes, in the dashboard, with the password or second factor.',
    tags: TAGS,
    status: 200,
    errors: [],
    body: z.object({
      reason: visibleText({ max: REASON_MAX })
        .optional()
        .meta({ examples: ['A key was stolen'] }),
    }),
    data: freezeData,
    handler: async ({ auth, body: { reason = null } }) => {
      const { merchantId, actor } = auth;
      return answer(await freezeWallet(deps, { merchantId, actor, reason }));
    },
  });
}

/** Accepts sessions of the dashboard only: a key or token may be the reason for the freeze. */
function unfreezeRoute(deps: FreezeDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/unfreeze',
    auth: 'jwt',
    scope: 'never',
    dashboardOnly: true,
    changesAccess: true,
    summary: 'Unfreeze the wallet',
    description: 'For the owner. Does not end a freeze by the operator.',
    tags: TAGS,
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN'],
    body: z.object({ merchantId: identifier().meta({ example: EXAMPLES.merchantId }) }),
    data: freezeData,
    handler: async ({ auth, body }) =>
      answer(await unfreezeWallet(deps, { userId: auth.userId, merchantId: body.merchantId })),
  });
}
