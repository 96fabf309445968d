import type { EventType } from '../../domain/events.ts';
import { listErasedPayments } from '../../store/catalog/erase-customer.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { endEndpointDeliveries, type StoredDelivery } from '../../store/webhooks/deliveries.ts';
import { isDeclaredEndpoint } from '../../store/webhooks/endpoint-key.ts';
import {
  findEndpoint,
  recordHealth,
  updateEndpoint,
  type HealthChange,
} from '../../store/webhooks/webhook-endpoints.ts';
import {
  endDeliveries,
  failDelivery,
  postponeDelivery,
  markDelivered,
  type Settlement,
} from '../../store/webhooks/delivery-outcomes.ts';
import { markEndpointGone } from '../../store/webhooks/gone-endpoints.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { insertWebhookLog, type NewWebhookLog } from '../../store/webhooks/webhook-logs.ts';
import { assertNever } from '../../domain/errors.ts';
import { newTimedId } from '../events/index.ts';

export interface AttemptRecord {
  readonly delivery: StoredDelivery;
  /** The lease under which the attempt was made. */
  readonly token: string;
  readonly eventType: EventType;
  readonly endedAt: number;
  readonly durationMs: number;
  readonly status: number;
  readonly error: string | null;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly outcome:
    { readonly kind: 'delivered' | 'gone' | 'failed' } | { readonly kind: 'retry'; readonly at: number };
}

/**
 * Writes the logs of finished attempts and the new states of their deliveries; returns the logs' ids. An attempt whose
 * lease was lost is logged but changes nothing else.
 */
export async function recordAttempts(tx: Tx, records: readonly AttemptRecord[]): Promise<readonly string[]> {
  if (records.length === 0) return [];
  const logs = (await withoutErased(tx, records)).map(toLogRow);
  await insertWebhookLog(tx, ...logs);
  for (const change of healthChanges(records)) await recordHealth(tx, change);
  // A success counts, even if another attempt got a 410 from the endpoint.
  await markDelivered(tx, records.filter(isDelivered).map(toDeliveryUpdate));
  for (const record of records) if (!isDelivered(record)) await applyOutcome(tx, record);
  return logs.map(({ id }) => id);
}

/** A shop's answer may repeat data that was sent to it before the customer was erased. */
async function withoutErased(tx: Tx, records: readonly AttemptRecord[]): Promise<AttemptRecord[]> {
  const paymentIds = records.flatMap(({ delivery }) => delivery.paymentId ?? []);
  const erased = await listErasedPayments(tx, [...new Set(paymentIds)]);
  return records.map((record) =>
    erased.has(record.delivery.paymentId ?? '') ? { ...record, responseBody: '' } : record,
  );
}

/** Effects of the attempts on the health of their endpoints; the webhookUrl of a payment has none. */
function healthChanges(records: readonly AttemptRecord[]): HealthChange[] {
  const changes: HealthChange[] = [];
  for (const [endpointId, of] of Map.groupBy(records, ({ delivery }) => delivery.endpointId)) {
    const lastSuccess = of.findLastIndex(isDelivered);
    const lastFailure = of.findLast((record) => !isDelivered(record));
    if (endpointId === null) continue;
    changes.push({
      endpointId,
      successAt: of[lastSuccess]?.endedAt ?? null,
      failures: of.length - 1 - lastSuccess,
      failureAt: lastFailure?.endedAt ?? null,
      error: of.at(-1)?.error ?? null,
    });
  }
  return changes;
}

function isDelivered({ outcome }: AttemptRecord): boolean {
  return outcome.kind === 'delivered';
}

function toLogRow(record: AttemptRecord): NewWebhookLog {
  const { delivery } = record;
  return {
    id: newTimedId('whl_', record.endedAt),
    deliveryId: delivery.id,
    merchantId: delivery.merchantId,
    paymentId: delivery.paymentId,
    eventType: record.eventType,
    endpoint: delivery.url,
    status: record.status,
    attempt: delivery.attempts + 1,
    durationMs: record.durationMs,
    error: record.error,
    exchangeJson: JSON.stringify({
      request: { method: 'POST', headers: record.requestHeaders },
      response: { status: record.status, headers: record.responseHeaders, body: record.responseBody },
    }),
    createdAt: record.endedAt,
  };
}

function toDeliveryUpdate({ delivery, token, endedAt }: AttemptRecord): Settlement {
  return { delivery, token, attempts: delivery.attempts + 1, now: endedAt };
}

async function applyOutcome(tx: Tx, record: AttemptRecord): Promise<void> {
  const { delivery, outcome } = record;
  const settlement = toDeliveryUpdate(record);
  switch (outcome.kind) {
    case 'delivered':
      // Settled together with the others.
      return;
    case 'failed':
      await failDelivery(tx, settlement);
      return;
    case 'retry':
      await postponeDelivery(tx, settlement, outcome.at);
      return;
    case 'gone':
      await failDelivery(tx, settlement);
      await disableGoneEndpoint(tx, delivery, record.endedAt);
      return;
    default:
      assertNever(outcome);
  }
}

/** Handles a 410: disables a payment's own URL for that payment, or a merchant's URL or endpoint until it is edited. */
async function disableGoneEndpoint(tx: Tx, delivery: StoredDelivery, now: number): Promise<void> {
  const { merchantId, paymentId, endpointId, url } = delivery;
  if (isDeclaredEndpoint(endpointId)) {
    const endpoint = await findEndpoint(tx, endpointId);
    if (endpoint?.url !== url) return;
    await updateEndpoint(tx, endpointId, { goneAt: now, updatedAt: endpoint.updatedAt });
    await endEndpointDeliveries(tx, { merchantId, endpointId, why: 'the endpoint answered 410 Gone', now });
    return;
  }
  const merchant = await findMerchant(tx, merchantId);
  const isMerchantUrl = paymentId === null || merchant?.webhookUrl === url;
  await markEndpointGone(tx, { merchantId, paymentId: isMerchantUrl ? null : paymentId, url, now });
  await endDeliveries(tx, {
    merchantId,
    url,
    now,
    ...(isMerchantUrl ? {} : { paymentId }),
  });
}
