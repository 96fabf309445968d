import { parseExact } from '../../domain/exact-json.ts';
import type { EventType } from '../../domain/events.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { listEventDeliveries, type StoredDelivery } from '../../store/webhooks/deliveries.ts';
import { listEvents as readEvents, type EventFilter, type StoredEvent } from '../../store/webhooks/events.ts';

/** An event and the state of its deliveries. */
export interface EventView {
  readonly id: string;
  /** Ascends in commit order; numbers may be skipped. */
  readonly seq: number;
  readonly type: EventType;
  readonly createdAt: string;
  readonly sandbox: boolean;
  readonly paymentId: string | null;
  readonly subscriptionId: string | null;
  readonly sequence: number;
  /** As in the webhook's body; empty once the event is older than the retention. */
  readonly data: Record<string, unknown>;
  /** Whether parts of data are missing: dropped for size when it was written, or for age. */
  readonly truncated: boolean;
  readonly deliveries: {
    readonly endpoint: string;
    readonly status: StoredDelivery['status'];
    readonly attempts: number;
    /** Null once it is settled. */
    readonly nextAttemptAt: string | null;
  }[];
}

/** One page of a merchant's events, newest first, with the exact total. */
export async function listEvents(
  deps: { readonly db: Db },
  filter: EventFilter,
): Promise<{ events: EventView[]; total: number }> {
  const { events, total } = await readEvents(deps.db, filter);
  return { events: await presentEvents(deps.db, events), total };
}

/** Events with their deliveries, in the order given. */
export async function presentEvents(db: Db, events: readonly StoredEvent[]): Promise<EventView[]> {
  const deliveries = await listEventDeliveries(
    db,
    events.map((event) => event.id),
  );
  const byEvent = Map.groupBy(deliveries, (delivery) => delivery.eventId);
  return events.map((event) => toView(event, byEvent.get(event.id) ?? []));
}

interface ReadBody {
  readonly data: Record<string, unknown>;
  readonly truncated?: true;
}

/** A forgotten or damaged body lacks all of its parts. */
function readBody(text: string | null): ReadBody {
  return text === null ? { data: {}, truncated: true } : (parseExact(text) as ReadBody);
}

function toView(event: StoredEvent, deliveries: readonly StoredDelivery[]): EventView {
  const body = readBody(event.bodyJson);
  return {
    id: event.id,
    seq: event.seq,
    type: event.type,
    createdAt: new Date(event.createdAt).toISOString(),
    sandbox: event.mode === 'sandbox',
    paymentId: event.paymentId,
    subscriptionId: event.subscriptionId,
    sequence: event.sequence,
    data: body.data,
    truncated: body.truncated === true,
    deliveries: deliveries.map((delivery) => ({
      endpoint: delivery.url,
      status: delivery.status,
      attempts: delivery.attempts,
      nextAttemptAt: delivery.status === 'pending' ? new Date(delivery.nextAttemptAt).toISOString() : null,
    })),
  };
}
