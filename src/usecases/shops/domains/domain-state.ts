import type { DomainState, VerificationMethod } from '../../../domain/domain-verification.ts';
import type { DomainCheckRow, MerchantRow } from '../../../store/schema/merchants.ts';

/** The stored rows of a merchant as the state of the rules. */
export function toDomainState(merchant: MerchantRow, row: DomainCheckRow): DomainState {
  return {
    verifiedAt: merchant.domain_verified_at,
    provenMethod: row.proven_method,
    chosenAt: row.chosen_at,
    revokedAt: row.revoked_at,
    checkedAt: row.checked_at,
    lastError: row.last_error,
    failures: row.failures,
    failedSince: row.failed_since,
    nextCheckAt: row.next_check_at,
  };
}

/** The row to store; `verifiedAt` is stored with the merchant. */
export function toDomainRow(
  merchantId: string,
  method: VerificationMethod,
  state: DomainState,
): DomainCheckRow {
  return {
    merchant_id: merchantId,
    method,
    proven_method: state.provenMethod,
    chosen_at: state.chosenAt,
    revoked_at: state.revokedAt,
    checked_at: state.checkedAt,
    last_error: state.lastError,
    failures: state.failures,
    failed_since: state.failedSince,
    next_check_at: state.nextCheckAt,
  };
}
