import type { AppError, FieldProblem } from '../../domain/errors.ts';
import { ERROR_STATUS } from './error-status.ts';

interface ErrorBody {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: readonly FieldProblem[];
}

/** The body of every response (spec: Response envelope). */
export interface Envelope {
  readonly success: boolean;
  readonly error: ErrorBody | null;
  readonly data: unknown;
}

/** One finished response, which is also sent to an idempotent repeat. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Envelope;
}

export function success(
  status: number,
  data: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers, body: { success: true, error: null, data } };
}

export function failure(error: AppError, headers: Readonly<Record<string, string>> = {}): Answer {
  const status = ERROR_STATUS[error.code];
  const { code, message, details, retryAfterMs } = error;
  const body = { status, code, message, ...(details.length > 0 ? { details } : {}) };
  return {
    status,
    headers: {
      ...headers,
      ...(code === 'UNAUTHORISED' ? { 'WWW-Authenticate': 'Bearer' } : {}),
      ...(retryAfterMs === null
        ? {}
        : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
    },
    body: { success: false, error: body, data: null },
  };
}
