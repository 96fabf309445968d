import type { CheckOutcome } from '../../../domain/domain-verification.ts';
import type { DomainCheckRow, MerchantRow } from '../../../store/schema/merchants.ts';
import type { DomainChecker } from './domain-checker.ts';

/**
 * Checks for the chosen proof; a verified domain may keep the proof that verified it, so that reading another
 * method's instructions never loses the verification.
 */
export async function readDomainProof(
  checker: DomainChecker,
  merchant: MerchantRow,
  check: DomainCheckRow,
): Promise<CheckOutcome> {
  const target = { merchantId: merchant.id, domain: merchant.domain, token: merchant.domainToken };
  const outcome = await checker.check(target, check.method);
  const { provenMethod: proven } = check;
  if (outcome.kind === 'proven' || merchant.domainVerifiedAt === null) return outcome;
  if (proven === null || proven === check.method) return outcome;
  const fallback = await checker.check(target, proven);
  return fallback.kind === 'proven' ? fallback : outcome;
}
