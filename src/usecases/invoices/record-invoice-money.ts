import { parseFiat } from '../../domain/fiat.ts';
import { hasExcess, sumMoney } from '../../domain/payment/status.ts';
import type { PaymentState } from '../../domain/payment/types.ts';
import { coverPaidTime } from '../../domain/subscription/coverage.ts';
import { reclaimPeriods } from '../../domain/subscription/reclaim.ts';
import { prorationBalance } from '../../domain/subscription/proration.ts';
import { settleInvoice, subscriptionOfOrder, type InvoiceMoney } from '../../domain/subscription/invoice.ts';
import { decide, paymentDueAt } from '../../domain/subscription/subscription-machine.ts';
import type { Decision } from '../../domain/subscription/types.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import {
  findPaymentInvoice,
  invoicesAfter,
  openInvoices,
  paidPeriods,
  updateInvoice,
  type StoredInvoice,
} from '../../store/subscriptions/invoices.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';
import type { EmitEventDeps } from '../events/index.ts';
import { invoiceDue } from './present-subscription.ts';
import { readMerchant, saveSubscription } from './save-subscription.ts';
import { loadState } from './subscription-state.ts';

interface InvoicePayment {
  readonly id: string;
  readonly orderId: string;
  readonly amount: string;
  readonly currency: string;
}

/** Settled money of a payment less refunds and claims, in minor units. */
export type ReadKept = (paymentId: string) => Promise<bigint>;
type InvoiceDeps = EmitEventDeps & { readonly readKept: ReadKept };

/**
 * Applies the money of a payment to the invoice that it pays, if it pays one, and to its subscription. Must run
 * in the transaction that changes the payment.
 */
export async function applyPaymentToInvoice(
  tx: Tx,
  deps: InvoiceDeps,
  payment: InvoicePayment,
  state: PaymentState,
): Promise<void> {
  if (subscriptionOfOrder(payment.orderId) === null) return;
  const invoice = await findPaymentInvoice(tx, payment.id);
  const subscription = invoice && (await findSubscription(tx, invoice.subscriptionId));
  if (invoice === undefined || subscription === undefined) return;
  const money = toMoney(payment, state);
  // What is stored of this payment may be older than its state.
  const readKept: ReadKept = async (id) => (id === payment.id ? money.kept : deps.readKept(id));
  await settle(tx, { ...deps, readKept }, { invoice, subscription }, money);
}

/** The money of an invoice's payment, in minor units of its currency. */
export function toMoney({ amount, currency }: InvoicePayment, state: PaymentState): InvoiceMoney {
  const price = parseFiat(amount, currency).minor;
  const { settled } = sumMoney(state);
  const { numerator, denominator } = settled.left;
  return {
    status: state.status,
    price,
    kept: (numerator * price) / denominator,
    hasExcess: hasExcess(state, settled),
  };
}

async function settle(
  tx: Tx,
  deps: InvoiceDeps,
  { invoice, subscription }: { readonly invoice: StoredInvoice; readonly subscription: SubscriptionRow },
  money: InvoiceMoney,
): Promise<void> {
  const { excessToCredit, graceDays } = await readMerchant(tx, subscription.merchantId);
  const now = deps.clock.now();
  const known = {
    status: invoice.status,
    due: invoiceDue(invoice),
    wasPaid: invoice.paidAt !== null,
    credited: invoice.credited,
  };
  const { status, change, credited } = settleInvoice(known, subscription.status, money, excessToCredit);
  const prorated = prorationBalance({ ...invoice, status }, money.kept);
  const earned = credited + prorated - invoice.credited - invoice.prorated;
  if (change === null && credited === invoice.credited && prorated === invoice.prorated) return;
  const before = await loadState(tx, subscription);
  const isReopened = status === 'open' && change === 'reversed';
  const after: StoredInvoice = {
    ...invoice,
    status,
    credited,
    prorated,
    payBy: isReopened ? Math.max(invoice.payBy, paymentDueAt(before, now, graceDays)) : invoice.payBy,
    paidAt: paidAt(invoice, change, now),
  };
  await updateInvoice(tx, after);
  const returned = returnedBalance(invoice, { status, change });
  const balance = BigInt(subscription.balanceMinor) + returned + earned;
  // A price that rose before it was paid is a debt; credit that it had reserved may be gone.
  const debt = change === 'paid' && earned < 0n ? -earned : 0n;
  const used = change === 'paid' ? invoice.applied : -earned;
  const lost = -balance - debt;
  const row = { ...subscription, balanceMinor: balance.toString() };
  const missing = lost < used ? lost : used;
  const left = await reclaim(tx, deps, { row, state: before, missing, graceDays, isDebt: false });
  const isTakenBack = left.reclaimed.length > 0 && change !== 'refunded';
  const isRenewed = change === 'paid' && !left.reclaimed.includes(after.n);
  const fact = isTakenBack && !isRenewed ? 'reversed' : change;
  const decision = await decideSettled(tx, { subscription: left.row, before: left.state, change: fact }, now);
  const stored = await findPaymentInvoice(tx, after.paymentId ?? '');
  const saved = await saveSubscription(tx, deps, left.row, decision, { invoice: stored ?? after });
  if (debt > 0n) await coverDebt(tx, deps, saved, debt);
}

/**
 * The balance that an invoice had used up and that returns with a change: all of it where the invoice is closed, and
 * after a refund only a debt, which the refunded money had paid.
 */
function returnedBalance(
  { status: from, applied }: StoredInvoice,
  { status, change }: Pick<ReturnType<typeof settleInvoice>, 'status' | 'change'>,
): bigint {
  if (status === 'void' && change === 'reversed') return applied;
  if (applied >= 0n) return 0n;
  if (change === 'refunded') return applied;
  return from === 'void' && change === 'paid' ? -applied : 0n;
}

interface Reclaiming {
  readonly row: SubscriptionRow;
  readonly state: Decision['state'];
}

/**
 * Takes back periods that credit paid whose money is gone: the subscription is entitled to what is paid by money that
 * is still there.
 * @param missing credit that was used up and is gone
 * @param isDebt leaves periods that have begun: a part of them is used, which the returned credit would pay again
 */
async function reclaim(
  tx: Tx,
  { clock, readKept }: InvoiceDeps,
  {
    row,
    state,
    missing,
    graceDays,
    isDebt,
  }: Reclaiming & { readonly missing: bigint; readonly graceDays: number; readonly isDebt: boolean },
): Promise<Reclaiming & { readonly reclaimed: readonly number[] }> {
  if (missing <= 0n || row.status === 'ended') return { row, state, reclaimed: [] };
  const now = clock.now();
  const at = state.pausedAt ?? now;
  const invoices = await invoicesAfter(tx, row.id, at);
  const takeable = isDebt ? invoices.filter(({ periodStart }) => periodStart >= at) : invoices;
  const { reclaimed, moved, schedule } = reclaimPeriods(takeable, state, { at, missing });
  let balance = BigInt(row.balanceMinor);
  for (const invoice of reclaimed) {
    // Its money is credit until its period is invoiced again.
    const money = await readMoney(invoice, readKept);
    balance += invoice.applied + money - invoice.prorated;
    const credited = invoice.credited + money;
    await updateInvoice(tx, { ...invoice, status: 'void', paidAt: null, credited, prorated: 0n });
  }
  for (const invoice of moved) {
    const payBy = paymentDueAt(state, Math.max(invoice.periodStart, now), graceDays);
    balance += invoice.prorated - (invoices.find(({ n }) => n === invoice.n)?.prorated ?? 0n);
    await updateInvoice(tx, { ...invoice, payBy });
  }
  return {
    row: { ...row, balanceMinor: balance.toString() },
    state: { ...state, schedule },
    reclaimed: reclaimed.map(({ n }) => n),
  };
}

/** What was paid for an invoice and is still there: less than it asked for where the shop accepted less. */
async function readMoney(invoice: StoredInvoice, readKept: ReadKept): Promise<bigint> {
  const due = invoiceDue(invoice);
  if (due <= 0n || invoice.paymentId === null) return 0n;
  const kept = await readKept(invoice.paymentId);
  if (kept <= 0n) return 0n;
  return kept < due ? kept : due;
}

/**
 * Takes back periods that credit paid and that have not begun, where a change of the price has made a debt: credit pays
 * the present period first.
 * @param debt by how much the balance has fallen, in minor units
 * @returns the row, stored where periods were taken back
 */
export async function coverDebt(
  tx: Tx,
  deps: InvoiceDeps,
  subscription: SubscriptionRow,
  debt: bigint,
): Promise<SubscriptionRow> {
  const now = deps.clock.now();
  const balance = BigInt(subscription.balanceMinor);
  const missing = -balance < debt ? -balance : debt;
  const { graceDays } = await readMerchant(tx, subscription.merchantId);
  const before = await loadState(tx, subscription);
  const left = await reclaim(tx, deps, {
    row: subscription,
    state: before,
    missing,
    graceDays,
    isDebt: true,
  });
  if (left.reclaimed.length === 0) return subscription;
  const decision = await decideSettled(
    tx,
    { subscription: left.row, before: left.state, change: 'reversed' },
    now,
  );
  return saveSubscription(tx, deps, left.row, decision);
}

function paidAt(
  { paidAt: since }: StoredInvoice,
  change: 'paid' | 'reversed' | 'refunded' | null,
  now: number,
): number | null {
  if (change === 'paid') return since ?? now;
  return change === 'reversed' ? null : since;
}

async function decideSettled(
  tx: Tx,
  {
    subscription: { id },
    before,
    change,
  }: {
    readonly subscription: SubscriptionRow;
    readonly before: Decision['state'];
    readonly change: 'paid' | 'reversed' | 'refunded' | null;
  },
  now: number,
): Promise<Decision> {
  // Only the balance has changed.
  if (change === null) return { state: before, events: ['subscription.updated'] };
  const { startsAt, trialEndsAt, pausedAt } = before;
  const span = { at: pausedAt ?? now, freeUntil: trialEndsAt ?? startsAt };
  const paid = coverPaidTime(await paidPeriods(tx, id), span);
  const [oldest] = await openInvoices(tx, id);
  const fact = { type: 'settled', change, ...paid, openPayBy: oldest?.payBy ?? null } as const;
  return decide(before, fact, now) ?? { state: before, events: [] };
}

/** An invoice that credit covers is paid without money. */
export async function payByCredit(
  tx: Tx,
  deps: EmitEventDeps,
  subscription: SubscriptionRow,
  invoice: StoredInvoice,
): Promise<SubscriptionRow> {
  const now = deps.clock.now();
  const before = await loadState(tx, subscription);
  const paid: StoredInvoice = { ...invoice, status: 'paid', paidAt: now };
  await updateInvoice(tx, paid);
  const decision = await decideSettled(tx, { subscription, before, change: 'paid' }, now);
  return saveSubscription(tx, deps, subscription, decision, { invoice: paid });
}
