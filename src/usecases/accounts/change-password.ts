import { AppError } from '../../domain/errors.ts';
import { deleteAccountTokens } from '../../store/accounts/account-tokens.ts';
import { supersedeMails } from '../../store/accounts/mails.ts';
import { endOtherSessions } from '../../store/accounts/sessions.ts';
import { changePasswordHash } from '../../store/accounts/users.ts';
import type { AccountDeps } from './account-deps.ts';
import { assertUncommon } from './common-passwords.ts';
import { confirmPassword } from './confirm-password.ts';
import { mailNotice } from './mail-notice.ts';
import { openSession, type Session } from './session.ts';

/**
 * Changes the password. Every token issued before, every reset link and every session but the one that asks is dead;
 * the answer holds a fresh token.
 * @throws {AppError} INVALID_CREDENTIALS when the current password is wrong, RATE_LIMITED after several wrong ones,
 * VALIDATION_INVALID for a new one of the most common.
 */
export async function changePassword(
  deps: AccountDeps,
  input: { userId: string; sessionId: string | null; currentPassword: string; newPassword: string },
): Promise<Session> {
  const { user, attempt } = await confirmPassword(deps, input.userId, input.currentPassword);
  attempt.succeed();
  await assertUncommon(input.newPassword, 'newPassword');
  const next = await deps.passwords.hash(input.newPassword);
  const changed = await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const row = await changePasswordHash(tx, { id: user.id, previous: user.password_hash, next, now });
    if (row === undefined) throw new AppError('INVALID_CREDENTIALS', 'The password was changed meanwhile');
    await deleteAccountTokens(tx, { userId: user.id, purpose: 'reset-password' });
    await supersedeMails(tx, { userId: user.id, kind: 'reset-password', now });
    await endOtherSessions(tx, user.id, input.sessionId);
    await mailNotice(tx, deps, user, 'password-changed');
    return row;
  });
  return openSession(deps.tokens, changed);
}
