import { emailKey } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { inTransaction, type Db } from '../../store/database.ts';
import type { UserRow } from '../../store/tables.ts';
import { anyUserExists, findUserByEmail, insertUser } from '../../store/users.ts';
import { newUuid } from '../new-id.ts';
import type { Passwords } from './passwords.ts';
import { openSession, type Session } from './session.ts';
import type { Tokens } from './tokens.ts';

export interface RegisterDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  /** Who may register: everybody, only the first user of this installation, or nobody. */
  readonly registration: 'open' | 'first-user' | 'closed';
}

/**
 * Creates a user and signs them in.
 * @throws {AppError} DUPLICATE_ENTRY when the e-mail address is taken, REGISTRATION_CLOSED.
 */
export async function register(
  deps: RegisterDeps,
  input: { email: string; password: string },
): Promise<Session> {
  const { db, clock, passwords } = deps;
  const key = emailKey(input.email);
  // Cheap answers first: a hash costs memory and time. The transaction below decides for good.
  await assertOpen(deps, db);
  if ((await findUserByEmail(db, key)) !== undefined) throw taken();
  const passwordHash = await passwords.hash(input.password);
  const now = clock.now();
  const row: UserRow = {
    id: newUuid(),
    email: input.email,
    email_key: key,
    password_hash: passwordHash,
    is_verified: 0,
    token_version: 0,
    created_at: now,
    updated_at: now,
  };
  await inTransaction(db, async (tx) => {
    await assertOpen(deps, tx);
    if (!(await insertUser(tx, row))) throw taken();
  });
  return openSession(deps.tokens, row);
}

async function assertOpen(deps: RegisterDeps, db: Db): Promise<void> {
  const { registration } = deps;
  if (registration === 'open') return;
  if (registration === 'first-user' && !(await anyUserExists(db))) return;
  throw new AppError('REGISTRATION_CLOSED', 'Registration is closed on this server');
}

function taken(): AppError {
  const message = 'is already registered';
  return new AppError('DUPLICATE_ENTRY', 'A user with this email already exists', {
    details: [{ field: 'email', code: 'duplicate', message }],
  });
}
