import { emailKey } from '../../domain/email.ts';
import { findAccountToken, useAccountToken } from '../../store/accounts/account-tokens.ts';
import { changePasswordHash, markVerified } from '../../store/accounts/users.ts';
import type { AccountDeps } from './account-deps.ts';
import { invalidToken, tokenHash } from './account-link.ts';
import { assertUncommon } from './common-passwords.ts';
import { endCredentials } from './end-credentials.ts';
import { mailNotice } from './mail-notice.ts';
import { trustNetwork } from './network.ts';

/**
 * Sets a new password by a mailed token, once. Everybody signed in is signed out; a second factor
 * stays. The mail arrived, so the address is verified too.
 * @throws {AppError} VALIDATION_INVALID for a token that does not count, or one of the most common passwords.
 */
export async function resetPassword(
  deps: AccountDeps,
  input: { token: string; password: string; network: string },
): Promise<void> {
  const { db, clock, guard } = deps;
  const hash = tokenHash(input.token);
  const find = { purpose: 'reset-password', hash } as const;
  // Cheap answer first: a password hash costs memory and time. The transaction below decides for good.
  const seen = await findAccountToken(db, { ...find, now: clock.now() });
  if (seen === undefined || seen.used_at !== null) throw invalidToken();
  await assertUncommon(input.password, 'password');
  const next = await deps.passwords.hash(input.password);
  const user = await db.transaction(async (tx) => {
    const now = clock.now();
    const found = await findAccountToken(tx, { ...find, now });
    if (found === undefined || !(await useAccountToken(tx, hash, now))) throw invalidToken();
    await markVerified(tx, found.user_id, now);
    const changed = await changePasswordHash(tx, { id: found.user_id, next, now });
    if (changed === undefined) throw invalidToken();
    await endCredentials(tx, { userId: changed.id, keep: null, now });
    await mailNotice(tx, deps, changed, 'password-changed');
    return changed;
  });
  guard.forgive({ account: emailKey(user.email), userId: user.id, network: input.network });
  await trustNetwork(deps, user.id, input.network);
}
