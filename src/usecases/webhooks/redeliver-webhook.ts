import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { insertDelivery, supersedeRedeliveries } from '../../store/webhooks/deliveries.ts';
import { findEvent } from '../../store/webhooks/events.ts';
import { isEndpointDisabled } from '../../store/webhooks/disabled-endpoints.ts';
import { findWebhookLog, type StoredWebhookLog } from '../../store/webhooks/webhook-logs.ts';
import { newTimedId } from '../events/new-id.ts';
import type { AttemptReport, DeliveryAttempts } from './attempts.ts';
import { currentWebhookUrl } from './current-webhook-url.ts';

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
    return queueAgain(tx, log, deps.clock.now());
  });
  return deps.attempts.attemptNow(deliveryId);
}

async function queueAgain(tx: Tx, log: StoredWebhookLog, now: number): Promise<string> {
  const { merchant_id: merchantId, payment_id: paymentId } = log;
  const event = await findEvent(tx, log.event_id);
  const url = await currentWebhookUrl(tx, { merchantId, paymentId });
  if (event === undefined || url === null) throw new AppError('INVALID_STATE', 'no webhook URL is set');
  await refuseGone(tx, { merchantId, paymentId, url });
  await supersedeRedeliveries(tx, event.id, now);
  const id = newTimedId('dlv_', now);
  await insertDelivery(tx, {
    id,
    eventId: event.id,
    eventSeq: event.seq,
    merchantId,
    paymentId,
    // An order key of its own: it neither waits for nor delays the payment's other events.
    orderKey: id,
    url,
    now,
  });
  return id;
}

/** @throws {AppError} INVALID_STATE when the URL answered 410 and was not edited since. */
export async function refuseGone(
  tx: Tx,
  endpoint: { merchantId: string; paymentId: string | null; url: string },
): Promise<void> {
  if (!(await isEndpointDisabled(tx, endpoint))) return;
  throw new AppError(
    'INVALID_STATE',
    'this webhook URL answered 410 Gone: save it in the merchant settings to use it again',
  );
}
