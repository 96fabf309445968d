import { AppError } from '../../../domain/errors.ts';
import { changePasswordHash } from '../../../store/accounts/users.ts';
import type { AccountDeps } from '../account-deps.ts';
import { assertUncommon } from './common-passwords.ts';
import { confirmPassword } from './confirm-password.ts';
import { revokeCredentials } from '../revocation/revoke-credentials.ts';
import { mailNotice } from '../mail-notice.ts';
import type { CurrentSession, RenewedSession } from '../sessions/renew-session.ts';
import { openSession, type Session } from '../sessions/session.ts';

/**
 * Changes the password. Invalidates every earlier token, every reset link and every session except the
 * caller's; the response contains a fresh token, and the caller's session gets one, too.
 * @throws {AppError} INVALID_CREDENTIALS when the current password is wrong, RATE_LIMITED after several wrong
 * ones, VALIDATION_INVALID for a new one that is among the most common.
 */
export async function changePassword(
  deps: AccountDeps,
  input: { userId: string; session: CurrentSession | null; currentPassword: string; newPassword: string },
): Promise<{ session: Session; renewed: RenewedSession | null }> {
  const { user, attempt } = await confirmPassword(deps, input.userId, input.currentPassword);
  attempt.succeed();
  await assertUncommon(input.newPassword, 'newPassword');
  const next = await deps.passwords.hash(input.newPassword);
  const ended = await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const row = await changePasswordHash(tx, { id: user.id, previous: user.passwordHash, next, now });
    if (row === undefined)
      throw new AppError('INVALID_CREDENTIALS', 'The password was changed in the meantime');
    await mailNotice(tx, deps, user, 'password-changed');
    return revokeCredentials(tx, { userId: user.id, keep: input.session, now });
  });
  return { session: await openSession(deps.tokens, ended.user), renewed: ended.renewed };
}
