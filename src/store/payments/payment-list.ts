import { sql } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { PaymentException, PaymentStatus } from '../../domain/payment/types.ts';
import type { Db } from '../sqlite/database.ts';
import { isNamed, type PaymentSearch } from './payment-search.ts';
import { offeredBits, type StoredPayment } from './payments.ts';

export interface PaymentFilter {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly status?: PaymentStatus | undefined;
  readonly exception?: PaymentException | undefined;
  readonly customerId?: string | undefined;
  readonly orderId?: string | undefined;
  readonly coin?: Coin | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Changed after this moment: ordered by their last change, oldest first. */
  readonly updatedAfterMs?: number | undefined;
  readonly search?: PaymentSearch | undefined;
}

/** By these columns, each with an index; ties by creation time, in the same direction. */
const SORT_COLUMNS = {
  createdAt: ['payments.createdAt', 'payments.id'],
  updatedAt: ['payments.updatedAt', 'payments.id'],
  orderId: ['payments.orderId', 'payments.createdAt', 'payments.id'],
  status: ['payments.status', 'payments.createdAt', 'payments.id'],
} as const;

/** The accepted values: ascending, or descending with a leading minus sign. */
export const PAYMENT_SORTS = [
  '-createdAt',
  'createdAt',
  'orderId',
  '-orderId',
  'status',
  '-status',
] as const satisfies readonly (keyof typeof SORT_COLUMNS | `-${keyof typeof SORT_COLUMNS}`)[];
export type PaymentSort = (typeof PAYMENT_SORTS)[number];

interface Page {
  readonly sort?: PaymentSort | undefined;
  readonly limit: number;
  readonly offset: number;
}

/**
 * One page of a merchant's payments, newest first; with `updatedAfterMs` by their last change, oldest first.
 */
export async function listPayments(db: Db, filter: PaymentFilter, page: Page): Promise<StoredPayment[]> {
  const { sort = filter.updatedAfterMs === undefined ? '-createdAt' : 'updatedAt' } = page;
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const key = sort.replace('-', '') as keyof typeof SORT_COLUMNS;
  // A range of dates would make the planner avoid the sorted index, and sort all the rows of the range.
  const created = key === 'createdAt' ? sql.ref('payments.createdAt') : sql`+payments.created_at`;
  let sorted = filteredPayments(db, filter, created).selectAll('payments');
  for (const column of SORT_COLUMNS[key]) sorted = sorted.orderBy(column, direction);
  return sorted.limit(page.limit).offset(page.offset).execute();
}

/** A merchant's payments that match a filter. */
export function filteredPayments(db: Db, filter: PaymentFilter, created = sql.ref('payments.createdAt')) {
  let query = db
    .selectFrom('payments')
    .where('payments.merchantId', '=', filter.merchantId)
    .where('payments.mode', '=', filter.mode);
  if (filter.status !== undefined) query = query.where('payments.status', '=', filter.status);
  if (filter.exception !== undefined) query = query.where('payments.exception', '=', filter.exception);
  if (filter.customerId !== undefined) query = query.where('payments.customerId', '=', filter.customerId);
  if (filter.orderId !== undefined) query = query.where('payments.orderId', '=', filter.orderId);
  if (filter.fromMs !== undefined) query = query.where(created, '>=', filter.fromMs);
  if (filter.toMs !== undefined) query = query.where(created, '<=', filter.toMs);
  if (filter.updatedAfterMs !== undefined) {
    query = query.where('payments.updatedAt', '>', filter.updatedAfterMs);
  }
  if (filter.coin !== undefined) query = query.where(isOffered('payments.offered', filter.coin));
  if (filter.search !== undefined) query = query.where(isNamed(db, filter, filter.search));
  return query;
}

/** Whether a column of offered coins contains this one. */
export function isOffered(column: string, coin: Coin) {
  return sql<boolean>`(${sql.ref(column)} & ${offeredBits([coin])}) <> 0`;
}
