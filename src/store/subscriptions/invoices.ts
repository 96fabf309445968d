import { sql } from 'kysely';
import type { SubscriptionInvoiceRow } from '../schema/subscriptions.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** An invoice with its amounts as numbers of minor units. */
export interface StoredInvoice extends Omit<
  SubscriptionInvoiceRow,
  'priceMinor' | 'appliedMinor' | 'creditedMinor' | 'rateMinor' | 'prorationExact' | 'proratedMinor'
> {
  readonly price: bigint;
  /** Balance of the subscription that it uses up: positive is credit, negative a debt that it asks for. */
  readonly applied: bigint;
  /** What its money has added to the balance of the subscription so far. */
  readonly credited: bigint;
  /** What the whole period would cost at the present price. */
  readonly rate: bigint;
  /** In billionths of the minor unit: see `changeRate`. */
  readonly proration: bigint;
  /** What changes of its price have added to the balance of the subscription so far. */
  readonly prorated: bigint;
}

function toInvoice(row: SubscriptionInvoiceRow): StoredInvoice {
  const { priceMinor, appliedMinor, creditedMinor, rateMinor, prorationExact, proratedMinor, ...rest } = row;
  return {
    ...rest,
    price: BigInt(priceMinor),
    applied: BigInt(appliedMinor),
    credited: BigInt(creditedMinor),
    rate: BigInt(rateMinor),
    proration: BigInt(prorationExact),
    prorated: BigInt(proratedMinor),
  };
}

function toRow({
  price,
  applied,
  credited,
  rate,
  proration,
  prorated,
  ...rest
}: StoredInvoice): SubscriptionInvoiceRow {
  return {
    ...rest,
    priceMinor: price.toString(),
    appliedMinor: applied.toString(),
    creditedMinor: credited.toString(),
    rateMinor: rate.toString(),
    prorationExact: proration.toString(),
    proratedMinor: prorated.toString(),
  };
}

/** @throws when the period has an invoice already: each is invoiced once. */
export async function insertInvoice(tx: Tx, invoice: StoredInvoice): Promise<void> {
  await tx.insertInto('subscription_invoices').values(toRow(invoice)).execute();
}

export async function updateInvoice(tx: Tx, invoice: StoredInvoice): Promise<void> {
  const { subscriptionId, n, currency: _c, createdAt: _a, ...changed } = toRow(invoice);
  await tx
    .updateTable('subscription_invoices')
    .set(changed)
    .where('subscriptionId', '=', subscriptionId)
    .where('n', '=', n)
    .execute();
}

/** The invoice that a payment pays; undefined for any other payment. */
export async function findPaymentInvoice(db: Db, paymentId: string): Promise<StoredInvoice | undefined> {
  const row = await db
    .selectFrom('subscription_invoices')
    .selectAll()
    .where('paymentId', '=', paymentId)
    .executeTakeFirst();
  return row === undefined ? undefined : toInvoice(row);
}

/** The open invoices of a subscription, oldest first. */
export async function openInvoices(db: Db, subscriptionId: string): Promise<StoredInvoice[]> {
  const rows = await db
    .selectFrom('subscription_invoices')
    .selectAll()
    .where('subscriptionId', '=', subscriptionId)
    .where('status', '=', 'open')
    .orderBy('n')
    .execute();
  return rows.map(toInvoice);
}

/** As in its index, which the planner else would not prove to apply. */
const IS_PAID = sql<boolean>`status = 'paid'`;

/** The paid invoices whose period ends after a moment, oldest first. */
export async function paidInvoicesAfter(
  db: Db,
  subscriptionId: string,
  after: number,
): Promise<StoredInvoice[]> {
  const rows = await db
    .selectFrom('subscription_invoices')
    .selectAll()
    .where('subscriptionId', '=', subscriptionId)
    .where(IS_PAID)
    .where('periodEnd', '>', after)
    .orderBy('periodEnd')
    .execute();
  return rows.map(toInvoice);
}

/** More than can be paid ahead, which is two years. */
const PAID_PERIODS = 1_000;

/**
 * The latest paid periods of a subscription, the last one first.
 * @param after leaves out those that end before
 */
export async function paidPeriods(
  db: Db,
  subscriptionId: string,
  after = 0,
): Promise<{ readonly from: number; readonly until: number }[]> {
  return db
    .selectFrom('subscription_invoices')
    .select(['periodStart as from', 'periodEnd as until'])
    .where('subscriptionId', '=', subscriptionId)
    .where(IS_PAID)
    .where('periodEnd', '>', after)
    .orderBy('periodEnd', 'desc')
    .limit(PAID_PERIODS)
    .execute();
}

/** The invoices whose period ends after a moment. */
export async function invoicesAfter(db: Db, subscriptionId: string, after: number): Promise<StoredInvoice[]> {
  const rows = await db
    .selectFrom('subscription_invoices')
    .selectAll()
    .where('subscriptionId', '=', subscriptionId)
    .where('periodEnd', '>', after)
    .orderBy('n')
    .execute();
  return rows.map(toInvoice);
}

/** The period in which a moment is, if it is invoiced and not void. */
export async function invoiceAt(
  db: Db,
  subscriptionId: string,
  at: number,
): Promise<StoredInvoice | undefined> {
  const row = await db
    .selectFrom('subscription_invoices')
    .selectAll()
    .where('subscriptionId', '=', subscriptionId)
    .where('status', '!=', 'void')
    .where('periodStart', '<=', at)
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : toInvoice(row);
}

/** One page of the invoices of a subscription, newest first, with the exact total. */
export async function listInvoices(
  db: Db,
  subscriptionId: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ rows: StoredInvoice[]; total: number }> {
  const query = db.selectFrom('subscription_invoices').where('subscriptionId', '=', subscriptionId);
  const rows = await query.selectAll().orderBy('n', 'desc').limit(page.limit).offset(page.offset).execute();
  const counted = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows: rows.map(toInvoice), total: counted.total };
}

/** The renewed payment takes the place of the one it renews. */
export async function replacePayment(tx: Tx, renewedId: string, paymentId: string): Promise<void> {
  await tx
    .updateTable('subscription_invoices')
    .set({ paymentId })
    .where('paymentId', '=', renewedId)
    .execute();
}
