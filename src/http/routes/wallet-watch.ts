import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import {
  confirmWatch,
  dropPendingWatch,
  endWatch,
  LIST_MAX,
  listWatched,
  proposeList,
  proposeWatch,
  WATCH_STATES,
  type WatchDeps,
} from '../../usecases/watch/index.ts';
import { timestamp } from '../schemas/answers.ts';
import { coin } from '../schemas/codes.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { directs } from '../schemas/security-marks.ts';
import { identifier, text } from '../schemas/text.ts';
import { defineRoute, type Route } from '../server/route.ts';

const TAGS = ['Wallet'];
const DESCRIPTOR_MAX = 3_000;
const KEY_MAX = 120;
const PATH_MAX = 60;
const ADDRESS_MAX = 64;
/** The address of the examples of EIP-55. */
const EXAMPLE_ETH = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const EXAMPLE_ID = 'wat_2kX9vTq4ZbL7';
/** The account of the test vectors of BIP-84. */
const EXAMPLE_KEY =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';

const account = z
  .object({
    id: z.string().meta({ example: EXAMPLE_ID }),
    coin: z.enum(COINS),
    sandbox: z.boolean(),
    state: z.enum(WATCH_STATES).meta({
      description:
        'proposed: not confirmed yet; pending: it takes effect later; active: new orders are paid to it; ended: they are ' +
        'not, though it may hold money',
      example: 'proposed',
    }),
    active: z.boolean().meta({ example: false }),
    descriptor: z.string().nullable().meta({
      description:
        'Output descriptor of both branches (BIP 389); `0` is for payments, `1` for change. null for a list',
      example: 'wpkh([73c5da0a/84h/0h/0h]xpub…/<0;1>/*)#…',
    }),
    list: z
      .object({
        size: z.int().meta({ example: 1_000 }),
        remaining: z.int().meta({ description: 'Addresses that no order has yet', example: 950 }),
        last: z.string().meta({ description: 'Its last address', example: EXAMPLES.address }),
      })
      .nullable()
      .meta({ description: 'Of a list of addresses (ETH and SOL)', example: null }),
    addresses: z.array(z.string().meta({ example: EXAMPLES.address })).meta({
      description:
        'Its next five addresses, fewer at the end of a list: compare them with those that its own wallet shows',
    }),
    nextIndex: z.int().meta({ description: 'Of the first of them', example: 0 }),
    takesEffectAt: timestamp().nullable().meta({ example: null }),
    balance: z.string().meta({ description: 'Confirmed money on it', example: '0.25' }),
    unconfirmed: z.string().meta({ example: '0' }),
    gap: z.int().meta({
      description:
        'Addresses in a row that were given out and received nothing; many wallets find only the first 20 of them, so ' +
        'raise the gap limit of the wallet above this figure',
      example: 0,
    }),
    changeGap: z.int().meta({
      description:
        'The same of its change addresses: sends from it that were not signed leave them without money',
      example: 0,
    }),
    createdAt: timestamp(),
  })
  .meta({ id: 'WatchAccount' });

const ref = { merchantId: identifier().meta({ example: EXAMPLES.merchantId }), coin: coin() };
const EXAMPLE = { merchantId: EXAMPLES.merchantId, coin: 'BTC' } as const;
const OWNER_ERRORS = ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'COIN_UNAVAILABLE'] as const;

/** Watched accounts. Only the owner changes them; a session of the dashboard proves itself again. */
export function walletWatchRoutes(deps: WatchDeps): Route[] {
  return [listRoute(deps), proposeRoute(deps), confirmRoute(deps), endRoute(deps), dropRoute(deps)];
}

function listRoute(deps: WatchDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/watch',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'List watched accounts',
    description:
      'The accounts of other wallets that the shop watches in its current mode, and those that it watched before.',
    tags: TAGS,
    status: 200,
    errors: [],
    data: z.object({ accounts: z.array(account) }),
    handler: async ({ auth: { merchant } }) => ({ accounts: await listWatched(deps, merchant) }),
  });
}

function proposeRoute(deps: WatchDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/watch',
    auth: 'jwt',
    scope: 'never',
    changesAccess: true,
    summary: 'Propose an account to watch',
    bodyLimitBytes: LIST_MAX * ADDRESS_MAX,
    description:
      'For the owner. For ETH and SOL give `addresses`, a list that orders are paid to one after the other: it adds to ' +
      'the lists in use, each of its addresses is given out once, and an order gets none of the till when all are. ' +
      'Addresses that this server uses already are refused with their index. For BTC and LTC it reads the public keys of an account of another wallet and shows its first addresses. ' +
      'It has no effect before you confirm it. Give a descriptor with its checksum (pkh, wpkh, sh(wpkh), tr, ' +
      'wsh(sortedmulti), sh(wsh(sortedmulti))), with key origins if a hardware wallet is to sign, or an extended public ' +
      'key (xpub, ypub, zpub and the like). A private key is refused.',
    tags: TAGS,
    status: 200,
    errors: [...OWNER_ERRORS],
    body: z.object({
      ...ref,
      descriptor: directs(text({ max: DESCRIPTOR_MAX }))
        .optional()
        .meta({ example: EXAMPLE_KEY }),
      xpub: directs(text({ max: KEY_MAX }))
        .optional()
        .meta({ description: 'Instead of a descriptor', example: EXAMPLE_KEY }),
      path: directs(text({ max: PATH_MAX }))
        .optional()
        .meta({ description: 'Below the xpub; defaults to `0/*`, with `1/*` for change', example: '0/*' }),
      addresses: directs(z.array(text({ max: ADDRESS_MAX })).max(LIST_MAX))
        .optional()
        .meta({
          description: 'ETH and SOL: addresses of another wallet, in the order in which they are given out',
          example: [EXAMPLES.address],
        }),
    }),
    example: {
      body: { ...EXAMPLE, xpub: EXAMPLE_KEY },
      otherBodies: { 'A list of addresses': { ...EXAMPLE, coin: 'ETH', addresses: [EXAMPLE_ETH] } },
    },
    data: account,
    handler: async ({ auth: { userId }, body: { addresses, ...body }, storeAnswer }) =>
      addresses === undefined
        ? proposeWatch(deps, { ...body, userId }, storeAnswer)
        : proposeList(deps, { ...body, addresses, userId }, storeAnswer),
  });
}

function confirmRoute(deps: WatchDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/watch/confirm',
    auth: 'jwt',
    scope: 'never',
    changesAccess: true,
    summary: 'Confirm an account to watch',
    description:
      'For the owner, once its addresses are those that its own wallet shows. New orders are paid to fresh addresses of ' +
      'it: at once if it is the first account of a shop that never gave out an address of the coin in this mode, ' +
      'otherwise after a delay (24 hours), of which the people of the shop are notified by email. Existing orders keep ' +
      'their addresses.',
    tags: TAGS,
    status: 200,
    errors: [...OWNER_ERRORS, 'WATCH_NOT_FOUND', 'INVALID_STATE'],
    body: z.object({ merchantId: ref.merchantId, id: identifier().meta({ example: EXAMPLE_ID }) }),
    example: { body: { merchantId: EXAMPLES.merchantId, id: EXAMPLE_ID } },
    data: account,
    handler: async ({ auth, body, storeAnswer }) =>
      confirmWatch(deps, { ...body, userId: auth.userId }, storeAnswer),
  });
}

function endRoute(deps: WatchDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/wallet/watch',
    auth: 'jwt',
    scope: 'never',
    changesAccess: true,
    summary: "Return to the till's own account",
    description:
      "For the owner. New orders are paid to the till's own account again, at once. The money of watched accounts stays " +
      'there, and payments to their addresses are credited as before.',
    tags: TAGS,
    status: 200,
    errors: [...OWNER_ERRORS],
    body: z.object(ref),
    example: { body: EXAMPLE },
    data: z.object({ ended: z.boolean().meta({ description: 'Whether an account was in use or pending' }) }),
    handler: async ({ auth, body, storeAnswer }) =>
      endWatch(deps, { ...body, userId: auth.userId }, storeAnswer),
  });
}

function dropRoute(deps: WatchDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/wallet/watch/pending',
    auth: 'jwt',
    scope: 'never',
    changesAccess: true,
    summary: 'Drop a pending watched account',
    description:
      'For the owner. What applies now stays. The link of the email does the same without signing in.',
    tags: TAGS,
    status: 200,
    errors: [...OWNER_ERRORS],
    body: z.object(ref),
    example: { body: EXAMPLE },
    data: z.object({ dropped: z.boolean().meta({ description: 'Whether one was pending' }) }),
    handler: async ({ auth, body, storeAnswer }) =>
      dropPendingWatch(deps, { ...body, userId: auth.userId }, storeAnswer),
  });
}
