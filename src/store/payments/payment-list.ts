import { sql } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { PaymentStatus } from '../../domain/payment/types.ts';
import type { Db } from '../sqlite/database.ts';
import { paymentsNamed, type PaymentSearch } from './payment-search.ts';
import { offeredBits, type StoredPayment } from './payments.ts';

export interface PaymentFilter {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly status?: PaymentStatus | undefined;
  readonly customerId?: string | undefined;
  readonly orderId?: string | undefined;
  readonly coin?: Coin | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Changed after this moment: these come in the order of their changes, oldest first. */
  readonly updatedAfterMs?: number | undefined;
  readonly search?: PaymentSearch | undefined;
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** One page of a merchant's payments, newest first; with `updatedAfterMs` by their last change, oldest first. */
export async function listPayments(db: Db, filter: PaymentFilter, page: Page): Promise<StoredPayment[]> {
  const { search, updatedAfterMs } = filter;
  if (updatedAfterMs !== undefined) return listChanged(db, filter, page);
  if (search !== undefined) return listNamed(db, filter, search, page);
  return filteredPayments(db, filter)
    .selectAll('payments')
    .orderBy('payments.created_at', 'desc')
    .orderBy('payments.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

async function listChanged(db: Db, filter: PaymentFilter, page: Page): Promise<StoredPayment[]> {
  const { search } = filter;
  const changed = filteredPayments(db, filter).selectAll('payments');
  const matching =
    search === undefined
      ? changed
      : changed.where('payments.id', 'in', namedPayments(db, filter, search).select('named.id'));
  return matching
    .orderBy('payments.updated_at')
    .orderBy('payments.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/** Filters and sorts by the indexes alone; only the page's rows are read. */
async function listNamed(
  db: Db,
  filter: PaymentFilter,
  search: PaymentSearch,
  page: Page,
): Promise<StoredPayment[]> {
  const found = namedPayments(db, filter, search)
    .select(['named.id', 'named.created_at'])
    .orderBy('named.created_at', 'desc')
    .orderBy('named.id', 'desc')
    .limit(page.limit)
    .offset(page.offset);
  return db
    .selectFrom(found.as('found'))
    .innerJoin('payments', 'payments.id', 'found.id')
    .selectAll('payments')
    .orderBy('found.created_at', 'desc')
    .orderBy('found.id', 'desc')
    .execute();
}

/** A merchant's payments that pass every part of a filter but its search. */
export function filteredPayments(db: Db, filter: PaymentFilter) {
  let query = db
    .selectFrom('payments')
    .where('payments.merchant_id', '=', filter.merchantId)
    .where('payments.mode', '=', filter.mode);
  if (filter.status !== undefined) query = query.where('payments.status', '=', filter.status);
  if (filter.customerId !== undefined) query = query.where('payments.customer_id', '=', filter.customerId);
  if (filter.orderId !== undefined) query = query.where('payments.order_id', '=', filter.orderId);
  if (filter.fromMs !== undefined) query = query.where('payments.created_at', '>=', filter.fromMs);
  if (filter.toMs !== undefined) query = query.where('payments.created_at', '<=', filter.toMs);
  if (filter.updatedAfterMs !== undefined) {
    query = query.where('payments.updated_at', '>', filter.updatedAfterMs);
  }
  if (filter.coin !== undefined) query = query.where(isOffered('payments.offered', filter.coin));
  return query;
}

/** The subset that a search text matches: looked up by index, without a scan. */
export function namedPayments(db: Db, filter: PaymentFilter, search: PaymentSearch) {
  const { customerId, orderId, updatedAfterMs } = filter;
  let query = db.selectFrom(paymentsNamed(db, filter, search).as('named'));
  if (filter.status !== undefined) query = query.where('named.status', '=', filter.status);
  if (filter.fromMs !== undefined) query = query.where('named.created_at', '>=', filter.fromMs);
  if (filter.toMs !== undefined) query = query.where('named.created_at', '<=', filter.toMs);
  if (filter.coin !== undefined) query = query.where(isOffered('named.offered', filter.coin));
  if ([customerId, orderId, updatedAfterMs].every((value) => value === undefined)) return query;
  const { merchantId, mode } = filter;
  const own = filteredPayments(db, { merchantId, mode, customerId, orderId, updatedAfterMs }).select(
    'payments.id',
  );
  return query.where('named.id', 'in', own);
}

/** Whether a column of offered coins holds this one. */
export function isOffered(column: string, coin: Coin) {
  return sql<boolean>`(${sql.ref(column)} & ${offeredBits([coin])}) <> 0`;
}
