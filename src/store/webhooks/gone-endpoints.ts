import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';

/** Marks a merchant's own URL in this table, as opposed to a payment's. */
const MERCHANT_URL = '';

/** Whether a URL answered 410 for this payment, or as the merchant's own URL since it was last edited. */
export async function isEndpointGone(
  db: Db,
  endpoint: { merchantId: string; paymentId: string | null; url: string },
): Promise<boolean> {
  const { merchantId, url } = endpoint;
  const rows = await gone(db, { merchantId, paymentId: endpoint.paymentId ?? MERCHANT_URL, url });
  return rows.length > 0;
}

const gone = prepared((db, param: ParamOf<{ merchantId: string; paymentId: string; url: string }>) =>
  db
    .selectFrom('gone_endpoints')
    .select('url')
    .where('merchantId', '=', param('merchantId'))
    .where('paymentId', 'in', [MERCHANT_URL, param('paymentId')])
    .where('url', '=', param('url'))
    .limit(1),
);

/** Stores that a URL answered 410: for one payment, or (paymentId null) as the merchant's own. */
export async function markEndpointGone(
  tx: Tx,
  endpoint: { merchantId: string; paymentId: string | null; url: string; now: number },
): Promise<void> {
  await tx
    .insertInto('gone_endpoints')
    .values({
      merchantId: endpoint.merchantId,
      paymentId: endpoint.paymentId ?? MERCHANT_URL,
      url: endpoint.url,
      createdAt: endpoint.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Enables the merchant's own URLs again. Call it whenever the merchant edits webhookUrl, even to the same value. */
export async function clearGoneUrls(db: Db, merchantId: string): Promise<void> {
  await db
    .deleteFrom('gone_endpoints')
    .where('merchantId', '=', merchantId)
    .where('paymentId', '=', MERCHANT_URL)
    .execute();
}
