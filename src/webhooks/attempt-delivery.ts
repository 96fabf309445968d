import type { SecretBox } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import type { Db } from '../store/database.ts';
import type { StoredDelivery } from '../store/deliveries.ts';
import { findEvent } from '../store/events.ts';
import { findWebhookSecrets } from '../store/webhook-targets.ts';
import type { AttemptReport } from '../usecases/webhooks/attempts.ts';
import { recordAttempt } from '../usecases/webhooks/record-attempt.ts';
import { deliver } from './deliver.ts';
import type { EgressPolicy } from '../egress/vet-target.ts';
import { outcomeOf } from './schedule.ts';

export interface AttemptDeliveryDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly egress: EgressPolicy;
  readonly limits: { readonly attemptLimitMs: number; readonly retryGapsMs: readonly number[] };
  readonly random: () => number;
}

/**
 * One attempt of a leased delivery: sign, post outside any transaction, record.
 * @throws {EgressError} `aborted` when the signal gave up on it; then nothing was recorded.
 */
export async function attemptDelivery(
  deps: AttemptDeliveryDeps,
  lease: { readonly delivery: StoredDelivery; readonly token: string },
  signal: AbortSignal,
): Promise<AttemptReport> {
  const { delivery, token } = lease;
  const event = await findEvent(deps.db, delivery.event_id);
  if (event === undefined) throw new Error(`event ${delivery.event_id} of a delivery is missing`);
  const attempt = await deliver(
    { clock: deps.clock, egress: deps.egress, attemptLimitMs: deps.limits.attemptLimitMs },
    {
      id: event.id,
      url: delivery.url,
      body: event.body_json,
      secrets: await openSecrets(deps, delivery.merchant_id),
    },
    signal,
  );
  const { status, error, endedAt } = attempt;
  const outcome = outcomeOf(
    { attempts: delivery.attempts + 1, endedAt, status, retryAfterMs: attempt.retryAfterMs },
    { gapsMs: deps.limits.retryGapsMs, random: deps.random },
  );
  const logId = await recordAttempt(deps, { delivery, token, outcome, ...attempt });
  const fields = {
    deliveryId: delivery.id,
    eventType: event.type,
    status,
    error,
    durationMs: attempt.durationMs,
  };
  if (outcome.kind === 'delivered') deps.logger.info(fields, 'webhook delivered');
  else deps.logger.warn({ ...fields, outcome }, 'webhook attempt failed');
  return { logId, status, error };
}

async function openSecrets(deps: AttemptDeliveryDeps, merchantId: string): Promise<string[]> {
  const sealed = await findWebhookSecrets(deps.db, merchantId, deps.clock.now());
  if (sealed === undefined) throw new Error(`merchant ${merchantId} of a delivery is missing`);
  const both = sealed.previous === null ? [sealed.current] : [sealed.current, sealed.previous];
  return both.map((secret) => deps.secretBox.open(secret));
}
