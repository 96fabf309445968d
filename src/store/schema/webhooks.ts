import type { Generated } from 'kysely';
import type { Mode } from '../../domain/coins.ts';
import type { EventType } from '../../domain/events.ts';
import type { CreatorColumns } from './creator.ts';
import type { Flag } from './flag.ts';

export interface EventRow {
  /** Ascends in commit order, over all merchants; numbers may be skipped. */
  seq: Generated<number>;
  id: string;
  merchant_id: string;
  mode: Mode;
  type: EventType;
  payment_id: string | null;
  send_id: string | null;
  /** Sequence number per payment; 0 for events without a payment. */
  sequence: number;
  /** The webhook body, frozen at event time. */
  body_json: string;
  created_at: number;
}

export interface DeliveryRow {
  id: string;
  /** Also the webhook-id header: the same for retries and redeliveries. */
  event_id: string;
  event_seq: number;
  merchant_id: string;
  payment_id: string | null;
  /** Mode of its event; the same holds for the type. */
  mode: Mode;
  event_type: EventType;
  /** Whether the event was manually redelivered to this endpoint: that delivery is listed instead. */
  replaced: Generated<Flag>;
  /** Deliveries with the same key are sent one after the other. */
  order_key: string;
  /** The id of a webhook endpoint; the merchant's for its webhookUrl; null for the webhookUrl of a payment. */
  endpoint_id: string | null;
  url: string;
  /** Bounds concurrency: the key of its endpoint (endpointKey). */
  origin: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: number;
  lease_until: number | null;
  lease_token: string | null;
  created_at: number;
  updated_at: number;
}

export interface WebhookLogRow {
  id: string;
  delivery_id: string;
  merchant_id: string;
  payment_id: string | null;
  event_type: EventType;
  endpoint: string;
  /** HTTP status of the response; 0 without one. */
  status: number;
  attempt: number;
  duration_ms: number;
  error: string | null;
  /** Method and headers; the body is the event's. */
  request_json: string;
  response_json: string;
  /** Approximate size of the row on disk, for retention by size. */
  size_bytes: number;
  created_at: number;
}

/** Endpoints that answered 410: deliveries stop until the merchant edits the URL. */
export interface GoneEndpointRow {
  merchant_id: string;
  /** Empty for the merchant's own URL, else the payment whose URL it is. */
  payment_id: string;
  url: string;
  created_at: number;
}

/** An endpoint besides the merchant's own webhookUrl. */
export interface WebhookEndpointRow extends CreatorColumns {
  id: string;
  merchant_id: string;
  url: string;
  /** The subscribed event types, a JSON array; null for all. */
  events_json: string | null;
  active: Flag;
  secret_sealed: string;
  /** The secret before the last rotation, still used for signing until the time below. */
  old_secret_sealed: string | null;
  old_secret_until: number | null;
  /** When it answered 410; cleared by an edit. */
  gone_at: number | null;
  created_at: number;
  updated_at: number;
}

/** Results of the attempts at an endpoint; no row before the first attempt since its URL was set. */
export interface EndpointHealthRow {
  /** As in deliveries. */
  endpoint_id: string;
  last_success_at: number | null;
  last_failure_at: number | null;
  /** Error of the last attempt; null when it succeeded. */
  last_error: string | null;
  /** Failed attempts since the last success. */
  failures: number;
}
