import { AppError } from '../../../domain/errors.ts';
import { deleteSecondFactor, findSecondFactor } from '../../../store/accounts/second-factors.ts';
import type { AccountDeps } from '../account-deps.ts';
import { confirmPassword } from '../passwords/confirm-password.ts';
import { revokeCredentials } from '../revocation/revoke-credentials.ts';
import { mailNotice } from '../mail-notice.ts';
import type { CurrentSession } from '../sessions/renew-session.ts';
import { consumeSecondFactorCode } from './second-factor.ts';
import { continueSession, type ContinuedSession } from '../sessions/session.ts';

/**
 * Disables the second factor, deletes its secret and recovery codes, and revokes earlier credentials.
 * @throws {AppError} INVALID_CREDENTIALS for a wrong password or code, INVALID_STATE when it is off.
 */
export async function disableTotp(
  deps: AccountDeps,
  input: { userId: string; session: CurrentSession | null; password: string; code: string },
): Promise<ContinuedSession> {
  const { user, attempt } = await confirmPassword(deps, input.userId, input.password);
  const factor = await findSecondFactor(deps.db, user.id);
  if (factor === undefined || factor.enabledAt === null) {
    attempt.succeed();
    throw new AppError('INVALID_STATE', 'Two-factor sign-in is off');
  }
  if (!(await consumeSecondFactorCode(deps, user, factor, input.code))) {
    throw new AppError('INVALID_CREDENTIALS', 'The code is wrong');
  }
  attempt.succeed();
  const ended = await deps.db.transaction(async (tx) => {
    await deleteSecondFactor(tx, user.id);
    await mailNotice(tx, deps, user, 'second-factor-disabled');
    return revokeCredentials(tx, { userId: user.id, keep: input.session, now: deps.clock.now() });
  });
  return continueSession(deps.tokens, ended, input.session);
}
