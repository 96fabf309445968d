import type { Mode } from '../../domain/coins.ts';
import type { EventType } from '../../domain/events.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { insertDelivery } from '../../store/webhooks/deliveries.ts';
import { insertEvent } from '../../store/webhooks/events.ts';
import { isEndpointDisabled } from '../../store/webhooks/disabled-endpoints.ts';
import { snapshotBody } from './event-body.ts';
import { newTimedId } from './new-id.ts';

export interface EmitEventDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface NewEvent {
  readonly merchant: { readonly id: string; readonly webhookUrl: string | null };
  readonly type: EventType;
  readonly mode: Mode;
  readonly paymentId: string | null;
  readonly sendId: string | null;
  /** The payment's own event counter, from 1; 0 for events of no payment. */
  readonly sequence: number;
  /** `data` of the webhook body, such as { payment }. */
  readonly data: object;
  /** The payment's webhookUrl, which takes precedence over the merchant's. */
  readonly paymentWebhookUrl: string | null;
  /** Time of the event, ms; now, unless its body already states it. */
  readonly at?: number;
}

/**
 * Writes an event and, when a webhook URL applies and has not answered 410, its delivery. Must run in the transaction
 * of the change it reports; wake the delivery queue after the commit.
 */
export async function emitEvent(
  tx: Tx,
  deps: EmitEventDeps,
  event: NewEvent,
): Promise<{ eventId: string; deliveryId: string | null }> {
  if (!tx.isTransaction) throw new Error('an event must be written in the transaction of its change');
  const now = event.at ?? deps.clock.now();
  const eventId = newTimedId('evt_', now);
  const eventSeq = await insertEvent(tx, {
    id: eventId,
    merchant_id: event.merchant.id,
    mode: event.mode,
    type: event.type,
    payment_id: event.paymentId,
    send_id: event.sendId,
    sequence: event.sequence,
    body_json: snapshotBody({
      id: eventId,
      type: event.type,
      timestamp: new Date(now).toISOString(),
      sandbox: event.mode === 'sandbox',
      sequence: event.sequence,
      data: event.data,
    }),
    created_at: now,
  });
  const deliveryId = await addDelivery(tx, event, { eventId, eventSeq, now });
  const { type, mode, paymentId, sendId } = event;
  tx.afterCommit(() => deps.logger.info({ type, mode, eventId, deliveryId, paymentId, sendId }, 'event'));
  return { eventId, deliveryId };
}

async function addDelivery(
  tx: Tx,
  event: NewEvent,
  written: { eventId: string; eventSeq: number; now: number },
): Promise<string | null> {
  const url = event.paymentWebhookUrl ?? event.merchant.webhookUrl;
  if (url === null || url === '') return null;
  const { paymentId } = event;
  if (await isEndpointDisabled(tx, { merchantId: event.merchant.id, paymentId, url })) return null;
  const id = newTimedId('dlv_', written.now);
  await insertDelivery(tx, {
    id,
    eventId: written.eventId,
    eventSeq: written.eventSeq,
    merchantId: event.merchant.id,
    paymentId,
    orderKey: paymentId ?? event.sendId ?? written.eventId,
    url,
    now: written.now,
  });
  return id;
}
