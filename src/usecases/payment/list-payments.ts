import type { Db } from '../../store/database.ts';
import { listPayments as readPayments, totalPayments, type PaymentFilter } from '../../store/payments.ts';
import { presentPayment, type PaymentView, type PresentDeps } from './present-payment.ts';

/** One page of a merchant's payments in one mode, newest first, with the exact total. */
export async function listPayments(
  deps: PresentDeps & { readonly db: Db },
  filter: PaymentFilter,
  page: { page: number; limit: number },
): Promise<{ payments: PaymentView[]; pagination: { page: number; limit: number; total: number } }> {
  const rows = await readPayments(deps.db, filter, {
    limit: page.limit,
    offset: (page.page - 1) * page.limit,
  });
  const total = await totalPayments(deps.db, filter);
  const payments: PaymentView[] = [];
  for (const row of rows) payments.push(await presentPayment(deps.db, deps, row));
  return { payments, pagination: { page: page.page, limit: page.limit, total } };
}
