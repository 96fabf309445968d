import type { RecurringInterval } from '../../domain/catalog.ts';
import { changeRate, prorationBalance } from '../../domain/subscription/proration.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { invoicesAfter, updateInvoice } from '../../store/subscriptions/invoices.ts';
import { coverDebt } from '../invoices/index.ts';
import { withKept } from '../payments/index.ts';
import type { SubscriptionDeps } from './subscription-deps.ts';
import { verifyClock } from './verify-clock.ts';

/**
 * Proration: another price for the rest of the paid periods. Less becomes credit; more is a debt, which takes back
 * periods that credit paid and is otherwise asked for by the next invoice. Periods of another interval cost their own
 * price while it is not that of the subscription.
 * @param row with its balance
 * @throws {AppError} INVALID_STATE while the clock is wrong
 */
export async function proratePeriods(
  tx: Tx,
  deps: SubscriptionDeps,
  row: SubscriptionRow,
  { interval, price }: { readonly interval: RecurringInterval; readonly price: bigint },
): Promise<SubscriptionRow> {
  // While it is paused no paid time passes.
  const at = row.pausedAt ?? deps.clock.now();
  const known = withKept(tx, deps);
  let earned = 0n;
  const invoices = await invoicesAfter(tx, row.id, at);
  const isRunning = row.pausedAt === null && invoices.some(({ status }) => status !== 'void');
  if (isRunning) await verifyClock(tx, deps, row.mode);
  // A change of an open invoice counts once it is paid, unless it is quoted again.
  for (const invoice of invoices) {
    const rate = invoice.interval === interval ? price : invoice.price;
    const changed = changeRate(invoice, rate, at);
    // Only credit is limited by the money.
    const paymentId = changed.proration > 0n ? invoice.paymentId : null;
    const kept = paymentId === null ? 0n : await known.readKept(paymentId);
    const prorated = prorationBalance(changed, kept);
    earned += prorated - invoice.prorated;
    await updateInvoice(tx, { ...changed, prorated });
  }
  const balanced = { ...row, balanceMinor: (BigInt(row.balanceMinor) + earned).toString() };
  return earned < 0n ? coverDebt(tx, known, balanced, -earned) : balanced;
}
