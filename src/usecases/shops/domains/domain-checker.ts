import type { CheckOutcome, VerificationMethod } from '../../../domain/domain-verification.ts';

/** A domain, and the token that its owner must publish. */
export interface DomainTarget {
  readonly merchantId: string;
  /** Normalised: lower case, ASCII. */
  readonly domain: string;
  readonly token: string;
}

/** Checks domains; bounded in time, whatever the domain does. */
export interface DomainChecker {
  /**
   * @throws only when the check was aborted (shutdown) or too many were requested; never because of the
   * domain.
   */
  check(target: DomainTarget, method: VerificationMethod): Promise<CheckOutcome>;
}
