import { sql } from 'kysely';
import { feeWithParts } from '../sends/sends.ts';
import { COINS, type Coin, type Mode } from '../../domain/coins.ts';
import { SEND_STATUS } from '../sends/send-status.ts';
import type { Db } from '../sqlite/database.ts';

/** One entry of a merchant's transaction history: an output that paid it, or a send. */
export interface WalletTransactionRow {
  readonly direction: 'in' | 'out';
  /** The send's id; `txid:index` for an output. */
  readonly id: string;
  readonly coin: Coin;
  /** Null for an unsigned send. */
  readonly txid: string | null;
  readonly address: string;
  /** Several recipients of a send, as ordered. */
  readonly outputsJson: string | null;
  readonly amount: string;
  readonly fee: string | null;
  /** Fee budget of a send, atoms. */
  readonly maxFee: string | null;
  readonly feeLimitedAt: number | null;
  /** For a send that gathers its outputs by parts: how many are planned, and how many are in blocks. */
  readonly parts: number;
  readonly partsConfirmed: number;
  readonly status: string;
  readonly height: number | null;
  readonly paymentId: string | null;
  readonly error: string | null;
  /** Currency of the rate; null where the ledger itself has no price of it. */
  readonly currency: string | null;
  /** Price of one coin at that time. */
  readonly rate: string | null;
  readonly createdAt: number;
}

/** Outputs by their numbers. */
export async function paidOutputs(
  db: Db,
  seqs: readonly number[],
): Promise<Map<number, WalletTransactionRow>> {
  if (seqs.length === 0) return new Map();
  const rows = await db
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .leftJoin('payments', 'payments.id', 'outputs.paymentId')
    .select([
      'outputs.seq',
      sql.lit<'in'>('in').as('direction'),
      sql<string>`outputs.txid || ':' || outputs.vout`.as('id'),
      'outputs.coin',
      'outputs.txid',
      'addresses.address',
      sql<string | null>`null`.as('outputsJson'),
      'outputs.amount',
      sql<string | null>`null`.as('fee'),
      sql<string | null>`null`.as('maxFee'),
      sql<number | null>`null`.as('feeLimitedAt'),
      sql.lit(0).as('parts'),
      sql.lit(0).as('partsConfirmed'),
      sql.ref<string>('outputs.state').as('status'),
      'outputs.height',
      'outputs.paymentId',
      sql<string | null>`null`.as('error'),
      // Other money has its price in the books, like sends.
      'payments.currency',
      'outputs.rate',
      'outputs.firstSeenAt as createdAt',
    ])
    .where('outputs.seq', 'in', seqs)
    .execute();
  return new Map(rows.map(({ seq, ...row }) => [seq, row]));
}

/** Sends by their ids. */
export async function sentOut(db: Db, ids: readonly string[]): Promise<Map<string, WalletTransactionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('sends')
    .leftJoin('refunds', 'refunds.sendId', 'sends.id')
    .select([
      sql.lit<'out'>('out').as('direction'),
      'sends.id',
      'sends.coin',
      'sends.txid',
      'sends.destination as address',
      'sends.outputsJson',
      'sends.amount',
      feeWithParts.as('fee'),
      'sends.parts',
      'sends.partsConfirmed',
      'sends.maxFee',
      'sends.feeLimitedAt',
      sql<string>`${SEND_STATUS}`.as('status'),
      'sends.height',
      'refunds.paymentId',
      'sends.error',
      sql<string | null>`null`.as('currency'),
      sql<string | null>`null`.as('rate'),
      'sends.createdAt',
    ])
    .where('sends.id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The price of a movement. */
export interface MovementPrice {
  readonly currency: string | null;
  readonly rate: string | null;
}

/**
 * Prices of unreversed lines about these transactions in the books, by the send's id or `txid:index` of the
 * output.
 */
export async function bookedPrices(
  db: Db,
  of: { readonly merchantId: string; readonly mode: Mode; readonly txids: readonly string[] },
): Promise<ReadonlyMap<string, MovementPrice>> {
  if (of.txids.length === 0) return new Map();
  const rows = await db
    .selectFrom('movements')
    .select(['movements.txid', 'movements.vout', 'movements.sendId', 'movements.currency', 'movements.rate'])
    .where('movements.coin', 'in', COINS)
    .where('movements.mode', '=', of.mode)
    .where('movements.txid', 'in', of.txids)
    .where('movements.merchantId', '=', of.merchantId)
    .where('movements.kind', 'in', ['payment', 'refund', 'send'])
    .orderBy('movements.seq')
    .execute();
  // Of a line that was reversed and rewritten the newest counts.
  return new Map(rows.map(({ txid, vout, sendId, ...price }) => [sendId ?? `${txid}:${vout ?? ''}`, price]));
}
