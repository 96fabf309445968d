import { sql, type RawBuilder } from 'kysely';
import type { SubscriptionRow } from '../schema/subscriptions.ts';
import type { ShopMode } from '../attention/waiting-payments.ts';
import type { Db } from '../sqlite/database.ts';

/** The paid invoices of one month in one currency, minor units. */
export interface MonthRevenue {
  /** Index of the month in the bounds. */
  readonly month: number;
  readonly currency: string;
  readonly invoices: number;
  /** What customers had to pay. */
  readonly due: bigint;
  /** What credit paid. */
  readonly credit: bigint;
}

/** Decimal digits that are summed separately: a sum of whole values could exceed 64 bits. */
const LOW_DIGITS = 9;

/** The sum of a decimal text without a sign, as two integers. */
function sumDigits(text: RawBuilder<string>) {
  return [
    sql<string>`CAST(sum(CAST(substr(${text}, 1, max(length(${text}) - ${sql.lit(LOW_DIGITS)}, 0)) AS INTEGER)) AS TEXT)`,
    sql<string>`CAST(sum(CAST(substr(${text}, -${sql.lit(LOW_DIGITS)}) AS INTEGER)) AS TEXT)`,
  ] as const;
}

function joinDigits(high: string, low: string): bigint {
  return BigInt(high) * 10n ** BigInt(LOW_DIGITS) + BigInt(low);
}

const PRICE = sumDigits(sql`price_minor`);
const CREDIT = sumDigits(sql`CASE WHEN applied_minor LIKE '-%' THEN '0' ELSE applied_minor END`);
const DEBT = sumDigits(sql`CASE WHEN applied_minor LIKE '-%' THEN substr(applied_minor, 2) ELSE '0' END`);

/**
 * The paid invoices of a shop by the month in which they were paid, never across currencies.
 * @param bounds starts of the months, ascending, and the end of the last one
 */
export async function sumRevenue(
  db: Db,
  { merchantId, mode }: ShopMode,
  bounds: readonly number[],
): Promise<MonthRevenue[]> {
  const starts = bounds.slice(0, -1);
  const cases = starts.map((from, at) => sql`WHEN paid_at >= ${from} THEN ${sql.lit(at)}`).toReversed();
  const rows = await db.readThread
    .selectFrom('subscriptions')
    .innerJoin('subscription_invoices as invoice', 'invoice.subscriptionId', 'subscriptions.id')
    .select(sql<number>`CASE ${sql.join(cases, sql` `)} END`.as('month'))
    .select('invoice.currency')
    .select((eb) => eb.fn.countAll<number>().as('invoices'))
    .select([PRICE[0].as('priceHigh'), PRICE[1].as('priceLow')])
    .select([CREDIT[0].as('creditHigh'), CREDIT[1].as('creditLow')])
    .select([DEBT[0].as('debtHigh'), DEBT[1].as('debtLow')])
    .where('subscriptions.merchantId', '=', merchantId)
    .where('subscriptions.mode', '=', mode)
    .where('invoice.status', '=', 'paid')
    .where('invoice.paidAt', '>=', bounds[0] ?? 0)
    .where('invoice.paidAt', '<', bounds.at(-1) ?? 0)
    .groupBy(['month', 'invoice.currency'])
    .orderBy('month')
    .orderBy('invoice.currency')
    .execute();
  return rows.map(({ month, currency, invoices, ...digits }) => {
    const credit = joinDigits(digits.creditHigh, digits.creditLow);
    const price = joinDigits(digits.priceHigh, digits.priceLow);
    return {
      month,
      currency,
      invoices,
      credit,
      due: price + joinDigits(digits.debtHigh, digits.debtLow) - credit,
    };
  });
}

/** Customers at the start of a month, and those of them who were lost by its end. */
export interface MonthChurn {
  readonly active: number;
  readonly lost: number;
}

/** When the first period was paid, and when the entitlement ended or will end; null: not. */
const LIVES = sql`SELECT
    (SELECT invoice.paid_at FROM subscription_invoices AS invoice
      WHERE invoice.subscription_id = subscriptions.id AND invoice.paid_at IS NOT NULL
      ORDER BY invoice.n LIMIT 1) AS began,
    CASE status WHEN 'ended' THEN ended_at
      WHEN 'cancelled' THEN coalesce(paid_until, trial_ends_at, starts_at) END AS left_at
  FROM subscriptions`;

/**
 * For each month of a shop, oldest first: subscriptions that were paid once and entitled at its start, and those of
 * them that ended by its end, or that are cancelled and will have.
 * @param bounds as for sumRevenue
 */
export async function sumChurn(
  db: Db,
  { merchantId, mode }: ShopMode,
  bounds: readonly number[],
): Promise<MonthChurn[]> {
  const starts = bounds.slice(0, -1);
  const months = starts.map((from, at) => sql`(${sql.lit(at)}, ${from}, ${bounds[at + 1]})`);
  const isActive = sql`began <= from_at AND (left_at IS NULL OR left_at > from_at)`;
  const query = sql<MonthChurn>`WITH months(at, from_at, to_at) AS (VALUES ${sql.join(months)}),
    lives AS MATERIALIZED (${LIVES} WHERE merchant_id = ${merchantId} AND mode = ${mode})
    SELECT count(began) FILTER (WHERE ${isActive}) AS active,
      count(began) FILTER (WHERE ${isActive} AND left_at <= to_at) AS lost
    FROM months LEFT JOIN lives ON true GROUP BY at ORDER BY at`;
  const { rows } = await query.execute(db.readThread);
  return rows;
}

/** Columns from which the next invoices of a subscription and its recurring revenue follow. */
export type RunningSubscription = Pick<
  SubscriptionRow,
  | 'id'
  | 'createdAt'
  | 'amount'
  | 'quantity'
  | 'currency'
  | 'status'
  | 'startsAt'
  | 'trialEndsAt'
  | 'anchorAt'
  | 'anchorN'
  | 'interval'
  | 'timeZone'
  | 'nextN'
  | 'paidUntil'
  | 'cancelAtPeriodEnd'
>;

/** Some of the subscriptions of a shop that may be invoiced again, oldest first. @param after the last one before */
export async function listRunning(
  db: Db,
  { merchantId, mode }: ShopMode,
  {
    after,
    limit,
  }: { readonly after: Pick<RunningSubscription, 'createdAt' | 'id'> | null; readonly limit: number },
): Promise<RunningSubscription[]> {
  let query = db
    .selectFrom('subscriptions')
    .select(['id', 'createdAt', 'amount', 'quantity', 'currency', 'status', 'startsAt', 'trialEndsAt'])
    .select(['anchorAt', 'anchorN', 'interval', 'timeZone', 'nextN', 'paidUntil', 'cancelAtPeriodEnd'])
    .where('merchantId', '=', merchantId)
    .where('mode', '=', mode)
    .where('status', 'in', ['trialing', 'active', 'past_due']);
  if (after !== null) {
    query = query.where((eb) => eb(eb.refTuple('createdAt', 'id'), '>', eb.tuple(after.createdAt, after.id)));
  }
  return query.orderBy('createdAt').orderBy('id').limit(limit).execute();
}
