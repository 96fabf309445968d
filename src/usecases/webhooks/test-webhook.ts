import { AppError } from '../../domain/errors.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { emitEvent, type Target } from '../events/index.ts';
import type { AttemptReport, DeliveryAttempts } from './attempts.ts';
import { findOwnEndpoint } from './find-own-endpoint.ts';
import { refuseInactiveEndpoint, refuseGoneEndpoint } from './redeliver-webhook.ts';

export interface TestWebhookDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly attempts: DeliveryAttempts;
}

/**
 * Sends a `webhook.test` event to one endpoint, by default the merchant's own URL, and waits for the first
 * attempt.
 * @throws {AppError} MERCHANT_NOT_FOUND; ENDPOINT_NOT_FOUND; INVALID_STATE when no URL is set, it answered
 * 410 or is not active.
 */
export async function testWebhook(
  deps: TestWebhookDeps,
  input: { readonly merchantId: string; readonly endpointId?: string | undefined },
): Promise<AttemptReport & { eventId: string }> {
  const { eventId, deliveryId } = await deps.db.transaction(async (tx) => {
    const merchant = await findMerchant(tx, input.merchantId);
    if (merchant === undefined) throw new AppError('MERCHANT_NOT_FOUND', 'there is no such merchant');
    const only = await testTarget(tx, merchant, input.endpointId ?? merchant.id);
    return emitEvent(tx, deps, {
      merchant: { id: merchant.id, webhookUrl: merchant.webhookUrl },
      type: 'webhook.test',
      mode: merchant.sandbox ? 'sandbox' : 'live',
      paymentId: null,
      sendId: null,
      sequence: 0,
      data: { message: 'This is a test of your webhook URL. No money moved.' },
      paymentWebhookUrl: null,
      only,
    });
  });
  if (deliveryId === null) throw new Error('the test event has no delivery');
  return { eventId, ...(await deps.attempts.attemptNow(deliveryId)) };
}

async function testTarget(tx: Tx, merchant: MerchantRow, endpointId: string): Promise<Target> {
  if (endpointId !== merchant.id) {
    const endpoint = await findOwnEndpoint(tx, { merchantId: merchant.id, endpointId });
    refuseInactiveEndpoint(endpoint);
    return { endpointId, url: endpoint.url };
  }
  const url = merchant.webhookUrl;
  if (url === null || url === '') throw new AppError('INVALID_STATE', 'the merchant has no webhook URL');
  await refuseGoneEndpoint(tx, { merchantId: merchant.id, paymentId: null, url });
  return { endpointId, url };
}
