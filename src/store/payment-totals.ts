import { sql, type RawBuilder } from 'kysely';
import type { Db } from './database.ts';
import { filteredPayments, isOffered, namedPayments, type PaymentFilter } from './payment-list.ts';

/** How days are counted in payment_day_counts. */
const DAY_MS = 86_400_000;

/** How many payments match, exactly. */
export async function totalPayments(db: Db, filter: PaymentFilter): Promise<number> {
  const { customerId, orderId, search } = filter;
  if (search !== undefined) {
    const { total } = await namedPayments(db, filter, search)
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  }
  const isCounted = customerId === undefined && orderId === undefined;
  const parts = isCounted ? countedParts(db, filter) : [rows(db, filter)];
  // In one statement: all parts are of the same moment.
  const { total } = await db
    .selectNoFrom(sql<number>`${sql.join(parts, sql` + `)}`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

type Part = RawBuilder<number>;

/**
 * From the counts that triggers keep: a few rows, however many payments there are. A range of dates is
 * the sum of its days; of the two that it has in part the payments themselves are counted.
 */
function countedParts(db: Db, filter: PaymentFilter): Part[] {
  const { fromMs, toMs } = filter;
  if (fromMs === undefined && toMs === undefined) return [counts(db, filter)];
  const firstDay = fromMs === undefined ? undefined : Math.ceil(fromMs / DAY_MS);
  const endDay = toMs === undefined ? undefined : Math.floor((toMs + 1) / DAY_MS);
  if (firstDay !== undefined && endDay !== undefined && firstDay >= endDay) return [rows(db, filter)];
  const parts = [dayCounts(db, filter, { firstDay, endDay })];
  if (firstDay !== undefined && fromMs !== firstDay * DAY_MS) {
    parts.push(rows(db, { ...filter, toMs: firstDay * DAY_MS - 1 }));
  }
  if (endDay !== undefined && toMs !== endDay * DAY_MS - 1) {
    parts.push(rows(db, { ...filter, fromMs: endDay * DAY_MS }));
  }
  return parts;
}

function rows(db: Db, filter: PaymentFilter): Part {
  const counted = filteredPayments(db, filter).select((eb) => eb.fn.countAll<number>().as('total'));
  return sql<number>`${counted}`;
}

function counts(db: Db, filter: PaymentFilter): Part {
  let query = db
    .selectFrom('payment_counts')
    .where('merchant_id', '=', filter.merchantId)
    .where('mode', '=', filter.mode);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.coin !== undefined) query = query.where(isOffered('offered', filter.coin));
  const summed = query.select((eb) => eb.fn.sum<number | null>('count').as('total'));
  return sql<number>`coalesce(${summed}, 0)`;
}

/** Of whole days, the last one not counted. */
function dayCounts(
  db: Db,
  filter: PaymentFilter,
  days: { readonly firstDay: number | undefined; readonly endDay: number | undefined },
): Part {
  let query = db
    .selectFrom('payment_day_counts')
    .where('merchant_id', '=', filter.merchantId)
    .where('mode', '=', filter.mode);
  if (days.firstDay !== undefined) query = query.where('day', '>=', days.firstDay);
  if (days.endDay !== undefined) query = query.where('day', '<', days.endDay);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.coin !== undefined) query = query.where(isOffered('offered', filter.coin));
  const summed = query.select((eb) => eb.fn.sum<number | null>('count').as('total'));
  return sql<number>`coalesce(${summed}, 0)`;
}
