import type { EventType } from '../../domain/events.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  deliveriesOfEvents,
  lastOutcomes,
  listDeliveries as readDeliveries,
  type AttemptOutcome,
  type DeliveryFilter,
  type DeliveryOfEvent,
  type ListedDelivery,
} from '../../store/webhooks/delivery-list.ts';
import type { DeliveryState } from '../../store/webhooks/webhook-logs.ts';

/** The delivery of one event to one endpoint, as the API presents it. */
export interface DeliveryView {
  readonly id: string;
  /** The type of the event. */
  readonly event: EventType;
  readonly eventId: string;
  readonly paymentId: string | null;
  readonly sendId: string | null;
  readonly endpoint: string;
  /** Null for the webhookUrl of a payment. */
  readonly endpointId: string | null;
  readonly state: DeliveryState;
  /** At the present URL, manual redeliveries included. */
  readonly attempts: number;
  readonly createdAt: string;
  /** Null unless it is pending. */
  readonly nextAttemptAt: string | null;
  /** The last attempt, while its log is kept; null before the first. */
  readonly last: {
    readonly logId: string;
    readonly at: string;
    readonly status: number;
    readonly durationMs: number;
    readonly error: string | null;
  } | null;
}

/** One page of a merchant's deliveries, newest first, with the exact total. */
export async function listDeliveries(
  deps: { readonly db: Db },
  filter: DeliveryFilter & { readonly page: number; readonly limit: number },
): Promise<{ deliveries: DeliveryView[]; total: number }> {
  const { deliveries, total } = await readDeliveries(deps.db, filter);
  const all = await deliveriesOfEvents(
    deps.db,
    deliveries.map((delivery) => delivery.eventId),
  );
  const listed = new Set(deliveries.map(deliveryKey));
  const byKey = Map.groupBy(
    all.filter((each) => listed.has(deliveryKey(each))),
    deliveryKey,
  );
  const outcomes = await lastOutcomes(
    deps.db,
    [...byKey.values()].flat().map(({ id }) => id),
  );
  const byDelivery = new Map(outcomes.map((outcome) => [outcome.deliveryId, outcome]));
  return {
    deliveries: deliveries.map((delivery) =>
      toView(delivery, byKey.get(deliveryKey(delivery)) ?? [], byDelivery),
    ),
    total,
  };
}

/** One event at one endpoint. */
function deliveryKey(of: Pick<DeliveryOfEvent, 'eventId' | 'endpointId'>): string {
  return `${of.eventId} ${of.endpointId ?? ''}`;
}

function toView(
  delivery: ListedDelivery,
  all: readonly DeliveryOfEvent[],
  outcomes: ReadonlyMap<string, AttemptOutcome>,
): DeliveryView {
  const last = all
    .flatMap(({ id }) => outcomes.get(id) ?? [])
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .at(-1);
  const next = all.filter(({ status }) => status === 'pending').map((each) => each.nextAttemptAt);
  return {
    id: delivery.id,
    event: delivery.eventType,
    eventId: delivery.eventId,
    paymentId: delivery.paymentId,
    sendId: delivery.sendId,
    endpoint: delivery.url,
    endpointId: delivery.endpointId,
    state: delivery.status,
    attempts: all.reduce((sum, { attempts }) => sum + attempts, 0),
    createdAt: new Date(delivery.createdAt).toISOString(),
    nextAttemptAt:
      delivery.status === 'pending'
        ? new Date(Math.min(delivery.nextAttemptAt, ...next)).toISOString()
        : null,
    last: last === undefined ? null : outcomeView(last),
  };
}

function outcomeView(outcome: AttemptOutcome): NonNullable<DeliveryView['last']> {
  return {
    logId: outcome.id,
    at: new Date(outcome.createdAt).toISOString(),
    status: outcome.status,
    durationMs: outcome.durationMs,
    error: outcome.error,
  };
}
