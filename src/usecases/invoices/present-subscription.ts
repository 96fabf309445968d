import { formatFiat } from '../../domain/fiat.ts';
import { activeUntil, nextInvoiceAt } from '../../domain/subscription/subscription-machine.ts';
import { periodStart } from '../../domain/subscription/periods.ts';
import type { SubscriptionState } from '../../domain/subscription/types.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { invoiceAt, openInvoices, type StoredInvoice } from '../../store/subscriptions/invoices.ts';
import { loadState, periodPrice } from './subscription-state.ts';

const isoTime = (at: number): string => new Date(at).toISOString();
const isoOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at));

export type SubscriptionView = Awaited<ReturnType<typeof presentSubscription>>;
export type InvoiceView = ReturnType<typeof presentInvoice>;

/** A subscription as events show it, which contain no data of the shop about the customer. */
export async function presentSubscription(
  db: Db,
  row: SubscriptionRow,
  at: { readonly now: number; readonly leadDays: number },
) {
  const state = await loadState(db, row);
  const [open] = await openInvoices(db, row.id);
  const period = await currentPeriod(db, row, state, at.now);
  const balance = BigInt(row.balanceMinor);
  return {
    id: row.id,
    status: row.status,
    mode: row.mode,
    customerId: row.customerId,
    productId: row.productId,
    priceId: row.priceId,
    quantity: row.quantity,
    interval: row.interval,
    amount: formatFiat({ minor: periodPrice(row), currency: row.currency }),
    currentPeriodStart: isoTime(period.start),
    currentPeriodEnd: isoTime(period.end),
    activeUntil: isoOrNull(activeUntil(state, at.now)),
    nextInvoiceAt: isoOrNull(nextInvoiceAt(state, at.leadDays)),
    openPaymentId: open?.paymentId ?? null,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    cancelledBy: row.cancelledBy,
    credit: formatFiat({ minor: balance > 0n ? balance : 0n, currency: row.currency }),
    currency: row.currency,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}

/** The invoiced period at this moment, the trial, or the period that begins next. */
async function currentPeriod(
  db: Db,
  row: SubscriptionRow,
  { startsAt, trialEndsAt, schedule, nextN }: SubscriptionState,
  now: number,
): Promise<{ readonly start: number; readonly end: number }> {
  const invoice = await invoiceAt(db, row.id, now);
  if (invoice !== undefined) return { start: invoice.periodStart, end: invoice.periodEnd };
  if (trialEndsAt !== null && now < trialEndsAt) return { start: startsAt, end: trialEndsAt };
  const n = Math.max(schedule.anchorN, nextN - 1);
  return { start: periodStart(schedule, n), end: periodStart(schedule, n + 1) };
}

/** What the payer has to pay for an invoice, in minor units. */
export function invoiceDue({ price, applied }: Pick<StoredInvoice, 'price' | 'applied'>): bigint {
  return price - applied;
}

export function invoiceOrderId({ subscriptionId, n }: Pick<StoredInvoice, 'subscriptionId' | 'n'>): string {
  return `${subscriptionId}/${n}`;
}

export function presentInvoice(invoice: StoredInvoice) {
  const { n, price, applied, currency, status, paymentId } = invoice;
  const debt = applied < 0n ? -applied : 0n;
  return {
    n,
    orderId: invoiceOrderId(invoice),
    periodStart: isoTime(invoice.periodStart),
    periodEnd: isoTime(invoice.periodEnd),
    amount: formatFiat({ minor: price + debt, currency }),
    creditApplied: formatFiat({ minor: applied > 0n ? applied : 0n, currency }),
    due: formatFiat({ minor: invoiceDue(invoice), currency }),
    credited: formatFiat({ minor: invoice.credited, currency }),
    prorated: formatFiat({ minor: invoice.prorated, currency }),
    currency,
    status,
    paymentId,
    createdAt: isoTime(invoice.createdAt),
    paidAt: isoOrNull(invoice.paidAt),
  };
}
