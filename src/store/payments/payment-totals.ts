import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../sqlite/database.ts';
import { filteredPayments, isOffered, type PaymentFilter } from './payment-list.ts';
import { splitByDay, type SplitSpan } from './whole-days.ts';

/** The exact number of matching payments. */
export async function totalPayments(db: Db, filter: PaymentFilter): Promise<number> {
  const { customerId, orderId, exception, updatedAfterMs, search } = filter;
  const isCounted = [customerId, orderId, exception, updatedAfterMs, search].every(
    (value) => value === undefined,
  );
  const parts = isCounted ? countedParts(db, filter) : [rows(db, filter)];
  // One statement, so that all parts belong to the same snapshot.
  const { total } = await db
    .selectNoFrom(sql<number>`${sql.join(parts, sql` + `)}`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

type Part = RawBuilder<number>;

/**
 * From the counts maintained by triggers: a few rows, however many payments there are. A range of dates is
 * the sum of its whole days; payments of its two partial days are counted individually.
 */
function countedParts(db: Db, filter: PaymentFilter): Part[] {
  if (filter.fromMs === undefined && filter.toMs === undefined) return [counts(db, filter)];
  const days = splitByDay(filter);
  if (days === null) return [rows(db, filter)];
  return [dayCounts(db, filter, days), ...days.ends.map((end) => rows(db, { ...filter, ...end }))];
}

function rows(db: Db, filter: PaymentFilter): Part {
  const counted = filteredPayments(db, filter).select((eb) => eb.fn.countAll<number>().as('total'));
  return sql<number>`${counted}`;
}

function counts(db: Db, filter: PaymentFilter): Part {
  let query = db
    .selectFrom('payment_counts')
    .where('merchantId', '=', filter.merchantId)
    .where('mode', '=', filter.mode);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.coin !== undefined) query = query.where(isOffered('offered', filter.coin));
  const summed = query.select((eb) => eb.fn.sum<number | null>('count').as('total'));
  return sql<number>`coalesce(${summed}, 0)`;
}

/** Sums whole days, the last one excluded. */
function dayCounts(db: Db, filter: PaymentFilter, days: SplitSpan): Part {
  let query = db
    .selectFrom('payment_day_counts')
    .where('merchantId', '=', filter.merchantId)
    .where('mode', '=', filter.mode);
  if (days.firstDay !== undefined) query = query.where('day', '>=', days.firstDay);
  if (days.endDay !== undefined) query = query.where('day', '<', days.endDay);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.coin !== undefined) query = query.where(isOffered('offered', filter.coin));
  const summed = query.select((eb) => eb.fn.sum<number | null>('count').as('total'));
  return sql<number>`coalesce(${summed}, 0)`;
}
