import type { ColumnType, Generated } from 'kysely';
import type { Mode } from '../../domain/coins.ts';
import type { EventType } from '../../domain/events.ts';
import type { CompressedJson } from './compressed.ts';
import type { CreatorColumns } from './creator.ts';

export interface EventRow {
  /** Ascends in commit order, over all merchants; numbers may be skipped. */
  seq: Generated<number>;
  id: string;
  merchantId: string;
  mode: Mode;
  type: EventType;
  paymentId: string | null;
  sendId: string | null;
  subscriptionId: string | null;
  /** Sequence number per payment or subscription; 0 for other events. */
  sequence: number;
  /** The webhook body, frozen at event time; null once it is forgotten, or if its bytes are damaged. */
  bodyJson: ColumnType<string | null, CompressedJson, CompressedJson | null>;
  createdAt: number;
}

export interface DeliveryRow {
  id: string;
  /** Also the webhook-id header: the same for retries and redeliveries. */
  eventId: string;
  eventSeq: number;
  merchantId: string;
  paymentId: string | null;
  /** Mode of its event; the same holds for the type. */
  mode: Mode;
  eventType: EventType;
  /** Whether the event was manually redelivered to this endpoint: that delivery is listed instead. */
  replaced: Generated<boolean>;
  /** Deliveries with the same key are sent one after the other. Empty once it is settled. */
  orderKey: string;
  /** The id of a webhook endpoint; the merchant's for its webhookUrl; null for the webhookUrl of a payment. */
  endpointId: string | null;
  url: string;
  /** Bounds concurrency: the key of its endpoint (endpointKey). Empty once it is settled. */
  origin: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  nextAttemptAt: number;
  leaseUntil: number | null;
  leaseToken: string | null;
  createdAt: number;
  updatedAt: number;
}

export interface WebhookLogRow {
  id: string;
  deliveryId: string;
  merchantId: string;
  paymentId: string | null;
  eventType: EventType;
  endpoint: string;
  /** HTTP status of the response; 0 without one. */
  status: number;
  attempt: number;
  durationMs: number;
  error: string | null;
  /**
   * Method and headers of the request, whose body is the event's, and the response; null without an attempt, or if its
   * bytes are damaged.
   */
  exchangeJson: ColumnType<string | null, CompressedJson | null, CompressedJson | null>;
  /** Approximate size of the row on disk, for retention by size. */
  sizeBytes: number;
  createdAt: number;
}

/** Endpoints that answered 410: deliveries stop until the merchant edits the URL. */
export interface GoneEndpointRow {
  merchantId: string;
  /** Empty for the merchant's own URL, else the payment whose URL it is. */
  paymentId: string;
  url: string;
  createdAt: number;
}

/** An endpoint besides the merchant's own webhookUrl. */
export interface WebhookEndpointRow extends CreatorColumns {
  id: string;
  merchantId: string;
  url: string;
  /** The subscribed event types, a JSON array; null for all. */
  eventsJson: string | null;
  active: boolean;
  secretSealed: string;
  /** The secret before the last rotation, still used for signing until the time below. */
  oldSecretSealed: string | null;
  oldSecretUntil: number | null;
  /** When it answered 410; cleared by an edit. */
  goneAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** Results of the attempts at an endpoint; no row before the first attempt since its URL was set. */
export interface EndpointHealthRow {
  /** As in deliveries. */
  endpointId: string;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  /** Error of the last attempt; null when it succeeded. */
  lastError: string | null;
  /** Failed attempts since the last success. */
  failures: number;
}
