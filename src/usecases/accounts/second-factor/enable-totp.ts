import { AppError } from '../../../domain/errors.ts';
import {
  activateFactor,
  findSecondFactor,
  replaceRecoveryCodes,
} from '../../../store/accounts/second-factors.ts';
import type { AccountDeps } from '../account-deps.ts';
import { assertConfirmed } from '../assert-confirmed.ts';
import { revokeCredentials } from '../revocation/revoke-credentials.ts';
import { mailNotice } from '../mail-notice.ts';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.ts';
import type { CurrentSession } from '../sessions/renew-session.ts';
import { plainCode } from './second-factor.ts';
import { continueSession, type ContinuedSession } from '../sessions/session.ts';
import { verifyTotp } from './totp.ts';

/** An unfinished set-up expires. */
const SETUP_LIFETIME_MS = 3_600_000;

/**
 * Enables the second factor with a first code, and revokes earlier credentials. @returns the recovery codes,
 * shown only now.
 * @throws {AppError} INVALID_STATE without a set-up of the last hour, INVALID_CREDENTIALS for a wrong code,
 * EMAIL_UNCONFIRMED.
 */
export async function enableTotp(
  deps: AccountDeps,
  input: { userId: string; session: CurrentSession | null; code: string },
): Promise<ContinuedSession & { recoveryCodes: string[] }> {
  const { db, clock, secretBox } = deps;
  const { userId } = input;
  const now = clock.now();
  const factor = await findSecondFactor(db, userId);
  if (factor === undefined || factor.enabledAt !== null || now > factor.createdAt + SETUP_LIFETIME_MS) {
    throw nothingToEnable();
  }
  const attempt = deps.guard.beginConfirmation(userId);
  const step = verifyTotp(secretBox.open(factor.secretSealed), plainCode(input.code), now);
  if (step === null) throw new AppError('INVALID_CREDENTIALS', 'The code is wrong');
  attempt.succeed();
  const recoveryCodes = newRecoveryCodes();
  const ended = await db.transaction(async (tx) => {
    const secretSealed = factor.secretSealed;
    if (!(await activateFactor(tx, { userId, secretSealed, step, now }))) throw nothingToEnable();
    const hashes = recoveryCodes.map((code) => recoveryCodeHash(userId, code));
    await replaceRecoveryCodes(tx, userId, hashes);
    const credentials = await revokeCredentials(tx, { userId, keep: input.session, now });
    assertConfirmed(deps, credentials.user);
    await mailNotice(tx, deps, credentials.user, 'second-factor-enabled');
    return credentials;
  });
  return { recoveryCodes, ...(await continueSession(deps.tokens, ended, input.session)) };
}

function nothingToEnable(): AppError {
  return new AppError(
    'INVALID_STATE',
    'No setup of two-factor sign-in was started in the last hour: start again',
  );
}
