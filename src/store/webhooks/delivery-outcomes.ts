import { sql } from 'kysely';
import type { Db, Tx } from '../sqlite/database.ts';
import { finishedColumns, type StoredDelivery } from './deliveries.ts';
import { preparedList, type ParamOf } from '../sqlite/prepared.ts';

export interface Settlement {
  readonly delivery: Pick<
    StoredDelivery,
    'id' | 'url' | 'orderKey' | 'eventId' | 'merchantId' | 'endpointId'
  >;
  readonly token: string;
  readonly attempts: number;
  readonly now: number;
}

/**
 * Settles a delivery if the token still has its lease, and frees the next in its order; but not for a failure
 * at a URL that the merchant has changed in the meantime.
 */
export async function failDelivery(tx: Tx, settlement: Settlement): Promise<void> {
  const { delivery, now } = settlement;
  if (await hasMoved(tx, delivery)) {
    await postponeDelivery(tx, settlement, now);
    return;
  }
  const isLeased = await update(tx, settlement, finishedColumns('failed', now));
  if (isLeased) await freeFollowers(tx, { now }, [delivery.orderKey]);
}

/**
 * Settles successful deliveries, and frees the next of their orders; ignores those whose lease another
 * attempt has.
 */
export async function markDelivered(tx: Tx, settlements: readonly Settlement[]): Promise<void> {
  const leased: Settlement[] = [];
  for (const [token, of] of Map.groupBy(settlements, (settlement) => settlement.token)) {
    const now = Math.max(...of.map((settlement) => settlement.now));
    const marked = await markRowsDelivered(
      tx,
      { token, now },
      of.map(({ delivery }) => delivery.id),
    );
    const ids = new Set(marked.map(({ id }) => id));
    for (const settlement of of) if (ids.has(settlement.delivery.id)) leased.push(settlement);
  }
  if (leased.length === 0) return;
  const pending = await stillPending(
    tx,
    {},
    leased.map(({ delivery }) => delivery.eventId),
  );
  const repeated = new Set(pending.map((each) => each.eventId));
  for (const { delivery, now } of leased) {
    if (repeated.has(delivery.eventId)) await markRepeatsDelivered(tx, delivery, now);
  }
  const now = Math.max(...leased.map((settlement) => settlement.now));
  await freeFollowers(
    tx,
    { now },
    leased.map(({ delivery }) => delivery.orderKey),
  );
}

const markRowsDelivered = preparedList((db, param: ParamOf<{ token: string; now: number }>, ids) =>
  db
    .updateTable('deliveries')
    .set((eb) => ({
      ...finishedColumns('delivered', param('now')),
      attempts: eb('attempts', '+', 1),
    }))
    .where('id', 'in', ids)
    // A delivery marked failed during its attempt was delivered nevertheless.
    .where((eb) =>
      eb.or([
        eb('status', '=', sql.lit('failed')),
        eb.and([eb('leaseToken', '=', param('token')), eb('status', '=', sql.lit('pending'))]),
      ]),
    )
    .returning('id'),
);

const stillPending = preparedList((db, _slot: ParamOf<object>, eventIds) =>
  db
    .selectFrom('deliveries')
    .select('eventId')
    .where('eventId', 'in', eventIds)
    .where('status', '=', sql.lit('pending')),
);

/**
 * Schedules the next attempt if the token still has the lease; later deliveries of its order continue to
 * wait. A failure at a URL that the merchant has changed in the meantime does not count for the new one.
 */
export async function postponeDelivery(tx: Tx, settlement: Settlement, at: number): Promise<boolean> {
  const { delivery, now } = settlement;
  const moved = await hasMoved(tx, delivery);
  const next = moved ? now : at;
  const isLeased = await update(tx, settlement, { nextAttemptAt: next, ...(moved ? { attempts: 0 } : {}) });
  if (isLeased) {
    await tx
      .updateTable('deliveries')
      .set({ nextAttemptAt: next })
      .where('orderKey', '=', delivery.orderKey)
      .where('status', '=', sql.lit('pending'))
      .where('id', '<>', delivery.id)
      .execute();
  }
  return isLeased;
}

/** Ends every pending delivery of a merchant to a URL, or only those of one payment. */
export async function endDeliveries(
  tx: Tx,
  target: { merchantId: string; url: string; paymentId?: string; now: number },
): Promise<void> {
  let query = tx
    .updateTable('deliveries')
    .set(finishedColumns('failed', target.now))
    .where('merchantId', '=', target.merchantId)
    .where('url', '=', target.url)
    .where('status', '=', sql.lit('pending'));
  if (target.paymentId !== undefined) query = query.where('paymentId', '=', target.paymentId);
  await query.execute();
  await freeMerchantFollowers(tx, target);
}

async function update(
  tx: Tx,
  settlement: Settlement,
  change: ReturnType<typeof finishedColumns> | { nextAttemptAt: number; attempts?: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('deliveries')
    .set({
      attempts: settlement.attempts,
      ...change,
      leaseToken: null,
      leaseUntil: null,
      updatedAt: settlement.now,
    })
    .where('id', '=', settlement.delivery.id)
    .where('leaseToken', '=', settlement.token)
    .where('status', '=', sql.lit('pending'))
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

/** The event reached this endpoint, so its other deliveries there are obsolete. */
async function markRepeatsDelivered(tx: Tx, delivery: Settlement['delivery'], now: number): Promise<void> {
  const repeats = await tx
    .selectFrom('deliveries')
    .select(['id', 'orderKey'])
    .where('eventId', '=', delivery.eventId)
    .where('url', '=', delivery.url)
    .where('endpointId', 'is', delivery.endpointId)
    .where('status', '=', sql.lit('pending'))
    .execute();
  await tx
    .updateTable('deliveries')
    .set(finishedColumns('delivered', now))
    .where(
      'id',
      'in',
      repeats.map(({ id }) => id),
    )
    .execute();
  await freeFollowers(
    tx,
    { now },
    repeats.map((repeat) => repeat.orderKey),
  );
}

/** Makes never-attempted deliveries due, because they waited only for earlier ones. */
const freeFollowers = preparedList((db, param: ParamOf<{ now: number }>, orderKeys) =>
  waitingOnly(db, param('now')).where('orderKey', 'in', orderKeys),
);

/** Like freeFollowers, for all orders of a merchant. */
async function freeMerchantFollowers(tx: Tx, which: { merchantId: string; now: number }): Promise<void> {
  await waitingOnly(tx, which.now).where('merchantId', '=', which.merchantId).execute();
}

const waitingOnly = (db: Db, now: number) =>
  db
    .updateTable('deliveries')
    .set({ nextAttemptAt: now })
    .where('status', '=', sql.lit('pending'))
    .where('attempts', '=', 0)
    .where('nextAttemptAt', '>', now);
