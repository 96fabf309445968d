import { AppError } from '../../domain/errors.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { emitEvent } from '../events/emit-event.ts';
import type { AttemptReport, DeliveryAttempts } from './attempts.ts';
import { refuseGone } from './redeliver-webhook.ts';

export interface TestWebhookDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly attempts: DeliveryAttempts;
}

/**
 * Sends a `webhook.test` event to the merchant's own URL and waits for the first attempt.
 * @throws {AppError} MERCHANT_NOT_FOUND; INVALID_STATE when no URL is set or it answered 410.
 */
export async function testWebhook(
  deps: TestWebhookDeps,
  input: { readonly merchantId: string },
): Promise<AttemptReport & { eventId: string }> {
  const { eventId, deliveryId } = await deps.db.transaction(async (tx) => {
    const merchant = await findMerchant(tx, input.merchantId);
    if (merchant === undefined) throw new AppError('MERCHANT_NOT_FOUND', 'there is no such merchant');
    const url = merchant.webhook_url;
    if (url === null || url === '') throw new AppError('INVALID_STATE', 'the merchant has no webhook URL');
    await refuseGone(tx, { merchantId: merchant.id, paymentId: null, url });
    return emitEvent(tx, deps, {
      merchant: { id: merchant.id, webhookUrl: url },
      type: 'webhook.test',
      mode: merchant.sandbox === 1 ? 'sandbox' : 'live',
      paymentId: null,
      sendId: null,
      sequence: 0,
      data: { message: 'This is a test of your webhook URL. No money moved.' },
      paymentWebhookUrl: null,
    });
  });
  if (deliveryId === null) throw new AppError('INVALID_STATE', 'the merchant has no webhook URL');
  return { eventId, ...(await deps.attempts.attemptNow(deliveryId)) };
}
