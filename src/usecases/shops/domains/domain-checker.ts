import type { CheckOutcome, VerificationMethod } from '../../../domain/domain-verification.ts';

/** A domain and the token its owner should have published. */
export interface DomainTarget {
  readonly merchantId: string;
  /** In its normal form: lower case, ASCII. */
  readonly domain: string;
  readonly token: string;
}

/** Looking at domains, as use cases know it: bounded in time, whatever the domain does. */
export interface DomainChecker {
  /** @throws only when the look was given up (shutdown) or too many were asked for; never for what a domain does. */
  check(target: DomainTarget, method: VerificationMethod): Promise<CheckOutcome>;
}
