import type { Tx } from '../../store/sqlite/database.ts';
import { endEndpointDeliveries, redirectEndpointDeliveries } from '../../store/webhooks/deliveries.ts';
import { clearGoneUrls } from '../../store/webhooks/gone-endpoints.ts';
import { forgetHealth } from '../../store/webhooks/webhook-endpoints.ts';

/**
 * Applies an edit of a merchant's webhookUrl, even to the same value: re-enables a URL disabled by a 410, and sends
 * pending deliveries to the new URL. Must run in the transaction of the edit; wake the delivery queue after the commit.
 */
export async function redirectDeliveries(
  tx: Tx,
  edit: { readonly merchantId: string; readonly webhookUrl: string | null; readonly now: number },
): Promise<void> {
  if (!tx.isTransaction) throw new Error('redirectDeliveries must run in the transaction of the edit');
  const { merchantId, webhookUrl: url, now } = edit;
  await clearGoneUrls(tx, merchantId);
  await forgetHealth(tx, merchantId);
  const of = { merchantId, endpointId: merchantId, now };
  if (url === null || url === '') await endEndpointDeliveries(tx, { ...of, why: 'webhookUrl was removed' });
  else await redirectEndpointDeliveries(tx, { ...of, url });
}
