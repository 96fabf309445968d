import { AppError } from '../../domain/errors.ts';
import { findAccountToken, useAccountToken } from '../../store/accounts/account-tokens.ts';
import { markVerified } from '../../store/accounts/users.ts';
import type { AccountDeps } from './account-deps.ts';
import { invalidToken, tokenHash } from './account-link.ts';

/**
 * Consumes the token of a verification mail of the signed-in account: a click alone must not confirm an
 * account that a stranger registered. Consuming the same one again changes nothing and is not an error.
 * @throws {AppError} VALIDATION_INVALID for an invalid token; FORBIDDEN for that of another account.
 */
export async function verifyEmail(
  deps: Pick<AccountDeps, 'db' | 'clock'>,
  { userId, token }: { readonly userId: string; readonly token: string },
): Promise<void> {
  const now = deps.clock.now();
  const hash = tokenHash(token);
  await deps.db.transaction(async (tx) => {
    const stored = await findAccountToken(tx, { purpose: 'verify-email', hash, now });
    if (stored === undefined) throw invalidToken();
    if (stored.userId !== userId)
      throw new AppError('FORBIDDEN', 'This link confirms another account: sign in with its address');
    if (await useAccountToken(tx, hash, now)) await markVerified(tx, userId, now);
  });
}
