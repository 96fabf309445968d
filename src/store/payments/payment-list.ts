import { sql } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { PaymentStatus } from '../../domain/payment/types.ts';
import type { Db } from '../sqlite/database.ts';
import { isNamed, type PaymentSearch } from './payment-search.ts';
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
  const matching = filteredPayments(db, filter).selectAll('payments');
  const sorted =
    filter.updatedAfterMs === undefined
      ? matching.orderBy('payments.created_at', 'desc').orderBy('payments.id', 'desc')
      : matching.orderBy('payments.updated_at').orderBy('payments.id');
  return sorted.limit(page.limit).offset(page.offset).execute();
}

/** A merchant's payments that pass a filter. */
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
  if (filter.search !== undefined) query = query.where(isNamed(db, filter, filter.search));
  return query;
}

/** Whether a column of offered coins holds this one. */
export function isOffered(column: string, coin: Coin) {
  return sql<boolean>`(${sql.ref(column)} & ${offeredBits([coin])}) <> 0`;
}
