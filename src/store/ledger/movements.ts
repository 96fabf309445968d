import { sql, type Insertable, type Selectable } from 'kysely';
import type { ChainId, Coin, Mode } from '../../domain/coins.ts';
import type { MovementRow } from '../schema/movements.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, preparedInserts, preparedList, type ParamOf } from '../sqlite/prepared.ts';

export type StoredMovement = Selectable<MovementRow>;

const insert = preparedInserts('movements');

/**
 * Appends lines to the books. Must run in the transaction that changes the ledger. A line is dated no earlier
 * than its merchant's previous lines, because a clock that was set back must not insert lines into a closed
 * range.
 */
export async function insertMovements(tx: Tx, rows: readonly Insertable<MovementRow>[]): Promise<void> {
  if (!tx.isTransaction) throw new Error('movements must be written in the transaction of their cause');
  const earliest = new Map<string, number>();
  for (const { merchantId, mode } of rows) {
    const key = `${merchantId} ${mode}`;
    if (!earliest.has(key)) earliest.set(key, await endOfBooks(tx, { merchantId, mode }));
  }
  const dated = rows.map((row) => ({
    ...row,
    at: Math.max(row.at, earliest.get(`${row.merchantId} ${row.mode}`) ?? 0),
  }));
  await insert(tx, dated);
}

/** The time of a merchant's newest line, or the end of the latest closed range, ms; 0 without either. */
async function endOfBooks(
  db: Db,
  merchant: { readonly merchantId: string; readonly mode: Mode },
): Promise<number> {
  const [[line], [closed]] = [await newestLine(db, merchant), await closedUntil(db, merchant)];
  return Math.max(line?.at ?? 0, closed?.booksClosedUntil ?? 0);
}

const newestLine = prepared((db, param: ParamOf<{ merchantId: string; mode: Mode }>) =>
  db
    .selectFrom('movements')
    .select('at')
    .where('merchantId', '=', param('merchantId'))
    .where('mode', '=', param('mode'))
    .orderBy('at', 'desc')
    .limit(1),
);

const closedUntil = prepared((db, param: ParamOf<{ merchantId: string }>) =>
  db.selectFrom('merchants').select('booksClosedUntil').where('id', '=', param('merchantId')),
);

/** Closes a merchant's books up to a moment: no later line is dated before it. */
export async function closeBooks(tx: Tx, merchantId: string, untilMs: number): Promise<void> {
  await tx
    .updateTable('merchants')
    .set({ booksClosedUntil: untilMs })
    .where('id', '=', merchantId)
    .where('booksClosedUntil', '<', untilMs)
    .execute();
}

/** All lines about these transactions, oldest first. */
export async function movementsOfTransactions(
  db: Db,
  chain: ChainId,
  txids: readonly string[],
): Promise<StoredMovement[]> {
  return (await aboutTransactions(db, chain, txids)).toSorted((a, b) => a.seq - b.seq);
}

const aboutTransactions = preparedList((db, param: ParamOf<ChainId>, txids) =>
  db
    .selectFrom('movements')
    .selectAll()
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .where('txid', 'in', txids),
);

/** Outputs of these transactions that paid us, with their addresses and the currency of their payments. */
export const bookedOutputs = preparedList((db, param: ParamOf<ChainId>, txids) =>
  db
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .leftJoin('payments', 'payments.id', 'outputs.paymentId')
    .select(['outputs.merchantId', 'outputs.txid', 'outputs.vout', 'outputs.amount', 'outputs.state'])
    .select(['outputs.paymentId', 'outputs.rate', 'outputs.firstSeenAt'])
    .select(['outputs.spentBy', 'outputs.spentHeight', 'addresses.address', 'payments.currency'])
    .where('outputs.coin', '=', param('coin'))
    .where('outputs.mode', '=', param('mode'))
    .where('outputs.txid', 'in', txids),
);

/** An output that a transaction spends in a block. */
interface BookedSpend {
  readonly txid: string;
  readonly merchantId: string;
  readonly amount: string;
  readonly paymentId: string | null;
  readonly currency: string | null;
  readonly spentHeight: number;
}

/**
 * Confirmed outputs that these transactions spend in a block. The index is named because the planner prefers
 * the one by height, which reads every spend ever made.
 */
export const bookedSpends = preparedList((db, param: ParamOf<ChainId>, txids) => ({
  compile: () =>
    sql<BookedSpend>`SELECT outputs.spent_by AS txid, outputs.merchant_id, outputs.amount, outputs.payment_id,
        payments.currency, outputs.spent_height
      FROM outputs INDEXED BY outputs_by_spender LEFT JOIN payments ON payments.id = outputs.payment_id
      WHERE outputs.coin = ${param('coin')} AND outputs.mode = ${param('mode')} AND outputs.spent_by IN (${sql.join(txids)})
        AND outputs.spent_height IS NOT NULL AND outputs.state = 'confirmed'`.compile(db),
}));

/** The sends whose versions these transactions are, with the payments they refund. */
export const bookedSends = preparedList((db, param: ParamOf<ChainId>, txids) =>
  db
    .selectFrom('send_versions')
    .innerJoin('sends', 'sends.id', 'send_versions.sendId')
    .leftJoin('refunds', 'refunds.sendId', 'sends.id')
    .leftJoin('payments', 'payments.id', 'refunds.paymentId')
    .select(['send_versions.txid', 'send_versions.cancels', 'send_versions.fee as versionFee'])
    .select(['sends.id', 'sends.merchantId', 'sends.purpose', 'sends.destination', 'sends.note'])
    .select(['sends.outputsJson', 'sends.amount'])
    .select(['sends.fee', 'sends.txid as currentTxid', 'sends.status'])
    .select(['refunds.paymentId', 'payments.currency'])
    .where('send_versions.coin', '=', param('coin'))
    .where('send_versions.mode', '=', param('mode'))
    .where('send_versions.txid', 'in', txids),
);

/** The currency of a merchant's newest payment; undefined when there is none. */
export async function newestCurrency(
  db: Db,
  merchant: { readonly merchantId: string; readonly mode: Mode },
): Promise<string | undefined> {
  const [row] = await newestPayment(db, merchant);
  return row?.currency;
}

const newestPayment = prepared((db, param: ParamOf<{ merchantId: string; mode: Mode }>) =>
  db
    .selectFrom('payments')
    .select('currency')
    .where('merchantId', '=', param('merchantId'))
    .where('mode', '=', param('mode'))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

/** The number of the newest line; 0 when there is none. */
export async function newestMovement(db: Db): Promise<number> {
  const { seq } = await db
    .selectFrom('movements')
    .select((eb) => eb.fn.max<number | null>('seq').as('seq'))
    .executeTakeFirstOrThrow();
  return seq ?? 0;
}

export interface MovementRange {
  readonly merchantId: string;
  readonly mode: Mode;
  /** Upper bound of the lines' time, ms, exclusive. */
  readonly beforeMs: number;
  /** The last included line: later ones do not belong to the range. */
  readonly upToSeq: number;
}

/** Lines of a range after another one, by time and then by number. */
export const pageOfMovements = prepared(
  (db, param: ParamOf<MovementRange & { afterMs: number; afterSeq: number; limit: number }>) =>
    db
      .selectFrom('movements')
      .leftJoin('payments', 'payments.id', 'movements.paymentId')
      .leftJoin('payment_notes', 'payment_notes.paymentId', 'movements.paymentId')
      .leftJoin('receipts', 'receipts.paymentId', 'movements.paymentId')
      .selectAll('movements')
      .select(['payments.orderId', 'payments.orderLabel', 'payment_notes.note as paymentNote'])
      .select('payments.tip')
      .select('receipts.label as receiptNumber')
      .where('movements.merchantId', '=', param('merchantId'))
      .where('movements.mode', '=', param('mode'))
      .where((eb) =>
        eb(eb.refTuple('movements.at', 'movements.seq'), '>', eb.tuple(param('afterMs'), param('afterSeq'))),
      )
      .where('movements.at', '<', param('beforeMs'))
      .where('movements.seq', '<=', param('upToSeq'))
      .orderBy('movements.at')
      .orderBy('movements.seq')
      .limit(param('limit')),
);

/** One line in a listing. */
export interface ListedMovement extends StoredMovement {
  readonly coin: Coin;
  readonly orderId: string | null;
  readonly orderLabel: string | null;
  readonly paymentNote: string | null;
  readonly receiptNumber: string | null;
  readonly tip: string | null;
}
