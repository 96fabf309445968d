const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays between attempts, each from the end of one to the start of the next. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

const JITTER = 0.1;
/** Upper bound for a receiver's Retry-After. */
const RETRY_AFTER_LIMIT_MS = 24 * HOUR_MS;

export interface FinishedAttempt {
  /** How many attempts were made, this one included. */
  readonly attempts: number;
  readonly endedAt: number;
  /** HTTP status; 0 without a usable response. */
  readonly status: number;
  /** Retry-After of a 429 or 503; null without one. */
  readonly retryAfterMs: number | null;
}

export type Outcome =
  | { readonly kind: 'delivered' }
  /** The receiver answered 410: nothing more may be sent to this URL. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'retry'; readonly at: number }
  | { readonly kind: 'failed' };

export interface RetryPolicy {
  /** There is one more attempt than delays. */
  readonly delaysMs: readonly number[];
  /** Returns a number in [0, 1), for the jitter. */
  readonly random: () => number;
}

/** The outcome of an attempt. Pure. */
export function attemptOutcome(attempt: FinishedAttempt, policy: RetryPolicy): Outcome {
  if (attempt.status >= 200 && attempt.status < 300) return { kind: 'delivered' };
  if (attempt.status === 410) return { kind: 'gone' };
  const delayMs = policy.delaysMs[attempt.attempts - 1];
  if (delayMs === undefined) return { kind: 'failed' };
  const jittered = Math.round(delayMs * (1 - JITTER + 2 * JITTER * policy.random()));
  const requestedMs = Math.min(attempt.retryAfterMs ?? 0, RETRY_AFTER_LIMIT_MS);
  return { kind: 'retry', at: attempt.endedAt + Math.max(jittered, requestedMs) };
}

/** Reads Retry-After (RFC 9110: seconds or an HTTP date) into a pause in ms; null when it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND_MS;
  if (!/^[A-Za-z]{3,9},? .*\d/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
