import { planMails } from '../../domain/subscription/mails.ts';
import { isInvoiceDue, nextDecisionAt } from '../../domain/subscription/subscription-machine.ts';
import type { Decision } from '../../domain/subscription/types.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { openInvoices, type StoredInvoice } from '../../store/subscriptions/invoices.ts';
import { insertSubscriptionMails } from '../../store/subscriptions/mails.ts';
import { updateSubscription } from '../../store/subscriptions/subscriptions.ts';
import { emitEvent, type EmitEventDeps } from '../events/index.ts';
import { presentInvoice, presentSubscription } from './present-subscription.ts';
import { stateColumns } from './subscription-state.ts';

/** No invoice waits to be made. */
export const NO_PROBLEM = { problem: null, problemAt: null } as const;

/** The shop of a stored row, which always exists. */
export async function readMerchant(tx: Tx, merchantId: string): Promise<MerchantRow> {
  const merchant = await findMerchant(tx, merchantId);
  if (merchant === undefined) throw new Error(`merchant ${merchantId} does not exist`);
  return merchant;
}

/**
 * Stores a decided subscription with its events and mails, in the transaction of the change. The invoices that belong to
 * the decision are written before.
 * @param row with the other changes of this transaction
 * @param about the invoice of the events, or what the shop noted
 * @returns the row as stored
 */
export async function saveSubscription(
  tx: Tx,
  deps: EmitEventDeps,
  row: SubscriptionRow,
  { state, events }: Decision,
  about: { readonly invoice?: StoredInvoice; readonly note?: string | null } = {},
): Promise<SubscriptionRow> {
  const now = deps.clock.now();
  const merchant = await readMerchant(tx, row.merchantId);
  const { invoiceLeadDays: leadDays } = merchant;
  const saved: SubscriptionRow = {
    ...row,
    ...stateColumns(state),
    ...(isInvoiceDue(state, leadDays, now) ? {} : NO_PROBLEM),
    nextDecisionAt: nextDecisionAt(state, leadDays, now),
    sequence: row.sequence + events.length,
    updatedAt: now,
  };
  await updateSubscription(tx, saved);
  await storeMails(tx, { before: row, decision: { state, events }, invoice: about.invoice, leadDays, now });
  const subscription = await presentSubscription(tx, saved, { now, leadDays });
  const { invoice, note = null } = about;
  const data = {
    subscription,
    ...(invoice === undefined ? {} : { invoice: presentInvoice(invoice) }),
    ...(note === null ? {} : { note }),
  };
  for (const [at, type] of events.entries()) {
    await emitEvent(tx, deps, {
      merchant: { id: merchant.id, webhookUrl: merchant.webhookUrl },
      type,
      mode: saved.mode,
      paymentId: null,
      sendId: null,
      subscriptionId: saved.id,
      sequence: row.sequence + at + 1,
      data,
      paymentWebhookUrl: null,
      at: now,
    });
  }
  return saved;
}

async function storeMails(
  tx: Tx,
  {
    before,
    decision: { state, events },
    invoice,
    leadDays,
    now,
  }: {
    readonly before: SubscriptionRow;
    readonly decision: Decision;
    readonly invoice: StoredInvoice | undefined;
    readonly leadDays: number;
    readonly now: number;
  },
): Promise<void> {
  const [oldest = null] = invoice === undefined ? await openInvoices(tx, before.id) : [invoice];
  const mails = planMails({ before, after: state, events, invoice: oldest, leadDays, now });
  const rows = mails.map((mail) => ({ ...mail, subscriptionId: before.id, mailed: 0, createdAt: now }));
  await insertSubscriptionMails(tx, rows);
}
