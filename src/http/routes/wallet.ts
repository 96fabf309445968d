import { z } from 'zod';
import { MODES } from '../../domain/coins.ts';
import { MAX_SEND_OUTPUTS } from '../../domain/send/outputs.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import {
  bumpSend,
  cancelSend,
  estimateFee,
  EVERYTHING,
  getBalances,
  getSend,
  getWalletAddresses,
  MAX_SEND_INPUTS,
  sendCoins,
  type SendCoinsDeps,
} from '../../usecases/wallet/index.ts';
import { defineRoute, Reply, type Route } from '../server/route.ts';
import { coinAmount, maxFee } from '../schemas/amounts.ts';
import { perCoin } from '../schemas/answers.ts';
import { coin } from '../schemas/codes.ts';
import { directs } from '../schemas/security-marks.ts';
import { modeQuery } from '../schemas/query.ts';
import { isAccepted, sendSchema } from '../schemas/send.ts';
import { identifier, text } from '../schemas/text.ts';
import { submitPsbtRoute } from './wallet-psbt.ts';
import { walletTransactionsRoute } from './wallet-transactions.ts';
import { EXAMPLE_ADDRESSES, EXAMPLE_BALANCES, EXAMPLES } from '../schemas/example-values.ts';

const TAGS = ['Wallet'];
const PLAN_ERRORS: readonly ErrorCode[] = ['INSUFFICIENT_BALANCE', 'COIN_UNAVAILABLE', 'NODE_UNAVAILABLE'];

const REPLACE_ERRORS: readonly ErrorCode[] = [
  ...PLAN_ERRORS,
  'SEND_NOT_FOUND',
  'INVALID_STATE',
  'FEE_ABOVE_LIMIT',
  'WALLET_FROZEN',
];

const MAX_OUTPUT_INDEX = 1_000_000;

const FEE_RATE =
  'Network fee in satoshi or litoshi per vB (BTC, LTC), gwei (ETH) or micro-lamports per compute unit (SOL)';

function feeRate() {
  return coinAmount()
    .optional()
    .meta({ description: FEE_RATE, examples: ['12'] });
}

const replaceBody = z.object({
  sendId: identifier().meta({ example: EXAMPLES.sendId }),
  feeRate: feeRate(),
  maxFee: maxFee(),
});

const sendBody = z.object({
  destination: directs(text()).optional().meta({
    description: 'External address of the coin. Required unless `outputs` is set',
    example: EXAMPLES.address,
  }),
  amount: coinAmount(EVERYTHING).optional().meta({
    description:
      'In the coin, such as "0.015"; "max": everything spendable, less the fee. Required unless `outputs` is set',
    example: '0.01',
  }),
  outputs: z
    .array(
      z.object({
        destination: directs(text()).meta({ example: EXAMPLES.address }),
        amount: coinAmount().meta({ example: '0.01' }),
      }),
    )
    .min(1)
    .max(MAX_SEND_OUTPUTS)
    .optional()
    .meta({
      description:
        'Instead of `destination` and `amount`: several recipients, paid by one transaction (BTC, LTC). With ' +
        '`subtractFee` each pays an equal share of the fee',
      examples: [],
    }),
  inputs: z
    .array(
      z.object({
        txHash: identifier().meta({ example: EXAMPLES.txid }),
        index: z.int().min(0).max(MAX_OUTPUT_INDEX),
      }),
    )
    .min(1)
    .max(MAX_SEND_INPUTS)
    .optional()
    .meta({
      description:
        'Coin control (BTC, LTC): spends all of these outputs of the wallet and no others, also when its fee is ' +
        'bumped; the rest is change. With `amount` "max" there is no change',
      examples: [],
    }),
  coin: coin(),
  from: identifier()
    .optional()
    .meta({
      description:
        '`own`: the wallet of the till. The id of a watched account (BTC, LTC): the send then waits for the signatures of ' +
        'the wallet that has the keys. Defaults to the account that new orders are paid to',
      examples: ['own'],
    }),
  mode: z.enum(MODES).optional().meta({
    description:
      'Mode of the wallet. A send is rejected with 409 unless it is the current mode; a fee is estimated for either',
    example: 'sandbox',
  }),
  subtractFee: z.boolean().optional().meta({ description: 'Deduct the network fee from the amount' }),
  maxFee: maxFee(),
  feeRate: feeRate(),
  note: text()
    .optional()
    .meta({ description: 'Stored with the send and shown with it', examples: ['Payout of January'] }),
});

const sendData = sendSchema();

/** Balances, sends and fees of a merchant's wallet. */
export function walletRoutes(deps: SendCoinsDeps): Route[] {
  return [
    balancesRoute(deps),
    addressesRoute(deps),
    sendRoute(deps),
    estimateFeeRoute(deps),
    sendStatusRoute(deps),
    walletTransactionsRoute(deps),
    bumpRoute(deps),
    cancelRoute(deps),
    submitPsbtRoute(deps),
  ];
}

function balancesRoute(deps: SendCoinsDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/balances',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'Read wallet balances',
    description:
      'Spendable amount of each coin now: confirmed money and unconfirmed change of own sends (SOL: the remainder ' +
      'on the merchant address after them), without outputs that cost more in fees than they are worth. GET ' +
      '/merchant/wallet/outputs lists the excluded outputs and the reason.',
    tags: TAGS,
    status: 200,
    errors: [],
    query: z.object({ mode: modeQuery().meta({ example: 'sandbox' }) }),
    data: perCoin('Spendable amount of each coin now', EXAMPLE_BALANCES),
    handler: async ({ auth, query }) => getBalances(deps, { merchant: auth.merchant, ...query }),
  });
}

function addressesRoute(deps: SendCoinsDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/addresses',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'Read the wallet addresses',
    description: 'The deposit address of the wallet for each coin.',
    tags: TAGS,
    status: 200,
    errors: [],
    query: z.object({ mode: modeQuery().meta({ example: 'sandbox' }) }),
    data: perCoin('Wallet address of each coin', EXAMPLE_ADDRESSES),
    handler: async ({ auth, query }) => getWalletAddresses(deps, { merchant: auth.merchant, ...query }),
  });
}

function sendRoute(deps: SendCoinsDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/send',
    auth: 'merchant',
    scope: 'wallet:send',
    summary: 'Send coins',
    description:
      'Sends coins to an external address, or with `outputs` to up to 100 in one transaction (BTC, LTC). Status `signed` means that the node gave no clear response: the same ' +
      'transaction is rebroadcast until it does. Status `queued` (SOL) means that it spends the remainder of ' +
      'earlier sends: it is signed, and broadcast once these have landed. BTC and LTC in more outputs than fit ' +
      'into one transaction (some 1,450) are consolidated first: the response is 202 with status `preparing` and ' +
      'without a txHash; the send is signed once the consolidations are confirmed. Send an Idempotency-Key, so ' +
      'that a repeated request never pays twice. A send above a limit, or to a destination that is not allowed, is ' +
      'not signed: the response is 202 with status `pending_approval`, and it is sent once it is approved. A send from a ' +
      'watched account has status `awaiting_signature` and a `psbt`: sign it with the wallet that has the keys, and give ' +
      'it to POST /merchant/wallet/psbt/submit.',
    tags: TAGS,
    status: 200,
    acceptedAnswers: 'The send consolidates its outputs first, or waits for an approval; see send-status',
    errors: [...PLAN_ERRORS, 'INVALID_STATE', 'FEE_ABOVE_LIMIT', 'WALLET_FROZEN', 'SEND_REJECTED'],
    idempotency: 'forever',
    body: sendBody,
    data: sendData,
    handler: async ({ auth, body, idempotencyKey }) => {
      const { merchant, actor: creator } = auth;
      const send = await sendCoins(deps, { ...body, merchant, creator, idempotencyKey });
      return new Reply(isAccepted(send.status) ? 202 : 200, send);
    },
  });
}

function estimateFeeRoute(deps: SendCoinsDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/estimate-fee',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'Estimate the fee of a send',
    description:
      'The current fee of a send with this body. Nothing is stored or reserved. `maxFee` is the fee budget that it ' +
      'would have: if `fee` exceeds it, the send is rejected unless it sets a higher `maxFee`.',
    tags: TAGS,
    status: 200,
    errors: [...PLAN_ERRORS, 'FEE_ABOVE_LIMIT'],
    body: sendBody,
    data: z.object({
      fee: z.string().meta({ example: '0.00000282' }),
      amount: z.string().meta({ example: '0.01' }),
      total: z.string().meta({ example: '0.01000282' }),
      maxFee: z.string().meta({ example: '0.00001' }),
    }),
    handler: async ({ auth, body }) => estimateFee(deps, { ...body, merchant: auth.merchant }),
  });
}

function bumpRoute(deps: SendCoinsDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/send/bump',
    auth: 'merchant',
    scope: 'wallet:send',
    summary: 'Bump the fee of a send',
    description:
      'Replaces the transaction of an unconfirmed send by one with a higher fee; recipient and amount stay the ' +
      'same, and only one of the two can be mined. If another send spends its change, that send is bumped and pays ' +
      'for both, within its own fee budget. No bump exceeds `maxFee`: a new value given here replaces that of the ' +
      'send. For a `preparing` send, `maxFee` and `feeRate` apply to its unsigned transactions.',
    tags: TAGS,
    status: 200,
    errors: REPLACE_ERRORS,
    body: replaceBody,
    example: { body: { sendId: 'snd_2KfHw9TzLq4Xn7VbR0mCy5Pd' } },
    data: sendData,
    handler: async ({ auth, body }) => bumpSend(deps, { ...body, merchantId: auth.merchantId }),
  });
}

function cancelRoute(deps: SendCoinsDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/send/cancel',
    auth: 'merchant',
    scope: 'wallet:send',
    summary: 'Take a send back',
    description:
      'Replaces the transaction of an unconfirmed send by one with a higher fee that pays the wallet itself. The ' +
      'network may mine either: the send is `failed` once the replacement is final, and `confirmed` if the ' +
      'original was mined. A send that is still `preparing`, `queued` or `awaiting_signature` fails at once, except while ' +
      'a transaction in the mempool spends the outputs of the latter, perhaps its own. Once a send from a watched account ' +
      'is signed, only the wallet that has the keys can replace it. Broadcast SOL sends cannot be cancelled: they expire ' +
      'automatically.',
    tags: TAGS,
    status: 200,
    errors: REPLACE_ERRORS,
    body: replaceBody,
    example: { body: { sendId: 'snd_2KfHw9TzLq4Xn7VbR0mCy5Pd' } },
    data: sendData,
    handler: async ({ auth, body }) => cancelSend(deps, { ...body, merchantId: auth.merchantId }),
  });
}

function sendStatusRoute(deps: SendCoinsDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/send-status',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'Read a send',
    description: 'One send by exactly one of sendId, txHash (of any of its versions) or idempotencyKey.',
    tags: TAGS,
    status: 200,
    errors: ['SEND_NOT_FOUND'],
    query: z.object({
      sendId: identifier().optional().meta({ example: EXAMPLES.sendId }),
      txHash: identifier().optional().meta({ example: EXAMPLES.txid }),
      idempotencyKey: identifier().optional().meta({ example: 'payout-2026-01-31' }),
    }),
    example: { query: { sendId: 'snd_2KfHw9TzLq4Xn7VbR0mCy5Pd' } },
    data: sendData,
    handler: async ({ auth, query }) => getSend(deps, { ...query, merchantId: auth.merchantId }),
  });
}
