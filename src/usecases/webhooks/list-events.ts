import { parseExact } from '../../domain/exact-json.ts';
import type { EventType } from '../../domain/events.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { listDeliveriesOf, type StoredDelivery } from '../../store/webhooks/deliveries.ts';
import { listEvents as readEvents, type EventFilter, type StoredEvent } from '../../store/webhooks/events.ts';

/** An event and the state of its delivery. */
export interface EventView {
  readonly id: string;
  readonly type: EventType;
  readonly createdAt: string;
  readonly sandbox: boolean;
  readonly paymentId: string | null;
  readonly sequence: number;
  /** As in the webhook's body. */
  readonly data: Record<string, unknown>;
  readonly deliveries: {
    readonly endpoint: string;
    readonly status: StoredDelivery['status'];
    readonly attempts: number;
    /** Null once it is settled. */
    readonly nextAttemptAt: string | null;
  }[];
}

/** One page of a merchant's events, newest first, with the exact number that match. */
export async function listEvents(
  deps: { readonly db: Db },
  filter: EventFilter,
): Promise<{ events: EventView[]; total: number }> {
  const { events, total } = await readEvents(deps.db, filter);
  const deliveries = await listDeliveriesOf(
    deps.db,
    events.map((event) => event.id),
  );
  return { events: events.map((event) => viewOf(event, deliveries)), total };
}

function viewOf(event: StoredEvent, deliveries: readonly StoredDelivery[]): EventView {
  const body = parseExact(event.body_json) as { data: Record<string, unknown> };
  return {
    id: event.id,
    type: event.type,
    createdAt: new Date(event.created_at).toISOString(),
    sandbox: event.mode === 'sandbox',
    paymentId: event.payment_id,
    sequence: event.sequence,
    data: body.data,
    deliveries: deliveries
      .filter((delivery) => delivery.event_id === event.id)
      .map((delivery) => ({
        endpoint: delivery.url,
        status: delivery.status,
        attempts: delivery.attempts,
        nextAttemptAt:
          delivery.status === 'pending' ? new Date(delivery.next_attempt_at).toISOString() : null,
      })),
  };
}
