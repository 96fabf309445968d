import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { FORWARD_PROBLEMS, FORWARD_WAITS } from '../../domain/send/forward.ts';
import {
  dropPendingForward,
  editForward,
  type EditForwardDeps,
  endForward,
  readForwards,
} from '../../usecases/forwards/index.ts';
import { coinAmount } from '../schemas/amounts.ts';
import { timestamp } from '../schemas/answers.ts';
import { coin } from '../schemas/codes.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { directs } from '../schemas/security-marks.ts';
import { identifier, text } from '../schemas/text.ts';
import { defineRoute, type Route } from '../server/route.ts';

const TAGS = ['Wallet'];
const DESCRIPTOR_MAX = 3_000;
/** The account of the test vectors of BIP-84. */
const EXAMPLE_KEY =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
const INTERVAL_MAX_MINUTES = 43_200;

const destination = {
  destination: z.string().nullable().meta({ description: 'One address', example: EXAMPLES.address }),
  descriptor: z
    .string()
    .nullable()
    .meta({ description: 'Of another wallet: each forward goes to a fresh address of it', example: null }),
  addresses: z
    .array(z.string().meta({ example: EXAMPLES.address }))
    .meta({ description: 'The next ones that it pays to: compare them with those that your wallet shows' }),
  nextIndex: z.int().nullable().meta({ description: 'Of the first of them', example: null }),
};

const forward = z
  .object({
    coin: z.enum(COINS),
    sandbox: z.boolean(),
    active: z.boolean(),
    ...destination,
    keep: z.string().meta({ description: 'Always stays in the wallet', example: '0.05' }),
    threshold: z.string().meta({ description: 'The least amount that is forwarded', example: '0.1' }),
    intervalMinutes: z.int().meta({ example: 1440 }),
    status: z.enum([...FORWARD_WAITS, 'due', ...FORWARD_PROBLEMS]).meta({
      description:
        'off; no_destination: the first one has not taken effect; in_flight: the last forward is not in a block; ' +
        'interval; below_threshold; due: made shortly, unless too much of it is promised; the others say why a forward ' +
        'that is due is not made. fee_above_share: it waits until fees fall. above_limit: the limits of the ' +
        'wallet leave less than the threshold. restored: the database is an older copy, so check the destination and set `active` again. gap_limit: too many ' +
        'addresses in a row received nothing',
      example: 'below_threshold',
    }),
    problem: z.string().nullable().meta({ description: 'That reason in words', example: null }),
    pending: z
      .object({ ...destination, takesEffectAt: timestamp() })
      .nullable()
      .meta({ description: 'Another destination, before it takes effect', example: null }),
    gap: z.int().meta({
      description:
        'Addresses in a row that received nothing because their forwards failed; wallets find up to 20',
      example: 0,
    }),
    lastSendId: z.string().nullable().meta({ example: null }),
    lastForwardAt: timestamp().nullable().meta({ example: null }),
    updatedAt: timestamp(),
  })
  .meta({ id: 'WalletForward' });

const ref = { merchantId: identifier().meta({ example: EXAMPLES.merchantId }), coin: coin() };
const EXAMPLE = { merchantId: EXAMPLES.merchantId, coin: 'BTC' } as const;

/** Forwards to cold storage. Only the owner changes them; a session of the dashboard proves itself again. */
export function walletForwardRoutes(deps: EditForwardDeps): Route[] {
  return [listRoute(deps), editRoute(deps), endRoute(deps), dropRoute(deps)];
}

function listRoute(deps: EditForwardDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/forward',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'List forwards to cold storage',
    description:
      'The rule of each coin in the current mode, what it waits for, and a destination that takes effect later.',
    tags: TAGS,
    status: 200,
    errors: [],
    data: z.object({ forwards: z.array(forward) }),
    handler: async ({ auth: { merchant } }) => ({ forwards: await readForwards(deps, merchant) }),
  });
}

function editRoute(deps: EditForwardDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/merchant/wallet/forward',
    auth: 'jwt',
    scope: 'never',
    changesAccess: true,
    summary: 'Forward a coin to cold storage',
    description:
      'For the owner. Makes or changes the rule of a coin; omitted fields stay. What is confirmed, not kept and not ' +
      'promised by refund links, claims and sends that wait for an approval is sent once it reaches the threshold, at ' +
      'most once per interval, the fee taken out of it. A new destination takes effect after a delay (24 hours), of ' +
      'which the people of the shop are notified by email; until then the previous one applies. All other changes take ' +
      'effect at once.',
    tags: TAGS,
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'COIN_UNAVAILABLE'],
    body: z.object({
      ...ref,
      destination: directs(text()).optional().meta({ example: EXAMPLES.address }),
      descriptor: directs(text({ max: DESCRIPTOR_MAX }))
        .optional()
        .meta({
          description:
            'BTC and LTC, instead of an address: an extended public key (xpub, ypub, zpub and the like) or an output ' +
            'descriptor with its checksum: pkh, wpkh, sh(wpkh), tr, wsh(sortedmulti), wsh(multi)',
          example: EXAMPLE_KEY,
        }),
      keep: text({ max: 64 })
        .optional()
        .meta({ description: 'Defaults to 0 in a new rule', example: '0.05' }),
      threshold: coinAmount().optional().meta({ description: 'Required in a new rule', example: '0.1' }),
      intervalMinutes: z
        .int()
        .min(1)
        .max(INTERVAL_MAX_MINUTES)
        .optional()
        .meta({ description: 'Defaults to 60 in a new rule', example: 1440 }),
      active: z.boolean().optional(),
    }),
    example: {
      body: {
        ...EXAMPLE,
        destination: EXAMPLES.address,
        keep: '0.05',
        threshold: '0.1',
        intervalMinutes: 1440,
      },
    },
    data: forward,
    handler: async ({ auth, body, storeAnswer }) =>
      editForward(deps, { ...body, userId: auth.userId }, storeAnswer),
  });
}

function endRoute(deps: EditForwardDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/wallet/forward',
    auth: 'jwt',
    scope: 'never',
    changesAccess: true,
    summary: 'Stop forwarding a coin',
    description:
      'For the owner. Deletes the rule and its pending destination. Addresses of a descriptor that were used are never ' +
      'used again.',
    tags: TAGS,
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'COIN_UNAVAILABLE'],
    body: z.object(ref),
    example: { body: EXAMPLE },
    data: z.object({ deleted: z.boolean().meta({ description: 'Whether there was a rule' }) }),
    handler: async ({ auth, body, storeAnswer }) =>
      endForward(deps, { ...body, userId: auth.userId }, storeAnswer),
  });
}

function dropRoute(deps: EditForwardDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/wallet/forward/pending',
    auth: 'jwt',
    scope: 'never',
    changesAccess: true,
    summary: 'Drop a pending destination of a forward',
    description:
      'For the owner. The destination in force stays. The link of the email does the same without signing in.',
    tags: TAGS,
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'COIN_UNAVAILABLE', 'INVALID_STATE'],
    body: z.object(ref),
    example: { body: EXAMPLE },
    data: forward,
    handler: async ({ auth, body, storeAnswer }) =>
      dropPendingForward(deps, { ...body, userId: auth.userId }, storeAnswer),
  });
}
