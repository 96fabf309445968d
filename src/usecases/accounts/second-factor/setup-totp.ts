import { AppError } from '../../../domain/errors.ts';
import { storePendingFactor } from '../../../store/accounts/second-factors.ts';
import type { AccountDeps } from '../account-deps.ts';
import { assertConfirmed } from '../assert-confirmed.ts';
import { confirmPassword } from '../passwords/confirm-password.ts';
import { newTotpSecret, otpauthUri } from './totp.ts';

/**
 * Creates a secret for an authenticator app. It takes effect once `enableTotp` receives a code of it.
 * @throws {AppError} INVALID_CREDENTIALS, INVALID_STATE while a second factor is active, EMAIL_UNCONFIRMED.
 */
export async function setupTotp(
  deps: AccountDeps,
  input: { userId: string; password: string },
): Promise<{ secret: string; uri: string }> {
  const { user, attempt } = await confirmPassword(deps, input.userId, input.password);
  attempt.succeed();
  assertConfirmed(deps, user);
  const secret = newTotpSecret();
  const isKept = await storePendingFactor(deps.db, {
    userId: user.id,
    secretSealed: deps.secretBox.seal(secret),
    now: deps.clock.now(),
  });
  if (!isKept) throw new AppError('INVALID_STATE', 'Two-factor sign-in is on: switch it off first');
  return { secret, uri: otpauthUri(secret, user.email, new URL(deps.baseUrl).hostname) };
}
