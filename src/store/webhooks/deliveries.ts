import { sql, type Selectable } from 'kysely';
import type { Mode } from '../../domain/coins.ts';
import type { EventType } from '../../domain/events.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { endpointKey } from './endpoint-key.ts';
import { prepared, preparedInsert, type ParamOf } from '../sqlite/prepared.ts';
import type { DeliveryRow } from '../schema/webhooks.ts';

export type StoredDelivery = Selectable<DeliveryRow>;

export interface NewDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventSeq: number;
  readonly merchantId: string;
  readonly paymentId: string | null;
  readonly mode: Mode;
  readonly eventType: EventType;
  readonly orderKey: string;
  readonly endpointId: string | null;
  readonly url: string;
  readonly now: number;
}

/** Queues an event for a URL, due now or once the deliveries before it in its order are done. */
export async function insertDelivery(tx: Tx, delivery: NewDelivery): Promise<void> {
  const [before] = await lastOfOrder(tx, { orderKey: delivery.orderKey });
  await insertRow(tx, {
    id: delivery.id,
    eventId: delivery.eventId,
    eventSeq: delivery.eventSeq,
    merchantId: delivery.merchantId,
    paymentId: delivery.paymentId,
    mode: delivery.mode,
    eventType: delivery.eventType,
    orderKey: delivery.orderKey,
    endpointId: delivery.endpointId,
    url: delivery.url,
    origin: endpointKey(delivery.merchantId, delivery.url, delivery.endpointId),
    status: 'pending',
    attempts: 0,
    nextAttemptAt: Math.max(delivery.now, before?.nextAttemptAt ?? 0),
    leaseUntil: null,
    leaseToken: null,
    createdAt: delivery.now,
    updatedAt: delivery.now,
  });
}

const insertRow = preparedInsert('deliveries');
const lastOfOrder = prepared((db, param: ParamOf<{ orderKey: string }>) =>
  db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.max('nextAttemptAt').as('nextAttemptAt'))
    .where('orderKey', '=', param('orderKey'))
    .where('status', '=', sql.lit('pending')),
);

/** The columns of a settled delivery: only pending ones wait for each other and share the slots of an endpoint. */
export function finishedColumns(status: 'delivered' | 'failed', now: number) {
  return { status, leaseToken: null, leaseUntil: null, orderKey: '', origin: '', updatedAt: now } as const;
}

export async function findDelivery(db: Db, id: string): Promise<StoredDelivery | undefined> {
  return db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The deliveries of these events, oldest first. */
export async function listEventDeliveries(db: Db, eventIds: readonly string[]): Promise<StoredDelivery[]> {
  if (eventIds.length === 0) return [];
  return db
    .selectFrom('deliveries')
    .selectAll()
    .where('eventId', 'in', eventIds)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

/**
 * Makes room for another delivery of an event to an endpoint, which is listed instead of the earlier ones.
 * Pending redeliveries stop; the first delivery, which keeps its payment's order, continues.
 */
export async function replaceDeliveries(
  tx: Tx,
  of: { readonly eventId: string; readonly endpointId: string | null; readonly now: number },
): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ replaced: true })
    .where('eventId', '=', of.eventId)
    .where('endpointId', 'is', of.endpointId)
    .execute();
  await tx
    .updateTable('deliveries')
    .set(finishedColumns('failed', of.now))
    .where('eventId', '=', of.eventId)
    .where('endpointId', 'is', of.endpointId)
    .where('status', '=', sql.lit('pending'))
    .whereRef('orderKey', '=', 'id')
    .execute();
}

/**
 * Redirects the pending deliveries of an endpoint to its edited URL, so that a wrong address does not delay
 * notifications, and resets their attempts: those at the old URL say nothing about the new one.
 */
export async function redirectEndpointDeliveries(
  tx: Tx,
  change: {
    readonly merchantId: string;
    readonly endpointId: string;
    readonly url: string;
    readonly now: number;
  },
): Promise<void> {
  const { merchantId, endpointId, url, now } = change;
  await tx
    .updateTable('deliveries')
    .set({
      url,
      origin: endpointKey(merchantId, url, endpointId),
      attempts: 0,
      nextAttemptAt: now,
      updatedAt: now,
    })
    .where('merchantId', '=', merchantId)
    .where('endpointId', '=', endpointId)
    .where('status', '=', sql.lit('pending'))
    .execute();
}

/**
 * Gives up the pending deliveries of a closed endpoint, each with a log of the reason. A delivery in flight
 * that succeeds still counts as delivered.
 */
export async function endEndpointDeliveries(
  tx: Tx,
  end: {
    readonly merchantId: string;
    readonly endpointId: string;
    readonly why: string;
    readonly now: number;
  },
): Promise<void> {
  const { merchantId, endpointId, why, now } = end;
  const error = `ended: ${why}`;
  // The id of a delivery serves for its log, because it is ended once.
  await sql`
    INSERT INTO webhook_logs (
      id, delivery_id, merchant_id, payment_id, endpoint, status, attempt, duration_ms, error,
      size_bytes, created_at, event_type)
    SELECT 'whl_' || substr(id, 5), id, merchant_id, payment_id, url, 0, attempts, 0, ${error},
      ${ENDED_LOG_BYTES}, ${now}, (SELECT type FROM events WHERE events.id = deliveries.event_id)
    FROM deliveries
    WHERE merchant_id = ${merchantId} AND endpoint_id = ${endpointId} AND status = 'pending'`.execute(tx);
  await tx
    .updateTable('deliveries')
    .set(finishedColumns('failed', now))
    .where('merchantId', '=', merchantId)
    .where('endpointId', '=', endpointId)
    .where('status', '=', sql.lit('pending'))
    .execute();
}

/** Approximate size of such a log on disk. */
const ENDED_LOG_BYTES = 500;
