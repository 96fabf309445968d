import type { Tx } from './database.ts';
import type { StoredDelivery } from './deliveries.ts';

export interface Settlement {
  readonly delivery: Pick<StoredDelivery, 'id' | 'url' | 'order_key' | 'event_id' | 'merchant_id'>;
  readonly token: string;
  readonly attempts: number;
  readonly now: number;
}

/**
 * Ends a delivery if the token still holds its lease, and lets the next of its order go.
 * A failure at a URL the merchant has changed meanwhile does not count as one of the new URL.
 * @returns whether the lease was still held.
 */
export async function settleDelivery(
  tx: Tx,
  settlement: Settlement,
  status: 'delivered' | 'failed',
): Promise<boolean> {
  const { delivery, now } = settlement;
  if (status === 'failed' && (await hasMoved(tx, delivery))) {
    return postponeDelivery(tx, settlement, now);
  }
  const held = await update(tx, settlement, { status });
  if (held && status === 'delivered') await settleRepeats(tx, delivery, now);
  if (held) await freeFollowers(tx, { orderKey: delivery.order_key, now });
  return held;
}

/** Plans the next attempt if the token still holds the lease; what waits behind it waits along. */
export async function postponeDelivery(tx: Tx, settlement: Settlement, at: number): Promise<boolean> {
  const { delivery, now } = settlement;
  const next = (await hasMoved(tx, delivery)) ? now : at;
  const held = await update(tx, settlement, { next_attempt_at: next });
  if (held) {
    await tx
      .updateTable('deliveries')
      .set({ next_attempt_at: next })
      .where('order_key', '=', delivery.order_key)
      .where('status', '=', 'pending')
      .where('id', '<>', delivery.id)
      .execute();
  }
  return held;
}

/** Ends every pending delivery of a merchant to a URL, or only those of one payment. */
export async function endDeliveries(
  tx: Tx,
  target: { merchantId: string; url: string; paymentId?: string; now: number },
): Promise<void> {
  let query = tx
    .updateTable('deliveries')
    .set({ status: 'failed', lease_token: null, lease_until: null, updated_at: target.now })
    .where('merchant_id', '=', target.merchantId)
    .where('url', '=', target.url)
    .where('status', '=', 'pending');
  if (target.paymentId !== undefined) query = query.where('payment_id', '=', target.paymentId);
  await query.execute();
  await freeFollowers(tx, { merchantId: target.merchantId, now: target.now });
}

async function update(
  tx: Tx,
  settlement: Settlement,
  change: { status: 'delivered' | 'failed' } | { next_attempt_at: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('deliveries')
    .set({
      ...change,
      attempts: settlement.attempts,
      lease_token: null,
      lease_until: null,
      updated_at: settlement.now,
    })
    .where('id', '=', settlement.delivery.id)
    .where('lease_token', '=', settlement.token)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

async function hasMoved(tx: Tx, delivery: Pick<StoredDelivery, 'id' | 'url'>): Promise<boolean> {
  const row = await tx
    .selectFrom('deliveries')
    .select('url')
    .where('id', '=', delivery.id)
    .executeTakeFirst();
  return row !== undefined && row.url !== delivery.url;
}

/** The event reached this URL: its other deliveries there have nothing left to do. */
async function settleRepeats(tx: Tx, delivery: Settlement['delivery'], now: number): Promise<void> {
  const repeats = await tx
    .updateTable('deliveries')
    .set({ status: 'delivered', lease_token: null, lease_until: null, updated_at: now })
    .where('event_id', '=', delivery.event_id)
    .where('url', '=', delivery.url)
    .where('status', '=', 'pending')
    .returning('order_key')
    .execute();
  for (const repeat of repeats) await freeFollowers(tx, { orderKey: repeat.order_key, now });
}

/** Makes due whatever was never tried: it had only been waiting for those before it. */
async function freeFollowers(
  tx: Tx,
  which: { orderKey: string; now: number } | { merchantId: string; now: number },
): Promise<void> {
  let query = tx
    .updateTable('deliveries')
    .set({ next_attempt_at: which.now })
    .where('status', '=', 'pending')
    .where('attempts', '=', 0)
    .where('next_attempt_at', '>', which.now);
  query =
    'orderKey' in which
      ? query.where('order_key', '=', which.orderKey)
      : query.where('merchant_id', '=', which.merchantId);
  await query.execute();
}
