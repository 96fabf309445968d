import type { CheckOutcome } from '../../domain/domain-verification.ts';
import { describeError, EgressError } from '../../egress/egress-error.ts';

/** Result of one check, without its method. */
export type Finding = { readonly kind: 'proven' } | Exclude<CheckOutcome, { kind: 'proven' }>;

export const PROVEN: Finding = { kind: 'proven' };

/** DNS errors that deny the name or record, as opposed to failures. */
const NO_SUCH_RECORD: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** Whether a DNS error denies that the name or record exists. */
export function isNoSuchRecord(error: unknown): boolean {
  return NO_SUCH_RECORD.has(errorCode(error));
}

export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The outcome of a request without a response. @throws aborts, and bugs. */
export function toFinding(error: unknown): Finding {
  if (!(error instanceof EgressError)) throw error;
  const reason = describeError(error);
  switch (error.kind) {
    case 'refused':
      return { kind: 'absent', reason };
    case 'dns':
      return {
        kind: error.cause === undefined || isNoSuchRecord(error.cause) ? 'absent' : 'unknown',
        reason,
      };
    case 'timeout':
    case 'network':
      return { kind: 'unreachable', reason };
    case 'aborted':
      throw error;
    default:
      return error.kind;
  }
}

/** Whether a record or file holds the token line; DNS panels often add quotes around it. */
export function isTokenLine(text: string, token: string): boolean {
  const line = text
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
  return line === `token=${token}`;
}

/** Like isTokenLine, but also accepts the bare token where it is unambiguous. */
export function isToken(text: string, token: string): boolean {
  return text.trim() === token || isTokenLine(text, token);
}
