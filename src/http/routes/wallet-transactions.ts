import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { listWalletTransactions } from '../../usecases/wallet/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { pagination, timestamp } from '../schemas/answers.ts';
import { coin } from '../schemas/codes.ts';
import { modeQuery, pageQuery, rangeIn, rangeQuery } from '../schemas/query.ts';
import { outputsSchema } from '../schemas/send.ts';
import { text } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const transactionData = z
  .object({
    id: z.string().meta({ example: EXAMPLES.sendId }),
    direction: z.enum(['in', 'out']),
    coin: z.enum(COINS),
    txHash: z
      .string()
      .nullable()
      .meta({ description: 'Null of a send that is `preparing`', example: EXAMPLES.txid }),
    address: z.string().meta({ description: 'Of several recipients the first', example: EXAMPLES.address }),
    outputs: outputsSchema(),
    amount: z.string().meta({ example: '0.000499' }),
    fee: z.string().nullable().meta({ example: '0.00000282' }),
    maxFee: z
      .string()
      .nullable()
      .meta({ description: 'Fee budget of a send, in the coin', example: '0.00001' }),
    feeLimited: z.boolean().meta({
      description: 'The fee bump is on hold because it would exceed `maxFee`',
    }),
    status: z.string().meta({ example: 'confirmed' }),
    parts: z
      .object({ total: z.int(), confirmed: z.int() })
      .nullable()
      .meta({ description: 'Of a send: see send-status', examples: [null] }),
    confirmations: z.int().meta({ example: 2 }),
    paymentId: z.string().nullable().meta({ example: EXAMPLES.paymentId }),
    error: z.string().nullable().meta({ example: null }),
    currency: z.string().nullable().meta({
      description: 'That of the payment; without a payment, that of the newest payment at the time, or USD',
      example: 'USD',
    }),
    rate: z.string().nullable().meta({
      description: 'Price of one coin at the time; null if none was known, and for a send until it confirms',
      example: '100000',
    }),
    fiatAmount: z
      .string()
      .nullable()
      .meta({ description: 'Value of `amount` at that rate', examples: ['49.90'] }),
    createdAt: timestamp(),
  })
  .meta({ id: 'WalletTransaction' });

const query = z.object({
  ...pageQuery(),
  mode: modeQuery().meta({ example: 'sandbox' }),
  coin: coin().optional(),
  direction: z.enum(['in', 'out']).optional(),
  ...rangeQuery(),
  search: text()
    .optional()
    .meta({
      description:
        'Six or more characters from the start of the transaction hash (of a send also that of an earlier version) ' +
        'or of the address; the whole order id or id of the payment, or the id of the send; or the amount in the ' +
        'coin: 0.5 finds 0.512 as well, and 12 finds 12.5. No wildcards',
      examples: ['0.015'],
    }),
});

/** The transaction history of a merchant's wallet. */
export function walletTransactionsRoute(deps: { readonly db: Db }): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/transactions',
    auth: 'merchant',
    scope: 'wallet:read',
    summary: 'List money in and out',
    description:
      'Incoming money and sends of one mode, newest first: by the time at which money was first seen, or a send ' +
      'was requested.',
    tags: ['Wallet'],
    status: 200,
    errors: [],
    query,
    data: z.object({ transactions: z.array(transactionData), pagination: pagination() }),
    handler: async ({ auth, query: { startDate, endDate, timeZone, ...filter } }) => {
      const { transactions, total } = await listWalletTransactions(deps, {
        ...filter,
        ...rangeIn({ startDate, endDate, timeZone }),
        merchant: auth.merchant,
      });
      return { transactions, pagination: { page: filter.page, limit: filter.limit, total } };
    },
  });
}
