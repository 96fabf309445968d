import type { CheckOutcome } from '../../../domain/domain-verification.ts';
import type { DomainCheckRow, MerchantRow } from '../../../store/schema/merchants.ts';
import type { DomainChecker } from './domain-checker.ts';

/**
 * Looks for the chosen proof; a verified domain may also go on showing the one it was verified by,
 * so that reading another method's instructions never costs a merchant its standing.
 */
export async function readDomainProof(
  checker: DomainChecker,
  merchant: MerchantRow,
  check: DomainCheckRow,
): Promise<CheckOutcome> {
  const target = { merchantId: merchant.id, domain: merchant.domain, token: merchant.domain_token };
  const outcome = await checker.check(target, check.method);
  const { proven_method: proven } = check;
  if (outcome.kind === 'proven' || merchant.domain_verified_at === null) return outcome;
  if (proven === null || proven === check.method) return outcome;
  const fallback = await checker.check(target, proven);
  return fallback.kind === 'proven' ? fallback : outcome;
}
