import type { Schemas } from './contract.ts';

/** What the API answers when it does not do what was asked. */
export type ApiErrorCode = Schemas['Error']['code'];

/**
 * What happened without an answer of the API: nothing came (`NO_ANSWER`), not in time (`TIMED_OUT`), the caller gave
 * up (`ABORTED`), or it is not an answer of tilld (`UNREADABLE`: cut off, or of something else at that address).
 */
export type LocalErrorCode = 'NO_ANSWER' | 'TIMED_OUT' | 'ABORTED' | 'UNREADABLE';

export type ErrorCode = ApiErrorCode | LocalErrorCode;
export type FieldProblem = Schemas['FieldProblem'];

export interface TilldErrorFacts {
  readonly code: ErrorCode;
  readonly message: string;
  /** HTTP status; 0 without an answer. */
  readonly status?: number;
  readonly details?: readonly FieldProblem[] | undefined;
  readonly requestId?: string | null;
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/** A request that did not succeed. */
export class TilldError extends Error {
  override readonly name = 'TilldError';
  readonly code: ErrorCode;
  readonly status: number;
  /** Of a bad request: every field that is missing or wrong. */
  readonly details: readonly FieldProblem[];
  /** Finds the request in the log of the server; null without an answer. */
  readonly requestId: string | null;
  /** How long the server wants to be left alone; null when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(facts: TilldErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status ?? 0;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }

  /** Whether the same request may succeed later. A POST must then carry the same Idempotency-Key. */
  get retryable(): boolean {
    const { code, status } = this;
    if (code === 'ABORTED' || code === 'COIN_UNAVAILABLE') return false;
    if (code === 'NO_ANSWER' || code === 'TIMED_OUT' || code === 'IDEMPOTENCY_IN_FLIGHT') return true;
    // A success that was cut off on its way; and what stands before tilld while it restarts.
    if (code === 'UNREADABLE' && status >= 200 && status < 300) return true;
    return status === 429 || status === 502 || status === 503 || status === 504;
  }
}
