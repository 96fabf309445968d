import type { Clock, Logger } from '../domain/ports.ts';
import type { Db } from '../store/database.ts';
import type { StoredDelivery } from '../store/deliveries.ts';
import type { Lease } from '../store/delivery-leases.ts';
import { findEventMessages, type EventMessage } from '../store/events.ts';
import { findWebhookSecrets, type SealedWebhookSecrets } from '../store/webhook-targets.ts';
import type { AttemptReport } from '../usecases/webhooks/attempts.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import { deliver, type Attempt } from './deliver.ts';
import type { EgressPolicy } from '../egress/guarded-fetch.ts';
import { outcomeOf } from './schedule.ts';
import type { SigningKey } from './sign.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface AttemptDeliveryDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keys: SigningKeys;
  readonly egress: EgressPolicy;
  readonly recorder: AttemptRecorder;
  readonly limits: { readonly attemptLimitMs: number; readonly retryGapsMs: readonly number[] };
  readonly random: () => number;
}

/** What comes from outside into one attempt, and goes out. */
export interface AttemptControl {
  /** Gives up on it. */
  readonly signal: AbortSignal;
  /** Called when the attempt is over, before it is recorded: nothing more goes to the endpoint. */
  readonly ended: (attempt: Pick<Attempt, 'status' | 'error' | 'durationMs'>) => void;
}

/** A leased delivery with what it takes to make it, as far as that was found. */
export interface LeasedDelivery {
  readonly delivery: StoredDelivery;
  readonly token: string;
  readonly event: EventMessage | undefined;
  readonly secrets: SealedWebhookSecrets | undefined;
}

/** Reads what deliveries leased together are made of. */
export async function loadLeased(
  db: Db,
  deliveries: readonly StoredDelivery[],
  { token, now }: Pick<Lease, 'token' | 'now'>,
): Promise<LeasedDelivery[]> {
  const events = await findEventMessages(db, [...new Set(deliveries.map((each) => each.event_id))]);
  const byId = new Map(events.map((event) => [event.id, event]));
  const merchantIds = [...new Set(deliveries.map((each) => each.merchant_id))];
  const secrets = await findWebhookSecrets(db, merchantIds, now);
  return deliveries.map((delivery) => ({
    delivery,
    token,
    event: byId.get(delivery.event_id),
    secrets: secrets.get(delivery.merchant_id),
  }));
}

/**
 * One attempt of a leased delivery: sign, post outside any transaction, record.
 * @throws {EgressError} `aborted` when the signal gave up on it; then nothing was recorded.
 */
export async function attemptDelivery(
  deps: AttemptDeliveryDeps,
  lease: LeasedDelivery,
  { signal, ended }: AttemptControl,
): Promise<AttemptReport> {
  const { delivery, token, event } = lease;
  if (event === undefined) throw new Error(`event ${delivery.event_id} of a delivery is missing`);
  const attempt = await deliver(
    { clock: deps.clock, egress: deps.egress, attemptLimitMs: deps.limits.attemptLimitMs },
    { id: event.id, url: delivery.url, body: event.body_json, keys: keysOf(deps, lease) },
    signal,
  );
  const { status, error, endedAt } = attempt;
  ended(attempt);
  const outcome = outcomeOf(
    { attempts: delivery.attempts + 1, endedAt, status, retryAfterMs: attempt.retryAfterMs },
    { gapsMs: deps.limits.retryGapsMs, random: deps.random },
  );
  const logId = await deps.recorder.record({ delivery, token, outcome, ...attempt });
  const fields = {
    deliveryId: delivery.id,
    eventId: event.id,
    paymentId: delivery.payment_id,
    logId,
    eventType: event.type,
    status,
    error,
    durationMs: attempt.durationMs,
  };
  if (outcome.kind === 'delivered') deps.logger.info(fields, 'webhook delivered');
  else deps.logger.warn({ ...fields, outcome }, 'webhook attempt failed');
  return { logId, status, error };
}

function keysOf({ keys }: AttemptDeliveryDeps, { delivery, secrets }: LeasedDelivery): SigningKey[] {
  if (secrets === undefined) throw new Error(`merchant ${delivery.merchant_id} of a delivery is missing`);
  return keys.of(secrets);
}
