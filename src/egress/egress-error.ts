/**
 * `refused`: the guard does not allow this target; `dns`: the name has no address; `timeout`: the whole
 * exchange exceeded its deadline; `aborted`: by the caller's signal; `network`: any other network error.
 */
export type EgressFailure = 'refused' | 'dns' | 'timeout' | 'aborted' | 'network';

/** Why an outgoing request failed. The message is safe to show to a merchant. */
export class EgressError extends Error {
  override name = 'EgressError';
  readonly kind: EgressFailure;

  constructor(kind: EgressFailure, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
  }
}

/** One-line description of a network error: its message, or its code where Node leaves the message empty. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ').slice(0, 500);
  if (!(error instanceof Error)) return String(error).slice(0, 500);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const text = error.message === '' ? code : error.message;
  return (text === '' ? error.name : text).slice(0, 500);
}
