import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { insertDelivery, replaceDeliveries } from '../../store/webhooks/deliveries.ts';
import { findEvent } from '../../store/webhooks/events.ts';
import { isEndpointGone } from '../../store/webhooks/gone-endpoints.ts';
import { isDeclaredEndpoint } from '../../store/webhooks/endpoint-key.ts';
import { findEndpoint, isOpen, type StoredEndpoint } from '../../store/webhooks/webhook-endpoints.ts';
import { findPaymentWebhookUrl } from '../../store/webhooks/webhook-targets.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { findWebhookLog, type StoredWebhookLog } from '../../store/webhooks/webhook-logs.ts';
import { newTimedId, type Target } from '../events/index.ts';
import type { AttemptReport, DeliveryAttempts } from './attempts.ts';

export interface RedeliverWebhookDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly attempts: DeliveryAttempts;
}

/**
 * Sends the event of a logged attempt again, at once and outside its payment's order, to the current URL; on failure it
 * is retried like any delivery. Body and webhook-id are the original ones.
 * @throws {AppError} LOG_NOT_FOUND; INVALID_STATE when no URL is set or it answered 410.
 */
export async function redeliverWebhook(
  deps: RedeliverWebhookDeps,
  input: { readonly merchantId: string; readonly logId: string },
): Promise<AttemptReport> {
  const deliveryId = await deps.db.transaction(async (tx) => {
    const log = await findWebhookLog(tx, { merchantId: input.merchantId, id: input.logId });
    if (log === undefined) throw new AppError('LOG_NOT_FOUND', 'there is no such webhook log');
    return requeueEvent(tx, log, deps.clock.now());
  });
  return deps.attempts.attemptNow(deliveryId);
}

async function requeueEvent(tx: Tx, log: StoredWebhookLog, now: number): Promise<string> {
  const { merchantId, paymentId } = log;
  const event = await findEvent(tx, log.eventId);
  if (event === undefined)
    throw new AppError('LOG_NOT_FOUND', 'the event of this webhook log is no longer stored');
  const { endpointId, url } = await currentTarget(tx, log);
  await replaceDeliveries(tx, { eventId: event.id, endpointId, now });
  const id = newTimedId('dlv_', now);
  await insertDelivery(tx, {
    id,
    eventId: event.id,
    eventSeq: event.seq,
    merchantId,
    paymentId,
    mode: event.mode,
    eventType: event.type,
    // An order key of its own: it neither waits for nor delays the payment's other events.
    orderKey: id,
    endpointId,
    url,
    now,
  });
  return id;
}

/** The current endpoint of a log. */
async function currentTarget(tx: Tx, log: StoredWebhookLog): Promise<Target> {
  const { merchantId, paymentId, endpointId } = log;
  if (isDeclaredEndpoint(endpointId)) {
    const endpoint = await findEndpoint(tx, endpointId);
    if (endpoint === undefined) throw new AppError('INVALID_STATE', 'this webhook endpoint was deleted');
    refuseInactiveEndpoint(endpoint);
    return { endpointId, url: endpoint.url };
  }
  const paymentUrl = paymentId === null ? null : await findPaymentWebhookUrl(tx, paymentId);
  const isOwn = paymentUrl !== null && paymentUrl !== '';
  const url = isOwn ? paymentUrl : (await findMerchant(tx, merchantId))?.webhookUrl;
  if (!url) throw new AppError('INVALID_STATE', 'no webhook URL is set');
  await refuseGoneEndpoint(tx, { merchantId, paymentId, url });
  return { endpointId: isOwn ? null : merchantId, url };
}

/** @throws {AppError} INVALID_STATE when an endpoint is inactive. */
export function refuseInactiveEndpoint(endpoint: StoredEndpoint): void {
  if (isOpen(endpoint)) return;
  const why = !endpoint.active ? 'is not active' : 'answered 410 Gone: edit it to use it again';
  throw new AppError('INVALID_STATE', `this webhook endpoint ${why}`);
}

/** @throws {AppError} INVALID_STATE when the URL answered 410 and was not edited since. */
export async function refuseGoneEndpoint(
  tx: Tx,
  endpoint: { merchantId: string; paymentId: string | null; url: string },
): Promise<void> {
  if (!(await isEndpointGone(tx, endpoint))) return;
  throw new AppError(
    'INVALID_STATE',
    'this webhook URL answered 410 Gone: save it in the merchant settings to use it again',
  );
}
