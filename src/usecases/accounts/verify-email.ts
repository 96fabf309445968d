import { AppError } from '../../domain/errors.ts';
import { findAccountToken, useAccountToken } from '../../store/accounts/account-tokens.ts';
import { markVerified } from '../../store/accounts/users.ts';
import type { AccountDeps } from './account-deps.ts';
import { invalidToken, tokenHash } from './account-link.ts';

/**
 * Takes a token from a verification mail, of the account that is signed in: a click alone must not confirm what a
 * stranger registered. Taking the same one again changes nothing and is no error.
 * @throws {AppError} VALIDATION_INVALID for a token that does not count; FORBIDDEN for that of another account.
 */
export async function verifyEmail(
  deps: Pick<AccountDeps, 'db' | 'clock'>,
  { userId, token }: { readonly userId: string; readonly token: string },
): Promise<void> {
  const now = deps.clock.now();
  const hash = tokenHash(token);
  await deps.db.transaction(async (tx) => {
    const found = await findAccountToken(tx, { purpose: 'verify-email', hash, now });
    if (found === undefined) throw invalidToken();
    if (found.user_id !== userId)
      throw new AppError('FORBIDDEN', 'This link confirms another account: sign in with its address');
    if (await useAccountToken(tx, hash, now)) await markVerified(tx, userId, now);
  });
}
