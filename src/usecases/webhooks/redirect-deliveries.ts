import type { Tx } from '../../store/sqlite/database.ts';
import { redirectMerchantDeliveries } from '../../store/webhooks/deliveries.ts';
import { enableMerchantUrls } from '../../store/webhooks/disabled-endpoints.ts';

/**
 * What an edit of a merchant's webhookUrl means for its webhooks, even when the value stays the same:
 * a URL that rests after a 410 is used again, and what is still waiting goes to the new URL.
 * Must run in the transaction of the edit; wake the delivery queue after the commit.
 */
export async function redirectDeliveries(
  tx: Tx,
  edit: { readonly merchantId: string; readonly webhookUrl: string | null; readonly now: number },
): Promise<void> {
  if (!tx.isTransaction) throw new Error('webhooks are pointed elsewhere in the transaction of the edit');
  await enableMerchantUrls(tx, edit.merchantId);
  await redirectMerchantDeliveries(tx, {
    merchantId: edit.merchantId,
    url: edit.webhookUrl === '' ? null : edit.webhookUrl,
    now: edit.now,
  });
}
