import type { CheckOutcome } from '../../domain/domain-verification.ts';
import { describeError, EgressError } from '../../egress/egress-error.ts';

/** What one look found, before it is known by which method. */
export type Finding = { readonly kind: 'proven' } | Exclude<CheckOutcome, { kind: 'proven' }>;

export const PROVEN: Finding = { kind: 'proven' };

/** Answers by which DNS says that there is no such thing, rather than that it cannot tell. */
const NO_SUCH_RECORD: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** Whether a DNS error is DNS's own word that the name or record does not exist. */
export function isNoSuchRecord(error: unknown): boolean {
  return NO_SUCH_RECORD.has(codeOf(error));
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** What a request that brought no answer says about the domain. @throws what was given up, and bugs. */
export function findingOf(error: unknown): Finding {
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

/** The line an owner publishes, in a record or a file; quotes around it are a habit of DNS panels. */
export function isTokenLine(text: string, token: string): boolean {
  const line = text
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
  return line === `token=${token}`;
}

/** Where nothing else can be meant, the bare token will do as well. */
export function isToken(text: string, token: string): boolean {
  return text.trim() === token || isTokenLine(text, token);
}
