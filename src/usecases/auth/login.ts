import { emailKey } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/database.ts';
import { findUserByEmail, replacePasswordHash } from '../../store/users.ts';
import type { Passwords } from './passwords.ts';
import { openSession, type Session } from './session.ts';
import type { Tokens } from './tokens.ts';

export interface LoginDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly tokens: Tokens;
}

/**
 * Signs a user in.
 * @throws {AppError} INVALID_CREDENTIALS, the same in text and time for an unknown address and a wrong password.
 */
export async function login(deps: LoginDeps, input: { email: string; password: string }): Promise<Session> {
  const user = await findUserByEmail(deps.db, emailKey(input.email));
  const matches = await deps.passwords.verify(user?.password_hash ?? null, input.password);
  if (user === undefined || !matches) {
    throw new AppError('INVALID_CREDENTIALS', 'Invalid email or password');
  }
  if (deps.passwords.isOutdated(user.password_hash)) {
    const next = await deps.passwords.hash(input.password);
    const { id, password_hash: previous } = user;
    await replacePasswordHash(deps.db, { id, previous, next, now: deps.clock.now() });
  }
  return openSession(deps.tokens, user);
}
