/** Every error code of the API. A code is never reused for another meaning. */
export const ERROR_CODES = [
  'UNAUTHORISED',
  'INVALID_CREDENTIALS',
  'SECOND_FACTOR_REQUIRED',
  'FORBIDDEN',
  'STEP_UP_REQUIRED',
  'RATE_LIMITED',
  'CUSTOMER_NOT_FOUND',
  'MERCHANT_NOT_FOUND',
  'PRODUCT_NOT_FOUND',
  'PRICE_NOT_FOUND',
  'PAYMENT_NOT_FOUND',
  'PAYMENT_LINK_NOT_FOUND',
  'COUNTER_NOT_FOUND',
  'SUBSCRIPTION_NOT_FOUND',
  'SEND_NOT_FOUND',
  'WATCH_NOT_FOUND',
  'LINK_NOT_FOUND',
  'LOG_NOT_FOUND',
  'KEY_NOT_FOUND',
  'SESSION_NOT_FOUND',
  'PASSKEY_NOT_FOUND',
  'PERSON_NOT_FOUND',
  'INVITATION_NOT_FOUND',
  'INVALID_CODE',
  'ENDPOINT_NOT_FOUND',
  'DUPLICATE_ENTRY',
  'INSUFFICIENT_BALANCE',
  'VALIDATION_INVALID',
  'INVALID_STATE',
  'SEND_REJECTED',
  'FEE_ABOVE_LIMIT',
  'WALLET_FROZEN',
  'APPROVAL_REQUIRED',
  'REGISTRATION_CLOSED',
  'EMAIL_UNCONFIRMED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'HEADERS_TOO_LARGE',
  'IDEMPOTENCY_MISMATCH',
  'IDEMPOTENCY_IN_FLIGHT',
  'RATE_UNAVAILABLE',
  'NODE_UNAVAILABLE',
  'COIN_UNAVAILABLE',
  'DATABASE_UNAVAILABLE',
  'INTERNAL_ERROR',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
  /** For DUPLICATE_ENTRY: the id of the existing object, for callers that may read it. */
  readonly existingId?: string;
}

/** An error whose code and message are meant for the API's caller. Messages never carry secrets. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly details: readonly FieldProblem[];
  /** When a retry of the same request may succeed; null where waiting does not help. */
  readonly retryAfterMs: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: readonly FieldProblem[]; cause?: unknown; retryAfterMs?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** A VALIDATION_INVALID error that names one field. */
export function invalidField(field: string, message: string, code = 'invalid'): AppError {
  return new AppError('VALIDATION_INVALID', `${field}: ${message}`, { details: [{ field, code, message }] });
}

/** For the default branch of exhaustive switches: the compiler proves that it is unreachable. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
