import { AppError, invalidField } from '../../../domain/errors.ts';
import { deletePasskey, findUserPasskeys } from '../../../store/accounts/passkeys.ts';
import { findSecondFactor } from '../../../store/accounts/second-factors.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import type { AccountDeps } from '../account-deps.ts';
import { confirmPassword } from '../passwords/confirm-password.ts';
import { revokeCredentials } from '../revocation/revoke-credentials.ts';
import { mailNotice } from '../mail-notice.ts';
import type { CurrentSession, RenewedSession } from '../sessions/renew-session.ts';

/**
 * Removes a passkey, and revokes earlier credentials, because a session may have begun with it. Removing the
 * last one of a user without an authenticator app also needs the password, as disabling two-factor sign-in
 * does.
 * @throws {AppError} PASSKEY_NOT_FOUND; VALIDATION_INVALID where the password is missing; INVALID_CREDENTIALS
 * when it is wrong, RATE_LIMITED after several wrong ones.
 */
export async function removePasskey(
  deps: AccountDeps,
  input: { userId: string; session: CurrentSession; id: string; password: string | undefined },
): Promise<RenewedSession | null> {
  const { userId, session, id, password } = input;
  if (password !== undefined) {
    const { attempt } = await confirmPassword(deps, userId, password);
    attempt.succeed();
  }
  return deps.db.transaction(async (tx) => {
    if (!(await deletePasskey(tx, userId, id))) throw new AppError('PASSKEY_NOT_FOUND', 'No such passkey');
    if (password === undefined && !(await hasAnother(tx, userId))) {
      throw invalidField('password', 'is needed to remove the last one', 'required');
    }
    const { user, renewed } = await revokeCredentials(tx, { userId, keep: session, now: deps.clock.now() });
    await mailNotice(tx, deps, user, 'passkey-removed');
    return renewed;
  });
}

/** Whether the user keeps a factor that a thief of the password does not have. */
async function hasAnother(tx: Tx, userId: string): Promise<boolean> {
  const [passkeys, factor] = [await findUserPasskeys(tx, userId), await findSecondFactor(tx, userId)];
  return passkeys.length > 0 || (factor !== undefined && factor.enabledAt !== null);
}
