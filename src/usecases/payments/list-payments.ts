import type { Mode } from '../../domain/coins.ts';
import { emailKey } from '../../domain/email.ts';
import { chooseReadDb } from '../../store/choose-read-db.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  listPayments as readPayments,
  type PaymentFilter,
  type PaymentSort,
} from '../../store/payments/payment-list.ts';
import { totalPayments } from '../../store/payments/payment-totals.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { merchantMode } from '../access/index.ts';
import { presentPayment, type PaymentView, type PresentDeps } from './present-payment.ts';

export interface ListPaymentsFilter extends Omit<PaymentFilter, 'merchantId' | 'mode' | 'search'> {
  readonly merchant: MerchantRow;
  /** Defaults to its current mode. */
  readonly mode?: Mode | undefined;
  /** A payment id, order id, customer, transaction or address, amount, or a part of one: see isNamed. */
  readonly search?: string | undefined;
}

interface ListedPage {
  readonly page: number;
  readonly limit: number;
  readonly sort?: PaymentSort | undefined;
}

/** One page of a merchant's payments in a mode, newest first unless sorted otherwise, with the exact total. */
export async function listPayments(
  deps: PresentDeps & { readonly db: Db },
  { merchant, mode: requestedMode, search, ...filter }: ListPaymentsFilter,
  page: ListedPage,
): Promise<{ payments: PaymentView[]; pagination: { page: number; limit: number; total: number } }> {
  const mode = merchantMode(merchant, requestedMode);
  const named =
    search === undefined ? undefined : { text: search, emailKey: emailKey(search), userId: merchant.userId };
  const wanted: PaymentFilter = { ...filter, merchantId: merchant.id, mode, search: named };
  const offset = (page.page - 1) * page.limit;
  const db = chooseReadDb(deps.db, { search, ...page });
  const rows = await readPayments(db, wanted, { limit: page.limit, offset, sort: page.sort });
  const isLast = rows.length < page.limit && (rows.length > 0 || offset === 0);
  const total = isLast ? offset + rows.length : await totalPayments(db, wanted);
  const payments: PaymentView[] = [];
  for (const row of rows) payments.push(await presentPayment(deps.db, deps, row));
  return { payments, pagination: { page: page.page, limit: page.limit, total } };
}
