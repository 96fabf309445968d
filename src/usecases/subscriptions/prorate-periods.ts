import { changeRate, prorationBalance } from '../../domain/subscription/proration.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { findPayment } from '../../store/payments/payments.ts';
import { invoicesAfter, updateInvoice, type StoredInvoice } from '../../store/subscriptions/invoices.ts';
import { coverDebt, toMoney } from '../invoices/index.ts';
import { loadPayment } from '../payments/index.ts';
import type { SubscriptionDeps } from './subscription-deps.ts';

/**
 * Proration: another price for the rest of the paid periods. Less becomes credit; more is a debt, which takes back
 * periods that credit paid and is otherwise asked for by the next invoice.
 * @param row with its balance
 * @param rate the new price of a whole period; null: the periods keep their own price from now on
 */
export async function proratePeriods(
  tx: Tx,
  deps: SubscriptionDeps,
  row: SubscriptionRow,
  rate: bigint | null,
): Promise<SubscriptionRow> {
  // While it is paused no paid time passes.
  const at = row.pausedAt ?? deps.clock.now();
  let earned = 0n;
  for (const invoice of await invoicesAfter(tx, row.id, at)) {
    // An open invoice is quoted again or, where money was seen, keeps its price until it is paid.
    if (invoice.status === 'open' && rate !== null) continue;
    const changed = changeRate(invoice, rate, at);
    const prorated = prorationBalance(changed, await readKept(tx, deps, changed));
    earned += prorated - invoice.prorated;
    await updateInvoice(tx, { ...changed, prorated });
  }
  const balanced = { ...row, balanceMinor: (BigInt(row.balanceMinor) + earned).toString() };
  return earned < 0n ? coverDebt(tx, deps, balanced, -earned) : balanced;
}

async function readKept(tx: Tx, deps: SubscriptionDeps, { paymentId }: StoredInvoice): Promise<bigint> {
  const payment = paymentId === null ? undefined : await findPayment(tx, paymentId);
  if (payment === undefined) return 0n;
  return toMoney(payment, (await loadPayment(tx, deps, payment)).state).kept;
}
