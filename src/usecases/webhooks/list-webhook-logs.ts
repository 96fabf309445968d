import { parseExact } from '../../domain/exact-json.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  listWebhookLogs as readLogs,
  type DeliveryState,
  type StoredWebhookLog,
  type WebhookLogFilter,
} from '../../store/webhooks/webhook-logs.ts';

/** One attempt to deliver a webhook, as the API presents it. */
export interface WebhookLogView {
  readonly id: string;
  readonly createdAt: string;
  /** Null for events without a payment. */
  readonly paymentId: string | null;
  readonly eventId: string;
  readonly endpoint: string;
  /** State of the delivery: pending while attempts remain, failed once given up. */
  readonly state: DeliveryState;
  /** Null unless it is pending. */
  readonly nextAttemptAt: string | null;
  /** HTTP status of the response; 0 without one. */
  readonly status: number;
  /** 1 for the first attempt of a delivery. */
  readonly attempt: number;
  readonly durationMs: number;
  /** Reason of the failure; null on success. */
  readonly error: string | null;
  readonly request: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body: Record<string, unknown>;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: string;
  };
}

/** One page of a merchant's webhook logs, newest first, with the exact total. */
export async function listWebhookLogs(
  deps: { readonly db: Db },
  filter: WebhookLogFilter,
): Promise<{ logs: WebhookLogView[]; total: number }> {
  const { logs, total } = await readLogs(deps.db, filter);
  return { logs: logs.map(toView), total };
}

function toView(log: StoredWebhookLog): WebhookLogView {
  const request = JSON.parse(log.request_json) as Pick<WebhookLogView['request'], 'method' | 'headers'>;
  return {
    id: log.id,
    createdAt: new Date(log.created_at).toISOString(),
    paymentId: log.payment_id,
    eventId: log.event_id,
    endpoint: log.endpoint,
    state: log.state,
    nextAttemptAt: log.state === 'pending' ? new Date(log.next_attempt_at).toISOString() : null,
    status: log.status,
    attempt: log.attempt,
    durationMs: log.duration_ms,
    error: log.error,
    request: { ...request, body: parseExact(log.body_json) as Record<string, unknown> },
    response: JSON.parse(log.response_json) as WebhookLogView['response'],
  };
}
