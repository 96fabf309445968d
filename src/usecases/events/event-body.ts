import type { EventType } from '../../domain/events.ts';

/** Webhook bodies stay under this many bytes (design section 8). */
export const MAX_EVENT_BODY_BYTES = 20_000;

interface EventBody {
  readonly id: string;
  readonly type: EventType;
  /** ISO 8601, time of the event. */
  readonly timestamp: string;
  readonly sandbox: boolean;
  /** Counts the events of one payment or subscription from 1; 0 for other events. */
  readonly sequence: number;
  readonly data: object;
  /** Present and true when parts of the payment were left out to keep the body small. */
  readonly truncated?: true;
}

const KEPT_ENTRIES = 20;

/** Fields dropped when a body is too large, in this order: those that shops rely on most come last. */
const TRIMS: readonly ((payment: Record<string, unknown>) => Record<string, unknown>)[] = [
  (payment) => ({ ...payment, ...keepNewest(payment, 'timeline') }),
  (payment) => ({ ...payment, ...keepNewest(payment, 'transactions') }),
  (payment) => ({ ...payment, ...keepNewest(payment, 'refunds') }),
  (payment) => ({ ...payment, customFields: null }),
  (payment) => ({ ...payment, metadata: null }),
];

/** The frozen webhook body as text, under 20 kB: the payment's bulkiest fields are dropped if necessary. */
export function snapshotBody(body: EventBody): string {
  let text = JSON.stringify(body);
  if (Buffer.byteLength(text) < MAX_EVENT_BODY_BYTES) return text;
  let payment = findPayment(body.data);
  if (payment === null) return text;
  for (const trim of TRIMS) {
    payment = trim(payment);
    text = JSON.stringify({ ...body, truncated: true, data: { ...body.data, payment } });
    if (Buffer.byteLength(text) < MAX_EVENT_BODY_BYTES) break;
  }
  return text;
}

function findPayment(data: object): Record<string, unknown> | null {
  const payment: unknown = 'payment' in data ? data.payment : null;
  return typeof payment === 'object' && payment !== null ? { ...payment } : null;
}

function keepNewest(payment: Record<string, unknown>, key: string): Record<string, unknown> {
  const entries = payment[key];
  return Array.isArray(entries) ? { [key]: entries.slice(-KEPT_ENTRIES) } : {};
}
