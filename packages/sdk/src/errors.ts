import type { Schemas } from './contract.ts';

/** Error codes of the API. */
export type ApiErrorCode = Schemas['Error']['code'];

/**
 * Errors without a valid response of the API: no response (`NO_ANSWER`), a timeout (`TIMED_OUT`), aborted by
 * the caller (`ABORTED`), or not a response of tilld (`UNREADABLE`: truncated, or from another server).
 */
export type LocalErrorCode = 'NO_ANSWER' | 'TIMED_OUT' | 'ABORTED' | 'UNREADABLE';

export type ErrorCode = ApiErrorCode | LocalErrorCode;
export type FieldProblem = Schemas['FieldProblem'];

export interface TilldErrorFacts {
  readonly code: ErrorCode;
  readonly message: string;
  /** HTTP status; 0 without a response. */
  readonly status?: number;
  readonly details?: readonly FieldProblem[] | undefined;
  readonly requestId?: string | null;
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/** A failed request. */
export class TilldError extends Error {
  override readonly name = 'TilldError';
  readonly code: ErrorCode;
  readonly status: number;
  /** Of a bad request: every missing or invalid field. */
  readonly details: readonly FieldProblem[];
  /** Identifies the request in the server's log; null without a response. */
  readonly requestId: string | null;
  /** Retry-After of the response; null without one. */
  readonly retryAfterMs: number | null;

  constructor(facts: TilldErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status ?? 0;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }

  /** Whether the same request may succeed later. A POST must then have the same Idempotency-Key. */
  get retryable(): boolean {
    const { code, status } = this;
    if (code === 'ABORTED' || code === 'COIN_UNAVAILABLE') return false;
    if (code === 'NO_ANSWER' || code === 'TIMED_OUT' || code === 'IDEMPOTENCY_IN_FLIGHT') return true;
    // A truncated success, and responses of a proxy while tilld restarts.
    if (code === 'UNREADABLE' && status >= 200 && status < 300) return true;
    return status === 429 || status === 502 || status === 503 || status === 504;
  }
}
