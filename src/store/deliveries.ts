import type { Selectable } from 'kysely';
import type { Tx } from './database.ts';
import type { DeliveryRow } from './tables.ts';

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
  const before = await tx
    .selectFrom('deliveries')
    .select((eb) => eb.fn.max('next_attempt_at').as('next_attempt_at'))
    .where('order_key', '=', delivery.orderKey)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  await tx
    .insertInto('deliveries')
    .values({
      id: delivery.id,
      event_id: delivery.eventId,
      event_seq: delivery.eventSeq,
      merchant_id: delivery.merchantId,
      payment_id: delivery.paymentId,
      order_key: delivery.orderKey,
      url: delivery.url,
      origin: originOf(delivery.url),
      status: 'pending',
      attempts: 0,
      next_attempt_at: Math.max(delivery.now, before?.next_attempt_at ?? 0),
      lease_until: null,
      lease_token: null,
      created_at: delivery.now,
      updated_at: delivery.now,
    })
    .execute();
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
