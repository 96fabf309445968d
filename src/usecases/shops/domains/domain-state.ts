import type { DomainState, VerificationMethod } from '../../../domain/domain-verification.ts';
import type { DomainCheckRow, MerchantRow } from '../../../store/schema/merchants.ts';

/** The stored rows of a merchant as the state of the rules. */
export function toDomainState(merchant: MerchantRow, row: DomainCheckRow): DomainState {
  return {
    verifiedAt: merchant.domainVerifiedAt,
    provenMethod: row.provenMethod,
    chosenAt: row.chosenAt,
    revokedAt: row.revokedAt,
    checkedAt: row.checkedAt,
    lastError: row.lastError,
    failures: row.failures,
    failedSince: row.failedSince,
    nextCheckAt: row.nextCheckAt,
  };
}

/** The row to store; `verifiedAt` is stored with the merchant. */
export function toDomainRow(
  merchantId: string,
  method: VerificationMethod,
  state: DomainState,
): DomainCheckRow {
  return {
    merchantId,
    method,
    provenMethod: state.provenMethod,
    chosenAt: state.chosenAt,
    revokedAt: state.revokedAt,
    checkedAt: state.checkedAt,
    lastError: state.lastError,
    failures: state.failures,
    failedSince: state.failedSince,
    nextCheckAt: state.nextCheckAt,
  };
}
