import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import {
  consolidate,
  freezeOutputs,
  listOutputs,
  OUTPUT_HOLDS,
  type SendCoinsDeps,
} from '../../usecases/wallet/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { coinAmount, maxFee } from '../schemas/amounts.ts';
import { pagination } from '../schemas/answers.ts';
import { coin } from '../schemas/codes.ts';
import { modeQuery, pageQuery } from '../schemas/query.ts';
import { identifier } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const TAGS = ['Wallet'];
const MAX_OUTPUTS = 100;
const MAX_INDEX = 1_000_000;

const outputData = z
  .object({
    txHash: z.string().meta({ example: EXAMPLES.txid }),
    index: z.int().meta({ example: 0 }),
    coin: z.enum(COINS),
    address: z.string().meta({ example: EXAMPLES.address }),
    amount: z.string().meta({ example: '0.000499' }),
    confirmations: z.int().meta({ example: 2 }),
    frozen: z.boolean(),
    spendable: z.boolean().meta({ description: 'Whether a send may use it now' }),
    hold: z.enum(OUTPUT_HOLDS).nullable().meta({ description: 'Why no send may use it now' }),
    sendId: z.string().nullable().meta({ example: EXAMPLES.sendId }),
    paymentId: z.string().nullable().meta({ example: EXAMPLES.paymentId }),
    label: z.string().nullable().meta({
      description: 'Imported label (BIP 329): its own, or else that of its address, or of its transaction',
      example: null,
    }),
  })
  .meta({ id: 'WalletOutput' });

const freezeBody = z.object({
  coin: coin(),
  outputs: z
    .array(
      z.object({
        txHash: identifier().meta({ example: EXAMPLES.txid }),
        index: z.int().min(0).max(MAX_INDEX),
      }),
    )
    .min(1)
    .max(MAX_OUTPUTS),
});

const EXAMPLE = { coin: 'BTC', outputs: [{ txHash: 'a'.repeat(64), index: 0 }] };

/** The unspent outputs of a wallet: list, freeze, consolidate. */
export function walletOutputRoutes(deps: SendCoinsDeps): Route[] {
  return [
    outputsRoute(deps),
    freezeRoute(deps, 'freeze'),
    freezeRoute(deps, 'unfreeze'),
    consolidateRoute(deps),
  ];
}

function outputsRoute(deps: SendCoinsDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/outputs',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'List unspent outputs',
    description:
      'Outputs of one coin that no block has spent, newest first, and why a send may not use them now.',
    tags: TAGS,
    status: 200,
    errors: [],
    query: z.object({ ...pageQuery(), mode: modeQuery().meta({ example: 'sandbox' }), coin: coin() }),
    example: { query: { coin: 'BTC' } },
    data: z.object({ outputs: z.array(outputData), pagination: pagination() }),
    handler: async ({ auth, query }) => {
      const { outputs, total } = await listOutputs(deps, { ...query, merchant: auth.merchant });
      return { outputs, pagination: { page: query.page, limit: query.limit, total } };
    },
  });
}

function freezeRoute(deps: SendCoinsDeps, verb: 'freeze' | 'unfreeze'): Route {
  const frozen = verb === 'freeze';
  return defineRoute({
    method: 'POST',
    path: `/merchant/wallet/outputs/${verb}`,
    movesMoney: false,
    auth: 'merchant',
    scope: 'wallet:send',
    summary: frozen ? 'Set outputs aside' : 'Give outputs back',
    description: frozen
      ? 'No further send uses these outputs of BTC or LTC, and balances exclude them.'
      : 'Sends may use these outputs of BTC or LTC again.',
    tags: TAGS,
    status: 200,
    errors: [],
    body: freezeBody,
    example: { body: EXAMPLE },
    data: z.object({ changed: z.int().meta({ example: 2 }) }),
    handler: async ({ auth, body }) => freezeOutputs(deps, { ...body, merchant: auth.merchant, frozen }),
  });
}

function consolidateRoute(deps: SendCoinsDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/consolidate',
    auth: 'merchant',
    scope: 'wallet:send',
    summary: 'Consolidate outputs',
    description:
      'Moves the largest outputs of BTC or LTC, as many as fit into one transaction (300), to one address of the ' +
      'wallet itself. The new output can be spent at once. Without `maxFee` its fee is never bumped above its size ' +
      'times the fee rate of the request, or `TILLD_CONSOLIDATE_BELOW` if that is higher.',
    tags: TAGS,
    status: 200,
    errors: [
      'INSUFFICIENT_BALANCE',
      'FEE_ABOVE_LIMIT',
      'WALLET_FROZEN',
      'COIN_UNAVAILABLE',
      'NODE_UNAVAILABLE',
    ],
    body: z.object({
      coin: coin(),
      feeRate: coinAmount()
        .optional()
        .meta({ examples: ['12'] }),
      maxFee: maxFee(),
    }),
    data: z.object({
      sendId: z.string().meta({ example: EXAMPLES.sendId }),
      txHash: z.string().meta({ example: EXAMPLES.txid }),
      outputs: z.int().meta({ description: 'How many became one', example: 12 }),
      amount: z.string().meta({ example: '0.00598318' }),
      fee: z.string().meta({ example: '0.00000282' }),
      maxFee: z
        .string()
        .meta({ description: 'Fee budget in the coin: the limit of all fee bumps', example: '0.00001' }),
    }),
    handler: async ({ auth: { merchant, actor: creator }, body }) =>
      consolidate(deps, { ...body, merchant, creator }),
  });
}
