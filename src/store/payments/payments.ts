import { sql, type Insertable, type Selectable } from 'kysely';
import { COIN_DEFINITIONS, type Coin, type Mode } from '../../domain/coins.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, preparedInsert, preparedInserts, type ParamOf } from '../sqlite/prepared.ts';
import type { PaymentOptionRow, PaymentRow } from '../schema/payments.ts';
import { keepTotals } from '../ledger/volume-totals.ts';

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
    .innerJoin('merchants', 'merchants.id', 'payments.merchant_id')
    .select(['payments.id', 'payments.status', 'payments.exception', 'payments.updated_at'])
    .select(['payments.expires_at', 'merchants.name', 'merchants.domain_verified_at'])
    .where('payments.id', 'in', ids)
    .execute();
}
export type CheckoutRow = Awaited<ReturnType<typeof checkoutRows>>[number];

const options = prepared((db, param: ParamOf<{ paymentId: string }>) =>
  db.selectFrom('payment_options').selectAll().where('payment_id', '=', param('paymentId')).orderBy('coin'),
);

export async function listPaymentOptions(db: Db, paymentId: string): Promise<StoredOption[]> {
  return options(db, { paymentId });
}

const openOrders = prepared((db, param: ParamOf<{ merchantId: string; mode: Mode; orderId: string }>) =>
  db
    .selectFrom('payments')
    .selectAll()
    .where('merchant_id', '=', param('merchantId'))
    .where('mode', '=', param('mode'))
    .where('order_id', '=', param('orderId'))
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
  return rows.toSorted((a, b) => a.created_at - b.created_at)[0];
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
    .select(['creator_kind', 'creator_id'])
    .where('merchant_id', '=', at.merchantId)
    .where('mode', '=', at.mode)
    .where('order_id', '=', at.orderId)
    .execute();
  return rows.some(({ creator_kind: kind, creator_id: id }) => kind !== 'user' || id === at.ownerId);
}

/** The fields of a payment that a transition may change. */
export type PaymentChange = Pick<
  PaymentRow,
  | 'status'
  | 'exception'
  | 'updated_at'
  | 'closed_at'
  | 'cancelled_at'
  | 'accepted_at'
  | 'accepted_position'
  | 'refunded_at'
  | 'refunded_position'
  | 'refunded_by'
  | 'returned_json'
  | 'accepted_json'
  | 'excess_told'
  | 'superseded_by'
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
  else await keepTotals(tx, id, () => (isAll ? changeAll : changeStatus)(tx, change));
}

const ENDS = [
  'closed_at',
  'cancelled_at',
  'accepted_at',
  'accepted_position',
  'refunded_at',
  'refunded_position',
  'refunded_by',
  'returned_json',
  'accepted_json',
  'excess_told',
  'superseded_by',
] as const;

type ChangeSlots = PaymentChange & { readonly id: string; readonly events: number };

function changing(db: Db, param: ParamOf<ChangeSlots>) {
  return db
    .updateTable('payments')
    .set((eb) => ({
      exception: param('exception'),
      updated_at: param('updated_at'),
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
    closed_at: param('closed_at'),
    cancelled_at: param('cancelled_at'),
    accepted_at: param('accepted_at'),
    accepted_position: param('accepted_position'),
    refunded_at: param('refunded_at'),
    refunded_position: param('refunded_position'),
    refunded_by: param('refunded_by'),
    returned_json: param('returned_json'),
    accepted_json: param('accepted_json'),
    excess_told: param('excess_told'),
    superseded_by: param('superseded_by'),
  }),
);

/** The terms that an update may change on an unpaid payment. */
export type PaymentTerms = Pick<
  StoredPayment,
  | 'amount'
  | 'currency'
  | 'price_id'
  | 'price_locked'
  | 'lines_json'
  | 'description'
  | 'order_label'
  | 'metadata_json'
  | 'success_url'
  | 'return_url'
  | 'expires_at'
  | 'updated_at'
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
  for (const { coin, payment_id: _p, address_id: _i, address: _a, ...quoted } of options) {
    await tx
      .updateTable('payment_options')
      .set(quoted)
      .where('payment_id', '=', id)
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
    .select(['payment_id', 'coin'])
    .where('payment_id', 'in', paymentIds)
    .execute();
  const coins = new Map<string, Coin[]>();
  for (const row of rows) coins.set(row.payment_id, [...(coins.get(row.payment_id) ?? []), row.coin]);
  return coins;
}

/** Payments past their deadline whose status may still change with time, oldest deadline first. */
export async function paymentsDue(
  db: Db,
  nowMs: number,
  after: { expiresAt: number; id: string },
  limit: number,
): Promise<Pick<StoredPayment, 'id' | 'mode' | 'expires_at'>[]> {
  return (
    db
      .selectFrom('payments')
      .select(['id', 'mode', 'expires_at'])
      // A literal, not a parameter: only then can the planner prove that the partial index applies.
      .where(sql<boolean>`closed_at is null and status in ('pending', 'underpaid')`)
      .where('expires_at', '<=', nowMs)
      .where((eb) =>
        eb.or([
          eb('expires_at', '>', after.expiresAt),
          eb.and([eb('expires_at', '=', after.expiresAt), eb('id', '>', after.id)]),
        ]),
      )
      .orderBy('expires_at')
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
    .set({ expires_at: expiresAtMs })
    .where('id', '=', id)
    .where('mode', '=', 'sandbox')
    .where('expires_at', '>', expiresAtMs)
    .execute();
}
