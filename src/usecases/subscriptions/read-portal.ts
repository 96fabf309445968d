import { maskedEmail } from '../../domain/email.ts';
import { formatFiat } from '../../domain/fiat.ts';
import {
  activeUntil,
  canKeep,
  canResume,
  nextInvoiceAt,
} from '../../domain/subscription/subscription-machine.ts';
import type { SubscriptionState } from '../../domain/subscription/types.ts';
import { findUserCustomer } from '../../store/catalog/customers.ts';
import { findUserProduct } from '../../store/catalog/products.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { findPayment } from '../../store/payments/payments.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { listInvoices, openInvoices, type StoredInvoice } from '../../store/subscriptions/invoices.ts';
import { invoiceDue, loadState, periodPrice } from '../invoices/index.ts';
import { shopProfile } from '../shops/index.ts';
import { mayPayAhead } from './pay-ahead.ts';
import { findByPortalToken } from './portal-token.ts';
import type { SubscriptionDeps } from './subscription-deps.ts';

/** Invoices that the page lists. */
const HISTORY = 24;

export type PortalView = Awaited<ReturnType<typeof readPayerView>>;
export type PortalInvoice = ReturnType<typeof toInvoice>;

type ReadDeps = Pick<SubscriptionDeps, 'db' | 'clock'>;

/**
 * All data of a payer's page.
 * @throws {AppError} SUBSCRIPTION_NOT_FOUND
 */
export async function readPortal(deps: ReadDeps, token: string): Promise<PortalView> {
  return readPayerView(deps, await findByPortalToken(deps.db, token));
}

/**
 * What a payer may see of a subscription: no metadata, and the e-mail address masked, because the link may be in
 * other hands.
 */
export async function readPayerView(deps: ReadDeps, row: SubscriptionRow) {
  const { db } = deps;
  const now = deps.clock.now();
  const merchant = await findMerchant(db, row.merchantId);
  if (merchant === undefined) throw new Error(`merchant ${row.merchantId} does not exist`);
  const state = await loadState(db, row);
  const [open] = await openInvoices(db, row.id);
  const { rows } = await listInvoices(db, row.id, { limit: HISTORY, offset: 0 });
  const balance = BigInt(row.balanceMinor);
  return {
    merchantId: merchant.id,
    shop: shopProfile(merchant),
    sandbox: row.mode === 'sandbox',
    locale: row.locale,
    timeZone: row.timeZone,
    product: (await findUserProduct(db, merchant.userId, row.productId))?.name ?? null,
    quantity: row.quantity,
    price: formatFiat({ minor: periodPrice(row), currency: row.currency }),
    currency: row.currency,
    interval: row.interval,
    status: row.status,
    startsAt: row.startsAt,
    trialEndsAt: row.trialEndsAt,
    activeUntil: activeUntil(state, now),
    nextInvoiceAt: nextInvoiceAt(state, merchant.invoiceLeadDays),
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    credit: balance > 0n ? formatFiat({ minor: balance, currency: row.currency }) : null,
    due: open === undefined ? null : { ...toInvoice(open), ...(await readDue(db, open)) },
    invoices: rows.map(toInvoice),
    email: await readEmail(db, merchant, row),
    may: listActions(merchant, row, { state, now, isDue: open !== undefined }),
  };
}

function toInvoice(invoice: StoredInvoice) {
  const { n, status, currency, paymentId, periodStart, periodEnd } = invoice;
  const amount = formatFiat({ minor: invoiceDue(invoice), currency });
  return { n, status, paymentId, periodStart, periodEnd, amount };
}

/** Whether money for it was seen: then the page leads to its checkout instead of asking for the money again. */
async function readDue(db: Db, { payBy, paymentId }: StoredInvoice) {
  const payment = paymentId === null ? undefined : await findPayment(db, paymentId);
  return { payBy, isConfirming: payment?.status === 'confirming' };
}

/** Where its mails go, masked; null: the customer was erased. */
async function readEmail(db: Db, { userId }: MerchantRow, row: SubscriptionRow): Promise<string | null> {
  const customer = await findUserCustomer(db, userId, row.customerId);
  const email = row.email ?? customer?.email;
  return email === undefined ? null : maskedEmail(email);
}

function listActions(
  { payerMayPause, payerMayCancel }: MerchantRow,
  row: SubscriptionRow,
  { state, now, isDue }: { readonly state: SubscriptionState; readonly now: number; readonly isDue: boolean },
) {
  const isOver = row.status === 'cancelled' || row.status === 'ended';
  const isRunning = row.status === 'active' || row.status === 'past_due';
  return {
    payAhead: !isDue && mayPayAhead(state, now),
    pause: payerMayPause && isRunning,
    resume: payerMayPause && canResume(row, 'payer'),
    cancel: payerMayCancel && !isOver && !row.cancelAtPeriodEnd,
    keep: payerMayCancel && canKeep(row, 'payer'),
    email: !isOver,
  };
}
