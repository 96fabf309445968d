import { AppError } from '../../../domain/errors.ts';
import { unauthorised } from '../../../domain/unauthorised.ts';
import type { UserRow } from '../../../store/schema/accounts.ts';
import { findUser } from '../../../store/accounts/users.ts';
import type { AccountDeps } from '../account-deps.ts';
import type { Attempt } from '../sessions/login-throttle.ts';

/**
 * Checks the password of a signed-in user, because a stolen token alone must not change an account. The
 * attempt counts as failed until the caller ends it.
 * @throws {AppError} INVALID_CREDENTIALS, RATE_LIMITED after several wrong ones.
 */
export async function confirmPassword(
  deps: Pick<AccountDeps, 'db' | 'passwords' | 'guard'>,
  userId: string,
  password: string,
): Promise<{ user: UserRow; attempt: Attempt }> {
  const user = await findUser(deps.db, userId);
  if (user === undefined) throw unauthorised('expired');
  const attempt = deps.guard.beginConfirmation(userId);
  const matches = await deps.passwords.verify(user.passwordHash, password).catch((error: unknown) => {
    attempt.cancel();
    throw error;
  });
  if (!matches) throw new AppError('INVALID_CREDENTIALS', 'The password is wrong');
  return { user, attempt };
}
