import type { VerificationMethod } from '../../../domain/domain-verification.ts';
import { AppError } from '../../../domain/errors.ts';
import { findDomainCheck } from '../../../store/merchants/domain-checks.ts';
import { findOwnMerchant } from '../../access/index.ts';
import type { DomainChecker } from './domain-checker.ts';
import { readDomainProof } from './read-domain-proof.ts';
import { recordCheck, type RecordCheckDeps } from './record-check.ts';

export interface CheckDomainDeps extends RecordCheckDeps {
  readonly checker: DomainChecker;
}

export interface DomainVerification {
  /** Whether the domain is now verified; a single failed check does not change that. */
  readonly verified: boolean;
  readonly method: VerificationMethod;
  /** Time of the last check, ms; null when none was recorded yet (the method was changed in the meantime). */
  readonly checkedAt: number | null;
  /** Why the last check found no proof; null when it did. */
  readonly lastError: string | null;
}

/**
 * Checks a merchant's domain now, by its chosen method.
 * @throws {AppError} MERCHANT_NOT_FOUND, also for a merchant of another account; INVALID_STATE while no
 * method is chosen; RATE_LIMITED after too many checks.
 */
export async function checkDomain(
  deps: CheckDomainDeps,
  input: { readonly userId: string; readonly merchantId: string },
): Promise<DomainVerification> {
  const merchant = await findOwnMerchant(deps.db, input.userId, input.merchantId);
  const row = await findDomainCheck(deps.db, merchant.id);
  if (row === undefined) {
    throw new AppError(
      'INVALID_STATE',
      'no verification method is chosen yet: call POST /merchant/verify-domain first',
    );
  }
  const startedAt = deps.clock.now();
  const outcome = await readDomainProof(deps.checker, merchant, row);
  const status = await recordCheck(deps, { row, startedAt, outcome });
  return {
    verified: status.merchant.domainVerifiedAt !== null,
    method: outcome.kind === 'proven' ? outcome.method : status.check.method,
    checkedAt: status.check.checkedAt,
    lastError: status.check.lastError,
  };
}
