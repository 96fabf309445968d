import { COINS, type Mode } from '../../domain/coins.ts';
import { emailKey } from '../../domain/email.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { PaymentSearch } from '../../store/payments/payment-search.ts';
import { listPayments as readPayments, type PaymentFilter } from '../../store/payments/payment-list.ts';
import { totalPayments } from '../../store/payments/payment-totals.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { presentPayment, type PaymentView, type PresentDeps } from './present-payment.ts';

export interface ListPaymentsFilter extends Omit<PaymentFilter, 'merchantId' | 'mode' | 'search'> {
  readonly merchant: MerchantRow;
  /** A payment id, order id, customer, transaction or address, or how one starts: see paymentsNamed. */
  readonly search?: string | undefined;
}

/** One page of a merchant's payments in its current mode, newest first, with the exact total. */
export async function listPayments(
  deps: PresentDeps & { readonly db: Db },
  { merchant, search, ...filter }: ListPaymentsFilter,
  page: { page: number; limit: number },
): Promise<{ payments: PaymentView[]; pagination: { page: number; limit: number; total: number } }> {
  const mode: Mode = merchant.sandbox === 1 ? 'sandbox' : 'live';
  const named = search === undefined ? undefined : understood(deps, merchant, mode, search);
  const wanted: PaymentFilter = { ...filter, merchantId: merchant.id, mode, search: named };
  const rows = await readPayments(deps.db, wanted, {
    limit: page.limit,
    offset: (page.page - 1) * page.limit,
  });
  const total = await totalPayments(deps.db, wanted);
  const payments: PaymentView[] = [];
  for (const row of rows) payments.push(await presentPayment(deps.db, deps, row));
  return { payments, pagination: { page: page.page, limit: page.limit, total } };
}

/** A text that is an address is looked for in the form the chain knows it by, whatever its letter case. */
function understood(deps: PresentDeps, merchant: MerchantRow, mode: Mode, text: string): PaymentSearch {
  const watchKeys = COINS.flatMap((coin) => {
    const adapter = deps.chains.get(coin, mode);
    if (adapter === null || adapter.addressProblem(text) !== null) return [];
    return [{ coin, mode, watchKey: adapter.watchKey(text) }];
  });
  return { text, emailKey: emailKey(text), userId: merchant.user_id, watchKeys };
}
