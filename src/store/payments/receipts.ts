import { sql } from 'kysely';
import type { Mode } from '../../domain/coins.ts';
import { parseFiat } from '../../domain/fiat.ts';
import { receiptLabel, type Business } from '../../domain/receipt.ts';
import { readMeta } from '../meta.ts';
import { findMerchant } from '../merchants/merchants.ts';
import type { ReceiptRow } from '../schema/receipts.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, preparedInsert, type ParamOf } from '../sqlite/prepared.ts';
import type { StoredPayment } from './payments.ts';

/** A receipt as issued. */
export interface Receipt {
  /** As printed. */
  readonly number: string;
  readonly issuedAt: number;
  readonly seller: Business | null;
}

/**
 * Issues the receipt of a payment with the next number of its shop and mode; one that has a receipt keeps it. Runs in
 * the transaction that completes the payment: the writes of a database are serial, so no number is skipped or used
 * twice.
 */
export async function issueReceipt(
  tx: Tx,
  payment: Pick<StoredPayment, 'id' | 'merchantId' | 'mode' | 'amount' | 'tip' | 'currency'>,
  now: number,
): Promise<Receipt> {
  if (!tx.isTransaction)
    throw new Error('issueReceipt must run in the transaction that completes the payment');
  const known = await findReceipt(tx, payment.id);
  if (known !== null) return known;
  const { merchantId, mode, currency } = payment;
  const merchant = await findMerchant(tx, merchantId);
  if (merchant === undefined) throw new Error(`merchant ${merchantId} does not exist`);
  const series = Number((await readMeta(tx, 'restored_at')) ?? 0);
  const [last = { number: 0, issuedAt: 0 }] = await lastReceipt(tx, { merchantId, mode, series });
  const place = { mode, series, number: last.number + 1 };
  const label = receiptLabel(merchant.receiptPrefix, place);
  const issuedAt = Math.max(now, last.issuedAt, merchant.booksClosedUntil);
  await insertReceipt(tx, {
    ...place,
    paymentId: payment.id,
    merchantId,
    label,
    currency,
    minor: parseFiat(payment.amount, currency).minor.toString(),
    tipMinor: parseFiat(payment.tip ?? '0', currency).minor.toString(),
    sellerId: merchant.businessJson === null ? null : await sellerId(tx, merchantId, merchant.businessJson),
    issuedAt,
  });
  return { number: label, issuedAt, seller: parseBusiness(merchant.businessJson) };
}

const insertReceipt = preparedInsert('receipts');

const lastReceipt = prepared((db, param: ParamOf<Pick<ReceiptRow, 'merchantId' | 'mode' | 'series'>>) =>
  db
    .selectFrom('receipts')
    .select(['number', 'issuedAt'])
    .where('merchantId', '=', param('merchantId'))
    .where('mode', '=', param('mode'))
    .where('series', '=', param('series'))
    .orderBy('number', 'desc')
    .limit(1),
);

async function sellerId(tx: Tx, merchantId: string, businessJson: string): Promise<number> {
  const known = await findSeller(tx, merchantId, businessJson);
  if (known !== undefined) return known;
  const { id } = await tx
    .insertInto('sellers')
    .values({ merchantId, businessJson })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function findSeller(tx: Tx, merchantId: string, businessJson: string): Promise<number | undefined> {
  const row = await tx
    .selectFrom('sellers')
    .select('id')
    .where('merchantId', '=', merchantId)
    .where('businessJson', '=', businessJson)
    .executeTakeFirst();
  return row?.id;
}

export function parseBusiness(json: string | null): Business | null {
  return json === null ? null : (JSON.parse(json) as Business);
}

/** Null where the payment was never completed, or before receipts had numbers. */
export async function findReceipt(db: Db, paymentId: string): Promise<Receipt | null> {
  const [row] = await ofPayment(db, { paymentId });
  if (row === undefined) return null;
  return { number: row.label, issuedAt: row.issuedAt, seller: parseBusiness(row.businessJson) };
}

const ofPayment = prepared((db, param: ParamOf<{ paymentId: string }>) =>
  db
    .selectFrom('receipts')
    .leftJoin('sellers', 'sellers.id', 'receipts.sellerId')
    .select(['receipts.label', 'receipts.issuedAt', 'sellers.businessJson'])
    .where('receipts.paymentId', '=', param('paymentId')),
);

interface ReceiptRange {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly fromMs: number;
  readonly beforeMs: number;
}

/** The receipts of a range in one currency. */
export interface ReceiptSum {
  readonly currency: string;
  readonly count: number;
  /** Sum of the prices in minor units. */
  readonly minor: bigint;
  /** Sum of the tips in them. */
  readonly tipMinor: bigint;
}

/** By currency, in their order. Reads every receipt of the range, so it is for the read thread. */
export async function sumReceipts(db: Db, range: ReceiptRange): Promise<ReceiptSum[]> {
  const rows = await selectSums(db, range);
  return rows.map(({ currency, count, high, low, tipHigh, tipLow }) => ({
    currency,
    count,
    minor: BigInt(high) * PART + BigInt(low),
    tipMinor: BigInt(tipHigh) * PART + BigInt(tipLow),
  }));
}

/** A sum of parts fits 64 bits. */
const PART = 1_000_000_000n;

interface SumRow {
  readonly currency: string;
  readonly count: number;
  readonly high: string;
  readonly low: string;
  readonly tipHigh: string;
  readonly tipLow: string;
}

const selectSums = prepared((db, param: ParamOf<ReceiptRange>) => ({
  compile: () =>
    sql<SumRow>`SELECT currency, COUNT(*) AS count, CAST(SUM(CAST(minor AS INTEGER) / ${sql.lit(Number(PART))}) AS TEXT) AS high,
        CAST(SUM(CAST(minor AS INTEGER) % ${sql.lit(Number(PART))}) AS TEXT) AS low,
        CAST(SUM(CAST(tip_minor AS INTEGER) / ${sql.lit(Number(PART))}) AS TEXT) AS tip_high,
        CAST(SUM(CAST(tip_minor AS INTEGER) % ${sql.lit(Number(PART))}) AS TEXT) AS tip_low
      FROM receipts
      WHERE merchant_id = ${param('merchantId')} AND mode = ${param('mode')}
        AND issued_at >= ${param('fromMs')} AND issued_at < ${param('beforeMs')}
      GROUP BY currency ORDER BY currency`.compile(db),
}));

/** The printed numbers of the first and the last receipt of a range; null without any. */
export async function receiptBounds(
  db: Db,
  range: ReceiptRange,
): Promise<{ readonly first: string; readonly last: string } | null> {
  const [first] = await firstInRange(db, range);
  const [last] = await lastInRange(db, range);
  return first === undefined || last === undefined ? null : { first: first.label, last: last.label };
}

const firstInRange = prepared((db, param: ParamOf<ReceiptRange>) => bound(db, param, 'asc'));
const lastInRange = prepared((db, param: ParamOf<ReceiptRange>) => bound(db, param, 'desc'));

function bound(db: Db, param: ParamOf<ReceiptRange>, direction: 'asc' | 'desc') {
  return db
    .selectFrom('receipts')
    .select('label')
    .where('merchantId', '=', param('merchantId'))
    .where('mode', '=', param('mode'))
    .where('issuedAt', '>=', param('fromMs'))
    .where('issuedAt', '<', param('beforeMs'))
    .orderBy('issuedAt', direction)
    .orderBy('series', direction)
    .orderBy('number', direction)
    .limit(1);
}
