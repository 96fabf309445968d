import { findAccountToken, useAccountToken } from '../../store/accounts/account-tokens.ts';
import { markVerified } from '../../store/accounts/users.ts';
import type { AccountDeps } from './account-deps.ts';
import { invalidToken, tokenHash } from './account-link.ts';

/**
 * Takes a token from a verification mail. Taking the same one again changes nothing and is no
 * error: mail scanners open links too. @throws {AppError} VALIDATION_INVALID for a token that does not count.
 */
export async function verifyEmail(deps: Pick<AccountDeps, 'db' | 'clock'>, token: string): Promise<void> {
  const now = deps.clock.now();
  const hash = tokenHash(token);
  await deps.db.transaction(async (tx) => {
    const found = await findAccountToken(tx, { purpose: 'verify-email', hash, now });
    if (found === undefined) throw invalidToken();
    if (await useAccountToken(tx, hash, now)) await markVerified(tx, found.user_id, now);
  });
}
