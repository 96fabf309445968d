import type { Clock } from '../../domain/ports.ts';
import type { EgressPolicy } from '../../egress/guarded-fetch.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import type { StoredDelivery } from '../../store/webhooks/deliveries.ts';
import { findEventMessages, type EventMessage } from '../../store/webhooks/events.ts';
import { isDeclaredEndpoint } from '../../store/webhooks/endpoint-key.ts';
import { findEndpointSecrets } from '../../store/webhooks/webhook-endpoints.ts';
import { findWebhookSecrets, type SealedWebhookSecrets } from '../../store/webhooks/webhook-targets.ts';
import type { AttemptRecord } from '../../usecases/webhooks/index.ts';
import { postWebhook } from './post-webhook.ts';
import { attemptOutcome } from './retry-schedule.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface AttemptDeliveryDeps {
  readonly clock: Clock;
  readonly keys: SigningKeys;
  readonly egress: EgressPolicy;
  readonly limits: { readonly attemptLimitMs: number; readonly retryDelaysMs: readonly number[] };
  readonly random: () => number;
}

/** A leased delivery with the data for an attempt, as far as available. */
export interface LeasedDelivery {
  readonly delivery: StoredDelivery;
  /** Token of its lease. */
  readonly token: string;
  readonly event: EventMessage | undefined;
  readonly secrets: SealedWebhookSecrets | undefined;
}

/** Reads the events and signing secrets of deliveries that were leased together. */
export async function loadLeased(
  tx: Tx,
  deliveries: readonly StoredDelivery[],
  lease: { readonly token: string; readonly now: number },
): Promise<LeasedDelivery[]> {
  const events = await findEventMessages(tx, [...new Set(deliveries.map((each) => each.eventId))]);
  const byId = new Map(events.map((event) => [event.id, event]));
  const signers = Map.groupBy(new Set(deliveries.map(secretOwner)), isDeclaredEndpoint);
  const secrets = new Map([
    ...(await findWebhookSecrets(tx, signers.get(false) ?? [], lease.now)),
    ...(await findEndpointSecrets(tx, signers.get(true) ?? [], lease.now)),
  ]);
  return deliveries.map((delivery) => ({
    delivery,
    token: lease.token,
    event: byId.get(delivery.eventId),
    secrets: secrets.get(secretOwner(delivery)),
  }));
}

/** The owner of the signing secrets of a delivery: its endpoint, otherwise the merchant. */
function secretOwner({ endpointId, merchantId }: StoredDelivery): string {
  return isDeclaredEndpoint(endpointId) ? endpointId : merchantId;
}

/**
 * Makes one attempt of a leased delivery: signs, posts, and decides the outcome. Writes nothing.
 * @throws {EgressError} `aborted` when the signal aborted it: its outcome is then unknown.
 */
export async function attemptDelivery(
  deps: AttemptDeliveryDeps,
  { delivery, token, event, secrets }: LeasedDelivery,
  signal: AbortSignal,
): Promise<AttemptRecord> {
  if (event === undefined) throw new Error(`event ${delivery.eventId} of a delivery is missing`);
  if (secrets === undefined) throw new Error(`the secrets of ${secretOwner(delivery)} are missing`);
  if (event.bodyJson === null) return damagedBody({ delivery, token, event }, deps.clock.now());
  const attempt = await postWebhook(
    { clock: deps.clock, egress: deps.egress, attemptLimitMs: deps.limits.attemptLimitMs },
    { id: event.id, url: delivery.url, body: event.bodyJson, keys: deps.keys.of(secrets) },
    signal,
  );
  const { endedAt, status, retryAfterMs } = attempt;
  const outcome = attemptOutcome(
    { attempts: delivery.attempts + 1, endedAt, status, retryAfterMs },
    { delaysMs: deps.limits.retryDelaysMs, random: deps.random },
  );
  return { delivery, token, eventType: event.type, outcome, ...attempt };
}

/** What cannot be sent is given up, so that it does not delay the later events of its payment. */
function damagedBody(
  { delivery, token, event }: { delivery: StoredDelivery; token: string; event: EventMessage },
  now: number,
): AttemptRecord {
  return {
    delivery,
    token,
    eventType: event.type,
    outcome: { kind: 'failed' },
    status: 0,
    error: `the stored body of event ${event.id} is damaged`,
    endedAt: now,
    durationMs: 0,
    requestHeaders: {},
    responseHeaders: {},
    responseBody: '',
  };
}
