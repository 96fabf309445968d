import type { Db } from '../../store/sqlite/database.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { findPaymentWebhookUrl } from '../../store/webhooks/webhook-targets.ts';

/** The URL that events go to now: the payment's webhookUrl, else the merchant's; null when neither is set. */
export async function currentWebhookUrl(
  db: Db,
  target: { merchantId: string; paymentId: string | null },
): Promise<string | null> {
  const own = target.paymentId === null ? null : await findPaymentWebhookUrl(db, target.paymentId);
  if (own !== null && own !== '') return own;
  const merchant = await findMerchant(db, target.merchantId);
  return merchant?.webhook_url ? merchant.webhook_url : null;
}
