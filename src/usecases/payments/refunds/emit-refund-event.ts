import type { EventType } from '../../../domain/events.ts';
import { getWebhookUrl } from '../../../store/merchants/merchants.ts';
import { findPayment, updatePayment } from '../../../store/payments/payments.ts';
import type { StoredRefundLink } from '../../../store/payments/refund-links.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { emitEvent, type EmitEventDeps } from '../../events/index.ts';
import { loadGroupLead } from '../load-payment.ts';
import { presentLoaded, presentTimeline, type PresentDeps } from '../present-payment.ts';
import { presentLink } from './present-link.ts';

type RefundLinkEvent = Extract<EventType, `refund.${string}` | 'payment.refund_failed'>;
type RefundEvent = Extract<EventType, 'payment.partially_refunded' | 'payment.refund_failed'>;

export interface EmitRefundEventDeps extends PresentDeps, EmitEventDeps {
  /** Called after the commit with the payment, because its presentation may have changed. */
  readonly onPaymentChanged: (paymentId: string) => void;
}

/**
 * Notifies the merchant about a refund link, in the transaction that changed it: an event of its payment, in
 * order with the others. It omits the link's address, because event bodies are stored unencrypted.
 */
export async function emitRefundEvent(
  tx: Tx,
  deps: EmitRefundEventDeps,
  type: RefundLinkEvent,
  link: StoredRefundLink,
): Promise<void> {
  await emit(tx, deps, type, link.paymentId, { refundLink: presentLink(link, null) });
}

/** Notifies the merchant about a refund to an address, with an event of its payment. */
export async function emitDirectRefundEvent(
  tx: Tx,
  deps: EmitRefundEventDeps,
  type: RefundEvent,
  paymentId: string,
): Promise<void> {
  await emit(tx, deps, type, paymentId, {});
}

async function emit(
  tx: Tx,
  deps: EmitRefundEventDeps,
  type: RefundLinkEvent | RefundEvent,
  paymentId: string,
  data: object,
): Promise<void> {
  const before = await findPayment(tx, paymentId);
  if (before === undefined) throw new Error(`payment ${paymentId} does not exist`);
  const at = deps.clock.now();
  const same = { ...before, updatedAt: at };
  await updatePayment(tx, before.id, same, { events: 1, from: before });
  const row = { ...before, updatedAt: at, sequence: before.sequence + 1 };
  const { sequence } = row;
  const timeline = [...(await presentTimeline(tx, row.id)), { type, sequence, at }];
  await emitEvent(tx, deps, {
    merchant: { id: row.merchantId, webhookUrl: await getWebhookUrl(tx, row.merchantId) },
    type,
    mode: row.mode,
    paymentId: row.id,
    sendId: null,
    sequence,
    data: {
      payment: presentLoaded(deps, await loadGroupLead(tx, deps, row), timeline),
      ...data,
    },
    paymentWebhookUrl: row.webhookUrl,
    at,
  });
  tx.afterCommit(() => deps.onPaymentChanged(row.id));
}
