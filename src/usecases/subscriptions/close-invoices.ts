import { pauseShift } from '../../domain/subscription/pauses.ts';
import type { SubscriptionState } from '../../domain/subscription/types.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import {
  openInvoices,
  paidInvoicesAfter,
  updateInvoice,
  type StoredInvoice,
} from '../../store/subscriptions/invoices.ts';
import { findPayment } from '../../store/payments/payments.ts';
import { applyPaymentToInvoice } from '../invoices/index.ts';
import { applyFacts, loadPayment, withKept } from '../payments/index.ts';
import type { SubscriptionDeps } from './subscription-deps.ts';

interface Closed {
  readonly row: SubscriptionRow;
  readonly invoices: readonly StoredInvoice[];
}

/**
 * Closes the open invoices of a subscription; the balance that they would have used up returns to it.
 * @param endedBy leaves open those whose period ends later
 */
export async function voidInvoices(tx: Tx, row: SubscriptionRow, endedBy = Infinity): Promise<Closed> {
  const invoices = (await openInvoices(tx, row.id)).filter(({ periodEnd }) => periodEnd <= endedBy);
  let balance = BigInt(row.balanceMinor);
  for (const invoice of invoices) {
    balance += invoice.applied;
    await updateInvoice(tx, { ...invoice, status: 'void' });
  }
  return { row: { ...row, balanceMinor: balance.toString() }, invoices };
}

/** Cancels the unpaid payments of closed invoices; partial payments become credit. */
export async function endPayments(tx: Tx, deps: SubscriptionDeps, { invoices }: Closed): Promise<void> {
  for (const { paymentId } of invoices) {
    if (paymentId === null) continue;
    await applyFacts(tx, deps, paymentId, [{ type: 'cancel' }]);
    const payment = await findPayment(tx, paymentId);
    if (payment === undefined) throw new Error(`payment ${paymentId} does not exist`);
    await applyPaymentToInvoice(
      tx,
      withKept(tx, deps),
      payment,
      (await loadPayment(tx, deps, payment)).state,
    );
  }
}

/**
 * Whether money for an open invoice may still be on its way: only its payment's end proves that it is not. A
 * subscription that ends with its period waits for money that was seen.
 */
export async function isPaymentPending(tx: Tx, { id, cancelAtPeriodEnd }: SubscriptionRow): Promise<boolean> {
  const [oldest] = await openInvoices(tx, id);
  const paymentId = oldest?.paymentId ?? null;
  const payment = paymentId === null ? undefined : await findPayment(tx, paymentId);
  if (payment === undefined) return false;
  const isOpen = payment.closedAt === null && payment.cancelledAt === null;
  return payment.status === 'confirming' || (isOpen && !cancelAtPeriodEnd);
}

/** Moves the paid time that was left at the pause behind it. */
export async function shiftPaidPeriods(
  tx: Tx,
  id: string,
  { state, now }: { readonly state: SubscriptionState; readonly now: number },
): Promise<void> {
  const { pausedAt } = state;
  const shift = pauseShift(state, now);
  if (shift === null || pausedAt === null) return;
  for (const invoice of await paidInvoicesAfter(tx, id, pausedAt)) {
    const isAhead = invoice.periodStart > pausedAt;
    await updateInvoice(tx, {
      ...invoice,
      periodStart: invoice.periodStart + (isAhead ? shift : 0),
      periodEnd: invoice.periodEnd + shift,
      pausedMs: invoice.pausedMs + (isAhead ? 0 : shift),
    });
  }
}
