import { AppError } from '../../domain/errors.ts';
import { formatFiat } from '../../domain/fiat.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { findPayment } from '../../store/payments/payments.ts';
import { openInvoices, updateInvoice, type StoredInvoice } from '../../store/subscriptions/invoices.ts';
import { updateSubscription } from '../../store/subscriptions/subscriptions.ts';
import { invoiceDue, payByCredit } from '../invoices/index.ts';
import { applyFacts, changeInvoiceAmount, loadPayment, type LoadedPayment } from '../payments/index.ts';
import { payableDues } from './create-invoice.ts';
import type { SubscriptionDeps } from './subscription-deps.ts';

/**
 * Asks for the current price and balance in the open invoices for which no money was ever seen. One that cannot
 * be paid with its coins at the new amount stays as it is.
 * @param newPrice the price of an open invoice from now on
 */
export async function reviseInvoices(
  tx: Tx,
  deps: SubscriptionDeps,
  row: SubscriptionRow,
  newPrice: (invoice: StoredInvoice) => bigint,
): Promise<SubscriptionRow> {
  let current = row;
  for (const invoice of await openInvoices(tx, row.id)) {
    const payment = invoice.paymentId === null ? undefined : await findPayment(tx, invoice.paymentId);
    if (payment === undefined) continue;
    const loaded = await loadPayment(tx, deps, payment);
    const isUntouched = loaded.state.credits.length === 0 && payment.status !== 'completed';
    if (isUntouched) current = await revise(tx, deps, { row: current, invoice, loaded }, newPrice(invoice));
  }
  return current;
}

async function revise(
  tx: Tx,
  deps: SubscriptionDeps,
  {
    row,
    invoice,
    loaded,
  }: { readonly row: SubscriptionRow; readonly invoice: StoredInvoice; readonly loaded: LoadedPayment },
  price: bigint,
): Promise<SubscriptionRow> {
  const balance = BigInt(row.balanceMinor) + invoice.applied;
  const dues = payableDues(deps, row, { price, balance });
  const due = invoiceDue(dues);
  const isSameDue = due === invoiceDue(invoice);
  if (isSameDue && dues.price === invoice.price) return row;
  if (
    due > 0n &&
    !isSameDue &&
    !(await isRequoted(tx, deps, loaded, formatFiat({ minor: due, currency: row.currency })))
  ) {
    return row;
  }
  // Covered by credit, it keeps its payment: money that is under way to it becomes credit.
  const isSamePrice = dues.price === invoice.price;
  const unused = { rate: dues.price, proration: 0n };
  const revised = { ...invoice, ...dues, ...(isSamePrice ? {} : unused) };
  const after = { ...row, balanceMinor: (balance - dues.applied).toString() };
  await updateInvoice(tx, revised);
  await updateSubscription(tx, after);
  if (due > 0n) return after;
  const paid = await payByCredit(tx, deps, after, revised);
  await applyFacts(tx, deps, loaded.row.id, [{ type: 'cancel' }]);
  return paid;
}

async function isRequoted(
  tx: Tx,
  deps: SubscriptionDeps,
  loaded: LoadedPayment,
  amount: string,
): Promise<boolean> {
  try {
    await changeInvoiceAmount(tx, deps, loaded, amount);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION_INVALID') return false;
    throw error;
  }
}
