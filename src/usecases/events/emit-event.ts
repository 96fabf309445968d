import type { Mode } from '../../domain/coins.ts';
import type { EventType } from '../../domain/events.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { insertDelivery } from '../../store/webhooks/deliveries.ts';
import { insertEvent } from '../../store/webhooks/events.ts';
import { isEndpointGone } from '../../store/webhooks/gone-endpoints.ts';
import { isDeclaredEndpoint } from '../../store/webhooks/endpoint-key.ts';
import { endpointsTaking } from '../../store/webhooks/webhook-endpoints.ts';
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
  /** Its events are delivered in their order. */
  readonly subscriptionId?: string;
  /** The id of a send that waits for an approval: it has no row among the sends. */
  readonly approvalId?: string;
  /** The payment's or subscription's own event counter, from 1; 0 for other events. */
  readonly sequence: number;
  /** `data` of the webhook body, such as { payment }. */
  readonly data: object;
  /** The payment's webhookUrl, which takes precedence over the merchant's. */
  readonly paymentWebhookUrl: string | null;
  /** Time of the event, ms; defaults to now, unless its body already states it. */
  readonly at?: number;
  /**
   * The only endpoint to notify, regardless of its event types; by default all endpoints subscribed to the
   * type.
   */
  readonly only?: Target;
}

/** Destination of a delivery; the endpoint is null for the webhookUrl of a payment. */
export interface Target {
  readonly endpointId: string | null;
  readonly url: string;
}

/**
 * Stores an event and its deliveries: to the applicable webhook URL unless it answered 410, and to every
 * endpoint subscribed to the type. Must run in the transaction of the change that it reports; wake the
 * delivery queue after the commit.
 * @returns `deliveryId` of the first delivery; null without deliveries.
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
    merchantId: event.merchant.id,
    mode: event.mode,
    type: event.type,
    paymentId: event.paymentId,
    sendId: event.sendId,
    subscriptionId: event.subscriptionId ?? null,
    sequence: event.sequence,
    bodyJson: snapshotBody({
      id: eventId,
      type: event.type,
      timestamp: new Date(now).toISOString(),
      sandbox: event.mode === 'sandbox',
      sequence: event.sequence,
      data: event.data,
    }),
    createdAt: now,
  });
  const targets = event.only === undefined ? await listTargets(tx, event) : [event.only];
  const [deliveryId = null, ...others] = await addDeliveries(tx, event, targets, { eventId, eventSeq, now });
  const { type, mode, paymentId, sendId } = event;
  const fields = { type, mode, eventId, deliveryId, paymentId, sendId };
  tx.afterCommit(() =>
    deps.logger.info(
      others.length > 0 ? { ...fields, others } : fields,
      'event stored; its deliveries are queued',
    ),
  );
  return { eventId, deliveryId };
}

async function listTargets(tx: Tx, event: NewEvent): Promise<Target[]> {
  const { merchant, paymentId, paymentWebhookUrl } = event;
  const targets: Target[] = [];
  const url = paymentWebhookUrl ?? merchant.webhookUrl;
  if (url !== null && url !== '') {
    const isGone = await isEndpointGone(tx, { merchantId: merchant.id, paymentId, url });
    if (!isGone) targets.push({ endpointId: paymentWebhookUrl === null ? merchant.id : null, url });
  }
  for (const endpoint of await endpointsTaking(tx, merchant.id, event.type)) {
    targets.push({ endpointId: endpoint.id, url: endpoint.url });
  }
  return targets;
}

async function addDeliveries(
  tx: Tx,
  event: NewEvent,
  targets: readonly Target[],
  written: { eventId: string; eventSeq: number; now: number },
): Promise<string[]> {
  const order =
    event.paymentId ?? event.sendId ?? event.approvalId ?? event.subscriptionId ?? written.eventId;
  const ids: string[] = [];
  for (const { endpointId, url } of targets) {
    const id = newTimedId('dlv_', written.now);
    await insertDelivery(tx, {
      id,
      eventId: written.eventId,
      eventSeq: written.eventSeq,
      merchantId: event.merchant.id,
      paymentId: event.paymentId,
      mode: event.mode,
      eventType: event.type,
      // Each endpoint has its own order, so that none waits for another.
      orderKey: isDeclaredEndpoint(endpointId) ? `${order} ${endpointId}` : order,
      endpointId,
      url,
      now: written.now,
    });
    ids.push(id);
  }
  return ids;
}
