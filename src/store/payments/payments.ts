import { sql, type Insertable, type Selectable } from 'kysely';
import { COIN_DEFINITIONS, type Coin, type Mode } from '../../domain/coins.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, preparedInsert, preparedInserts, type ParamOf } from '../sqlite/prepared.ts';
import type { PaymentOptionRow, PaymentRow } from '../schema/payments.ts';
import { storeTotals } from '../ledger/volume-totals.ts';

export type StoredPayment = Selectable<PaymentRow>;
export type StoredOption = Selectable<PaymentOptionRow>;

const insertRow = preparedInsert('payments');
const insertOptions = preparedInserts('payment_options');

export async function insertPayment(tx: Tx, row: Insertable<PaymentRow>): Promise<void> {
  await insertRow(tx, row);
}

export async function insertPaymentOptions(tx: Tx, rows: readonly PaymentOptionRow[]): Promise<void> {
  await insertOptions(tx, rows);
}

const byId = prepared((db, param: ParamOf<{ id: string }>) =>
  db.selectFrom('payments').selectAll().where('id', '=', param('id')),
);

export async function findPayment(db: Db, id: string): Promise<StoredPayment | undefined> {
  return (await byId(db, { id }))[0];
}

/** The stored fields that checkout pages show and that can change, for up to a few thousand payments. */
export async function checkoutRows(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('payments')
    .innerJoin('merchants', 'merchants.id', 'payments.merchantId')
    .select(['payments.id', 'payments.status', 'payments.exception', 'payments.updatedAt'])
    .select(['payments.expiresAt', 'merchants.name', 'merchants.domainVerifiedAt'])
    .where('payments.id', 'in', ids)
    .execute();
}
export type CheckoutRow = Awaited<ReturnType<typeof checkoutRows>>[number];

const options = prepared((db, param: ParamOf<{ paymentId: string }>) =>
  db.selectFrom('payment_options').selectAll().where('paymentId', '=', param('paymentId')).orderBy('coin'),
);

export async function listPaymentOptions(db: Db, paymentId: string): Promise<StoredOption[]> {
  return options(db, { paymentId });
}

const openOrders = prepared((db, param: ParamOf<{ merchantId: string; mode: Mode; orderId: string }>) =>
  db
    .selectFrom('payments')
    .selectAll()
    .where('merchantId', '=', param('merchantId'))
    .where('mode', '=', param('mode'))
    .where('orderId', '=', param('orderId'))
    .where('status', 'not in', ['expired', 'cancelled']),
);

/**
 * The active payment of an order id: the one that is neither expired nor cancelled. If late money revived an
 * ended payment while a newer one exists, the older one, which has the money.
 */
export async function findOpenOrder(
  db: Db,
  at: { merchantId: string; mode: Mode; orderId: string },
): Promise<StoredPayment | undefined> {
  // Sorted here: with ORDER BY and LIMIT 1, SQLite would scan all payments of the merchant by age.
  const rows = await openOrders(db, at);
  return rows.toSorted((a, b) => a.createdAt - b.createdAt)[0];
}

/**
 * Whether a payment of an order, ended or not, was not created by a member of the shop. @param ownerId owner
 * of the shop
 */
export async function isOrderOfShop(
  db: Db,
  at: { merchantId: string; mode: Mode; orderId: string; ownerId: string },
): Promise<boolean> {
  const rows = await db
    .selectFrom('payments')
    .select(['creatorKind', 'creatorId'])
    .where('merchantId', '=', at.merchantId)
    .where('mode', '=', at.mode)
    .where('orderId', '=', at.orderId)
    .execute();
  return rows.some(({ creatorKind: kind, creatorId: id }) => kind !== 'user' || id === at.ownerId);
}

/** The fields of a payment that a transition may change. */
export type PaymentChange = Pick<
  StoredPayment,
  | 'status'
  | 'exception'
  | 'updatedAt'
  | 'closedAt'
  | 'cancelledAt'
  | 'acceptedAt'
  | 'acceptedPosition'
  | 'refundedAt'
  | 'refundedPosition'
  | 'refundedBy'
  | 'returnedJson'
  | 'hasMoneyAfterRefund'
  | 'acceptedJson'
  | 'excessTold'
  | 'supersededBy'
>;

/**
 * @param events number of events the change causes, added to the payment's event count
 * @param from the current payment, if read in this transaction. SQLite rewrites every index on a column that a
 *   statement sets, even to the same value, so unchanged columns are not set.
 */
export async function updatePayment(
  tx: Tx,
  id: string,
  to: PaymentChange,
  { events = 0, from }: { readonly events?: number; readonly from?: StoredPayment } = {},
): Promise<void> {
  const change = { ...to, id, events };
  const isAll = from === undefined || ENDS.some((column) => from[column] !== to[column]);
  if (from?.status === to.status) await (isAll ? changeAll : changeLittle)(tx, change);
  else await storeTotals(tx, id, () => (isAll ? changeAll : changeStatus)(tx, change));
}

const ENDS = [
  'closedAt',
  'cancelledAt',
  'acceptedAt',
  'acceptedPosition',
  'refundedAt',
  'refundedPosition',
  'refundedBy',
  'returnedJson',
  'hasMoneyAfterRefund',
  'acceptedJson',
  'excessTold',
  'supersededBy',
] as const;

type ChangeSlots = PaymentChange & { readonly id: string; readonly events: number };

function changing(db: Db, param: ParamOf<ChangeSlots>) {
  return db
    .updateTable('payments')
    .set((eb) => ({
      exception: param('exception'),
      updatedAt: param('updatedAt'),
      sequence: eb('sequence', '+', param('events')),
    }))
    .where('id', '=', param('id'));
}

const changeLittle = prepared(changing);
const changeStatus = prepared((db, param: ParamOf<ChangeSlots>) =>
  changing(db, param).set({ status: param('status') }),
);
const changeAll = prepared((db, param: ParamOf<ChangeSlots>) =>
  changing(db, param).set({
    status: param('status'),
    closedAt: param('closedAt'),
    cancelledAt: param('cancelledAt'),
    acceptedAt: param('acceptedAt'),
    acceptedPosition: param('acceptedPosition'),
    refundedAt: param('refundedAt'),
    refundedPosition: param('refundedPosition'),
    refundedBy: param('refundedBy'),
    returnedJson: param('returnedJson'),
    hasMoneyAfterRefund: param('hasMoneyAfterRefund'),
    acceptedJson: param('acceptedJson'),
    excessTold: param('excessTold'),
    supersededBy: param('supersededBy'),
  }),
);

/** The terms that an update may change on an unpaid payment. */
export type PaymentTerms = Pick<
  StoredPayment,
  | 'amount'
  | 'currency'
  | 'priceId'
  | 'priceLocked'
  | 'linesJson'
  | 'tip'
  | 'description'
  | 'orderLabel'
  | 'metadataJson'
  | 'successUrl'
  | 'returnUrl'
  | 'expiresAt'
  | 'updatedAt'
  | 'sequence'
>;

/** Stores new terms of a payment, and new quotes at the same addresses. */
export async function updateTerms(
  tx: Tx,
  id: string,
  terms: PaymentTerms,
  options: readonly StoredOption[],
): Promise<void> {
  await tx.updateTable('payments').set(terms).where('id', '=', id).execute();
  for (const { coin, paymentId: _p, addressId: _i, address: _a, ...quoted } of options) {
    await tx
      .updateTable('payment_options')
      .set(quoted)
      .where('paymentId', '=', id)
      .where('coin', '=', coin)
      .execute();
  }
}

/** The offered coins of each of these payments. At most a few hundred ids at a time. */
export async function coinsOffered(
  db: Db,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Coin[]>> {
  const rows = await db
    .selectFrom('payment_options')
    .select(['paymentId', 'coin'])
    .where('paymentId', 'in', paymentIds)
    .execute();
  const coins = new Map<string, Coin[]>();
  for (const row of rows) coins.set(row.paymentId, [...(coins.get(row.paymentId) ?? []), row.coin]);
  return coins;
}

/** Payments past their deadline whose status may still change with time, oldest deadline first. */
export async function paymentsDue(
  db: Db,
  nowMs: number,
  after: { expiresAt: number; id: string },
  limit: number,
): Promise<Pick<StoredPayment, 'id' | 'mode' | 'expiresAt'>[]> {
  return (
    db
      .selectFrom('payments')
      .select(['id', 'mode', 'expiresAt'])
      // A literal, not a parameter: only then can the planner prove that the partial index applies.
      .where(sql<boolean>`closed_at is null and status in ('pending', 'underpaid')`)
      .where('expiresAt', '<=', nowMs)
      .where((eb) =>
        eb.or([
          eb('expiresAt', '>', after.expiresAt),
          eb.and([eb('expiresAt', '=', after.expiresAt), eb('id', '>', after.id)]),
        ]),
      )
      .orderBy('expiresAt')
      .orderBy('id')
      .limit(limit)
      .execute()
  );
}

/** These coins as a bit set for `offered`. */
export function offeredBits(coins: readonly Coin[]): number {
  return coins.reduce((bits, coin) => bits | COIN_DEFINITIONS[coin].offeredBit, 0);
}

/** Moves a payment's deadline forward to an earlier moment, never back. For the sandbox only. */
export async function advanceExpiry(tx: Tx, id: string, expiresAtMs: number): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ expiresAt: expiresAtMs })
    .where('id', '=', id)
    .where('mode', '=', 'sandbox')
    .where('expiresAt', '>', expiresAtMs)
    .execute();
}
