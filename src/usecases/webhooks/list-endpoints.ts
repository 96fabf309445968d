import type { Creator } from '../../domain/actor.ts';
import type { EventType } from '../../domain/events.ts';
import { toCreator } from '../../store/creators.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { isEndpointGone } from '../../store/webhooks/gone-endpoints.ts';
import {
  findEndpoints,
  subscribedEvents,
  endpointHealth,
  type EndpointHealth,
  type StoredEndpoint,
} from '../../store/webhooks/webhook-endpoints.ts';

/** An endpoint as the API presents it. */
export interface EndpointView {
  readonly id: string;
  readonly url: string;
  /** Whether it is the merchant's own webhookUrl. */
  readonly default: boolean;
  /** The subscribed event types; null for all. */
  readonly events: EventType[] | null;
  readonly active: boolean;
  /** Null where it is unknown, and for the merchant's own webhookUrl. */
  readonly creator: Creator | null;
  readonly health: {
    readonly lastSuccessAt: string | null;
    readonly lastFailureAt: string | null;
    /** Failed attempts since the last success. */
    readonly failuresInARow: number;
    /** Error of the last attempt. */
    readonly lastError: string | null;
    /** Whether it answered 410: deliveries stop until it is edited. */
    readonly gone: boolean;
  };
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** All endpoints of a merchant: its webhookUrl first, if it has one, then the others, oldest first. */
export async function listEndpoints(
  deps: { readonly db: Db },
  merchant: MerchantRow,
): Promise<EndpointView[]> {
  const rows = await findEndpoints(deps.db, merchant.id);
  const health = await endpointHealth(deps.db, [merchant.id, ...rows.map(({ id }) => id)]);
  const views = rows.map((row) => viewEndpoint(row, health.get(row.id)));
  const { webhookUrl: url } = merchant;
  if (url === null || url === '') return views;
  const isGone = await isEndpointGone(deps.db, { merchantId: merchant.id, paymentId: null, url });
  return [defaultView(merchant, url, healthView(health.get(merchant.id), isGone)), ...views];
}

export function viewEndpoint(row: StoredEndpoint, health: EndpointHealth | undefined): EndpointView {
  return {
    id: row.id,
    url: row.url,
    default: false,
    events: row.eventsJson === null ? null : subscribedEvents(row.eventsJson),
    active: row.active,
    creator: toCreator(row),
    health: healthView(health, row.goneAt !== null),
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

function defaultView(merchant: MerchantRow, url: string, health: EndpointView['health']): EndpointView {
  return {
    id: merchant.id,
    url,
    default: true,
    events: null,
    active: true,
    creator: null,
    health,
    createdAt: new Date(merchant.createdAt).toISOString(),
    updatedAt: new Date(merchant.updatedAt).toISOString(),
  };
}

function healthView(health: EndpointHealth | undefined, gone: boolean): EndpointView['health'] {
  return {
    lastSuccessAt: time(health?.lastSuccessAt),
    lastFailureAt: time(health?.lastFailureAt),
    failuresInARow: health?.failures ?? 0,
    lastError: health?.lastError ?? null,
    gone,
  };
}

function time(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}
