import { sql, type Selectable } from 'kysely';
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
  readonly orderKey: string;
  readonly url: string;
  readonly now: number;
}

/** Queues an event for a URL, due now or when the deliveries before it in its order are. */
export async function insertDelivery(tx: Tx, delivery: NewDelivery): Promise<void> {
  const [before] = await lastOfOrder(tx, { orderKey: delivery.orderKey });
  await insertRow(tx, {
    id: delivery.id,
    event_id: delivery.eventId,
    event_seq: delivery.eventSeq,
    merchant_id: delivery.merchantId,
    payment_id: delivery.paymentId,
    order_key: delivery.orderKey,
    url: delivery.url,
    origin: endpointKey(delivery.merchantId, delivery.url),
    status: 'pending',
    attempts: 0,
    next_attempt_at: Math.max(delivery.now, before?.next_attempt_at ?? 0),
    lease_until: null,
    lease_token: null,
    created_at: delivery.now,
    updated_at: delivery.now,
  });
}

const insertRow = preparedInsert('deliveries');
const lastOfOrder = prepared((db, param: ParamOf<{ orderKey: string }>) =>
  db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.max('next_attempt_at').as('next_attempt_at'))
    .where('order_key', '=', param('orderKey'))
    .where('status', '=', sql.lit('pending')),
);

export async function findDelivery(db: Db, id: string): Promise<StoredDelivery | undefined> {
  return db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The deliveries of these events, oldest first. */
export async function listDeliveriesOf(db: Db, eventIds: readonly string[]): Promise<StoredDelivery[]> {
  if (eventIds.length === 0) return [];
  return db
    .selectFrom('deliveries')
    .selectAll()
    .where('event_id', 'in', eventIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/**
 * Stops the pending redeliveries of an event, so that asking again replaces them. The first delivery,
 * which keeps its payment's order, goes on.
 */
export async function supersedeRedeliveries(tx: Tx, eventId: string, now: number): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ status: 'failed', lease_token: null, lease_until: null, updated_at: now })
    .where('event_id', '=', eventId)
    .where('status', '=', sql.lit('pending'))
    .whereRef('order_key', '=', 'id')
    .execute();
}

/**
 * Points a merchant's pending deliveries at its edited webhook URL (null: ends them), so that a wrong
 * address does not keep notifications back, with all attempts before them: those at the old URL say nothing
 * of the new one. Payments with a webhookUrl of their own are left alone.
 */
export async function redirectMerchantDeliveries(
  tx: Tx,
  change: { merchantId: string; url: string | null; now: number },
): Promise<void> {
  const { now, url } = change;
  await tx
    .updateTable('deliveries')
    .set(
      url === null
        ? { status: 'failed', lease_token: null, lease_until: null, updated_at: now }
        : {
            url,
            origin: endpointKey(change.merchantId, url),
            attempts: 0,
            next_attempt_at: now,
            updated_at: now,
          },
    )
    .where('merchant_id', '=', change.merchantId)
    .where('status', '=', sql.lit('pending'))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('payments')
            .select('payments.id')
            .whereRef('payments.id', '=', 'deliveries.payment_id')
            .where('payments.webhook_url', 'is not', null),
        ),
      ),
    )
    .execute();
}
