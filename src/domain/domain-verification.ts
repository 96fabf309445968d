export const VERIFICATION_METHODS = ['dns', 'file', 'meta'] as const;
/** How an owner proves control of a domain: a TXT record, a file, or a tag in the home page. */
export type VerificationMethod = (typeof VERIFICATION_METHODS)[number];

/**
 * Outcome of one check of a domain. `absent`: the domain answered, without the token. `unreachable`:
 * its server did not answer. `unknown`: DNS did not answer, which proves nothing about the domain.
 */
export type CheckOutcome =
  | { readonly kind: 'proven'; readonly method: VerificationMethod }
  | { readonly kind: 'absent' | 'unreachable' | 'unknown'; readonly reason: string };

/** Stored state of a domain's verification. Times in ms. */
export interface DomainState {
  readonly verifiedAt: number | null;
  /** The method of the last proof. */
  readonly provenMethod: VerificationMethod | null;
  readonly chosenAt: number;
  readonly revokedAt: number | null;
  readonly checkedAt: number | null;
  readonly lastError: string | null;
  /** Checks without a proof since the last successful one, excluding those with an unknown outcome. */
  readonly failures: number;
  /** When the first of these checks failed, including unknown outcomes. */
  readonly failedSince: number | null;
  /** Time of the next scheduled check; null: it is checked only on request. */
  readonly nextCheckAt: number | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FIRST_CHECK_MS = MINUTE_MS;
const EAGER_CHECK_MS = 5 * MINUTE_MS;
const EAGER_FOR_MS = 72 * HOUR_MS;
const PURSUE_FOR_MS = 30 * DAY_MS;
const REVOKE_FAILURES = 3;
const REVOKE_AFTER_MS = 72 * HOUR_MS;
/** A domain whose name servers have not answered for this long is revoked. */
const REVOKE_UNKNOWN_AFTER_MS = 30 * DAY_MS;
/** Jitter as a share of the interval, so that checks spread over time. */
const JITTER = 0.1;

/**
 * Returns the state after a change of the method. A verified domain stays verified; the new method is checked
 * soon.
 */
export function chooseMethod(state: DomainState | null, now: number): DomainState {
  return {
    verifiedAt: state?.verifiedAt ?? null,
    provenMethod: state?.provenMethod ?? null,
    revokedAt: state?.revokedAt ?? null,
    checkedAt: state?.checkedAt ?? null,
    lastError: state?.lastError ?? null,
    failures: state?.failures ?? 0,
    failedSince: state?.failedSince ?? null,
    chosenAt: now,
    nextCheckAt: now + FIRST_CHECK_MS,
  };
}

/**
 * Returns the state after a check. One proof verifies the domain; a verified domain is revoked after three
 * consecutive failures over 72 hours, so that neither an outage nor a mistake revokes it at once.
 * @param random from 0 up to 1, adds jitter to the next check
 */
export function judgeCheck(
  state: DomainState,
  outcome: CheckOutcome,
  { now, random }: { readonly now: number; readonly random: number },
): { readonly state: DomainState; readonly event: 'domain.verified' | 'domain.revoked' | null } {
  const next = outcome.kind === 'proven' ? proven(state, outcome.method, now) : failed(state, outcome, now);
  const event = statusEvent(state, next);
  const judged = event === 'domain.revoked' ? { ...next, revokedAt: now } : next;
  return { state: { ...judged, nextCheckAt: nextCheck(judged, now, random) }, event };
}

function statusEvent(before: DomainState, after: DomainState): 'domain.verified' | 'domain.revoked' | null {
  const [was, is] = [before.verifiedAt !== null, after.verifiedAt !== null];
  if (was === is) return null;
  return is ? 'domain.verified' : 'domain.revoked';
}

function proven(state: DomainState, method: VerificationMethod, now: number): DomainState {
  return {
    ...state,
    verifiedAt: state.verifiedAt ?? now,
    provenMethod: method,
    revokedAt: null,
    checkedAt: now,
    lastError: null,
    failures: 0,
    failedSince: null,
  };
}

function failed(
  state: DomainState,
  outcome: Exclude<CheckOutcome, { kind: 'proven' }>,
  now: number,
): DomainState {
  const failures = outcome.kind === 'unknown' ? state.failures : state.failures + 1;
  const failedSince = state.failedSince ?? now;
  const failedForMs = now - failedSince;
  const isLost =
    (failures >= REVOKE_FAILURES && failedForMs >= REVOKE_AFTER_MS) || failedForMs >= REVOKE_UNKNOWN_AFTER_MS;
  return {
    ...state,
    verifiedAt: isLost ? null : state.verifiedAt,
    checkedAt: now,
    lastError: outcome.reason,
    failures,
    failedSince,
  };
}

function nextCheck(state: DomainState, now: number, random: number): number | null {
  const spread = 1 - JITTER + 2 * JITTER * random;
  const daily = now + Math.round(DAY_MS * spread);
  if (state.verifiedAt !== null) {
    const decisive = state.failedSince === null ? daily : state.failedSince + REVOKE_AFTER_MS;
    return decisive > now ? Math.min(daily, decisive) : daily;
  }
  if (now - state.chosenAt < EAGER_FOR_MS) return now + Math.round(EAGER_CHECK_MS * spread);
  const pursuedSince = Math.max(state.chosenAt, state.revokedAt ?? 0);
  return now - pursuedSince < PURSUE_FOR_MS ? daily : null;
}
