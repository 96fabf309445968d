import type { Tx } from './database.ts';
import type { StoredDelivery } from './deliveries.ts';

export interface Settlement {
  readonly delivery: Pick<StoredDelivery, 'id' | 'url' | 'order_key' | 'event_id' | 'merchant_id'>;
  readonly token: string;
  readonly attempts: number;
  readonly now: number;
}

/**
 * Ends a delivery if the token still holds its lease, and lets the next of its order go. A failure at
 * a URL the merchant has changed meanwhile does not count as one of the new URL.
 */
export async function failDelivery(tx: Tx, settlement: Settlement): Promise<void> {
  const { delivery, now } = settlement;
  if (await hasMoved(tx, delivery)) {
    await postponeDelivery(tx, settlement, now);
    return;
  }
  const held = await update(tx, settlement, { status: 'failed' });
  if (held) await freeFollowers(tx, { orderKeys: [delivery.order_key], now });
}

/**
 * Ends those that were delivered, in as few statements as for one, and lets the next of their orders
 * go; those whose lease is not held any more are left alone.
 */
export async function settleDelivered(tx: Tx, settlements: readonly Settlement[]): Promise<void> {
  const byLease = Map.groupBy(settlements, ({ token }) => token);
  const held: Settlement[] = [];
  for (const [token, leased] of byLease) {
    const now = Math.max(...leased.map((each) => each.now));
    const rows = await tx
      .updateTable('deliveries')
      .set((eb) => ({
        status: 'delivered' as const,
        attempts: eb('attempts', '+', 1),
        lease_token: null,
        lease_until: null,
        updated_at: now,
      }))
      .where(
        'id',
        'in',
        leased.map(({ delivery }) => delivery.id),
      )
      .where('lease_token', '=', token)
      .where('status', '=', 'pending')
      .returning('id')
      .execute();
    const ids = new Set(rows.map(({ id }) => id));
    held.push(...leased.filter(({ delivery }) => ids.has(delivery.id)));
  }
  if (held.length === 0) return;
  const repeated = await eventsStillPending(
    tx,
    held.map(({ delivery }) => delivery.event_id),
  );
  for (const { delivery, now } of held) {
    if (repeated.has(delivery.event_id)) await settleRepeats(tx, delivery, now);
  }
  const now = Math.max(...held.map((each) => each.now));
  await freeFollowers(tx, { orderKeys: held.map(({ delivery }) => delivery.order_key), now });
}

async function eventsStillPending(tx: Tx, eventIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('deliveries')
    .select('event_id')
    .distinct()
    .where('event_id', 'in', eventIds)
    .where('status', '=', 'pending')
    .execute();
  return new Set(rows.map((row) => row.event_id));
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
  change: { status: 'failed' } | { next_attempt_at: number },
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
  for (const repeat of repeats) await freeFollowers(tx, { orderKeys: [repeat.order_key], now });
}

/** Makes due whatever was never tried: it had only been waiting for those before it. */
async function freeFollowers(
  tx: Tx,
  which: { orderKeys: readonly string[]; now: number } | { merchantId: string; now: number },
): Promise<void> {
  let query = tx
    .updateTable('deliveries')
    .set({ next_attempt_at: which.now })
    .where('status', '=', 'pending')
    .where('attempts', '=', 0)
    .where('next_attempt_at', '>', which.now);
  query =
    'orderKeys' in which
      ? query.where('order_key', 'in', which.orderKeys)
      : query.where('merchant_id', '=', which.merchantId);
  await query.execute();
}
