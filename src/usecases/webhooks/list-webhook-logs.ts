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

/** Empty when its bytes are damaged: bodies are kept for as long as their logs. */
function readRequestBody(text: string | null): Record<string, unknown> {
  return text === null ? {} : (parseExact(text) as Record<string, unknown>);
}

interface Exchange {
  readonly request: Pick<WebhookLogView['request'], 'method' | 'headers'>;
  readonly response: WebhookLogView['response'];
}

function readExchange({ exchangeJson, status }: StoredWebhookLog): Exchange {
  if (exchangeJson !== null) return JSON.parse(exchangeJson) as Exchange;
  return { request: { method: 'POST', headers: {} }, response: { status, headers: {}, body: '' } };
}

function toView(log: StoredWebhookLog): WebhookLogView {
  const { request, response } = readExchange(log);
  return {
    id: log.id,
    createdAt: new Date(log.createdAt).toISOString(),
    paymentId: log.paymentId,
    eventId: log.eventId,
    endpoint: log.endpoint,
    state: log.state,
    nextAttemptAt: log.state === 'pending' ? new Date(log.nextAttemptAt).toISOString() : null,
    status: log.status,
    attempt: log.attempt,
    durationMs: log.durationMs,
    error: log.error,
    request: { ...request, body: readRequestBody(log.bodyJson) },
    response,
  };
}
