import { chooseMethod, type VerificationMethod } from '../../../domain/domain-verification.ts';
import { assertNever } from '../../../domain/errors.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { findDomainCheck, saveDomainCheck } from '../../../store/merchants/domain-checks.ts';
import { findOwnMerchant } from '../../access/index.ts';
import { toDomainRow, toDomainState } from './domain-state.ts';

export interface ChosenVerification {
  readonly method: VerificationMethod;
  readonly instructions: string;
  readonly token: string;
}

/**
 * Stores a merchant's verification method and returns what to publish. The token is the same for every
 * method; a verified domain stays verified.
 * @throws {AppError} MERCHANT_NOT_FOUND, also for a merchant of another account.
 */
export async function chooseVerification(
  deps: { readonly db: Db; readonly clock: Clock },
  input: { readonly userId: string; readonly merchantId: string; readonly method: VerificationMethod },
): Promise<ChosenVerification> {
  const { method } = input;
  return deps.db.transaction(async (tx) => {
    const merchant = await findOwnMerchant(tx, input.userId, input.merchantId);
    const row = await findDomainCheck(tx, merchant.id);
    const before = row === undefined ? null : toDomainState(merchant, row);
    await saveDomainCheck(tx, toDomainRow(merchant.id, method, chooseMethod(before, deps.clock.now())));
    const token = merchant.domainToken;
    return { method, instructions: verificationInstructions(method, merchant.domain, token), token };
  });
}

/** Instructions for the owner of a domain about what to publish for a method. */
function verificationInstructions(method: VerificationMethod, domain: string, token: string): string {
  switch (method) {
    case 'dns':
      return `Add a TXT record named _tilld-challenge.${domain} with the value token=${token}`;
    case 'file':
      return `Serve https://${domain}/.well-known/tilld-verification.txt with token=${token} as its only content`;
    case 'meta':
      return `Add <meta name="tilld-verification" content="${token}"> to the head of https://${domain}/`;
    default:
      return assertNever(method);
  }
}
