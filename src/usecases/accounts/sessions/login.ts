import { emailKey } from '../../../domain/email.ts';
import { AppError } from '../../../domain/errors.ts';
import { findSecondFactor } from '../../../store/accounts/second-factors.ts';
import type { UserRow } from '../../../store/schema/accounts.ts';
import { findUserByEmail, replacePasswordHash } from '../../../store/accounts/users.ts';
import type { AccountDeps } from '../account-deps.ts';
import { isKnownNetwork, recordSignIn } from './network.ts';
import { consumeSecondFactorCode } from '../second-factor/second-factor.ts';
import { openSession, type Session } from './session.ts';
import type { Attempt } from './login-throttle.ts';

export interface LoginInput {
  readonly email: string;
  readonly password: string;
  /** A TOTP or recovery code; undefined when it was left out. */
  readonly code: string | undefined;
  /** The client's network prefix. */
  readonly network: string;
}

/** Signs a user in and returns a token. @throws {AppError} like `proveUser`. */
export async function login(deps: AccountDeps, input: LoginInput): Promise<Session> {
  return openSession(deps.tokens, await proveUser(deps, input));
}

/**
 * The user identified by an email address, a password and, where there is a second factor, a code.
 * @throws {AppError} INVALID_CREDENTIALS, the same in text and time for an unknown address and a wrong
 * password; SECOND_FACTOR_REQUIRED when only the code is missing; RATE_LIMITED after many failures.
 */
export async function proveUser(deps: AccountDeps, input: LoginInput): Promise<UserRow> {
  const account = emailKey(input.email);
  const { network } = input;
  const user = await findUserByEmail(deps.db, account);
  const attempt = await deps.guard.beginSignIn({
    account,
    network,
    isKnown: async () => user !== undefined && isKnownNetwork(deps, user.id, network),
  });
  const matches = await deps.passwords
    .verify(user?.passwordHash ?? null, input.password)
    .catch((error: unknown) => {
      attempt.cancel();
      throw error;
    });
  if (user === undefined || !matches) throw invalid('Invalid email or password');
  await passSecondFactor(deps, user, input.code, attempt);
  attempt.succeed();
  if (deps.passwords.needsRehash(user.passwordHash)) {
    const next = await deps.passwords.hash(input.password);
    const { id, passwordHash: previous } = user;
    await replacePasswordHash(deps.db, { id, previous, next, now: deps.clock.now() });
  }
  await recordSignIn(deps, user, network);
  return user;
}

async function passSecondFactor(
  deps: AccountDeps,
  user: UserRow,
  code: string | undefined,
  attempt: Attempt,
): Promise<void> {
  const factor = await findSecondFactor(deps.db, user.id);
  if (factor === undefined || factor.enabledAt === null) return;
  if (code === undefined) {
    attempt.cancel();
    throw new AppError('SECOND_FACTOR_REQUIRED', 'A code from the authenticator app is needed as well');
  }
  const codeAttempt = beginCode(deps, user, attempt);
  if (!(await consumeSecondFactorCode(deps, user, factor, code))) throw invalid('The code is wrong');
  codeAttempt.succeed();
}

function beginCode(deps: AccountDeps, user: UserRow, attempt: Attempt): Attempt {
  try {
    return deps.guard.beginCode(user.id);
  } catch (error) {
    // The password was right, and no code was checked.
    attempt.cancel();
    throw error;
  }
}

function invalid(message: string): AppError {
  return new AppError('INVALID_CREDENTIALS', message);
}
