import { emailKey } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { UserRow } from '../../store/schema/accounts.ts';
import { findOpenInvitation } from '../../store/merchants/invitations.ts';
import { anyUserExists, findUserByEmail, insertUser } from '../../store/accounts/users.ts';
import { newUuid } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import type { AccountDeps } from './account-deps.ts';
import { assertUncommon } from './passwords/common-passwords.ts';
import { mailLink, tokenHash } from './account-link.ts';
import { trustNetwork } from './sessions/network.ts';
import { openSession, type Session } from './sessions/session.ts';
import { assertSetupToken } from './setup-token.ts';

export interface RegisterDeps extends AccountDeps {
  /** Registration is open to everyone, to the first user of this installation only, or closed. */
  readonly registration: 'open' | 'first-user' | 'closed';
  /**
   * Required of the first user where only the first user may register: a stranger must not own the server.
   */
  readonly setupToken: string;
}

interface RegisterInput {
  readonly email: string;
  readonly password: string;
  readonly network: string;
  readonly invitation?: string | undefined;
  readonly setupToken?: string | undefined;
}

/**
 * Creates a user, signs them in and mails them a link to verify their address.
 * @throws {AppError} DUPLICATE_ENTRY when the email address is taken, REGISTRATION_CLOSED, VALIDATION_INVALID
 * for one of the most common passwords, or without the setup token where the first user needs it.
 */
export async function register(
  deps: RegisterDeps,
  input: RegisterInput,
  storeResult: StoreResult<Session> = storeNoResult,
): Promise<Session> {
  const { db, clock, passwords } = deps;
  const key = emailKey(input.email);
  // Cheap checks first: a hash costs memory and time. The transaction below decides.
  await assertOpen(deps, db, input);
  if ((await findUserByEmail(db, key)) !== undefined) throw emailTaken();
  await assertUncommon(input.password, 'password');
  const passwordHash = await passwords.hash(input.password);
  const now = clock.now();
  const row: UserRow = {
    id: newUuid(),
    email: input.email,
    emailKey: key,
    passwordHash,
    isVerified: false,
    tokenVersion: 0,
    createdAt: now,
    updatedAt: now,
  };
  const session = await openSession(deps.tokens, row);
  await db.transaction(async (tx) => {
    await assertOpen(deps, tx, input);
    if (!(await insertUser(tx, row))) throw emailTaken();
    await mailLink(tx, deps, row, 'verify-email');
    await storeResult(tx, session);
  });
  await trustNetwork(deps, row.id, input.network);
  return session;
}

/**
 * Where registration is closed, people invited by a shop's owner may still register with the invited address.
 */
async function assertOpen(
  deps: RegisterDeps,
  db: Db,
  { email, invitation, setupToken }: RegisterInput,
): Promise<void> {
  const { registration } = deps;
  if (registration === 'open') return;
  if (registration === 'first-user' && !(await anyUserExists(db))) {
    assertSetupToken(deps.setupToken, setupToken);
    return;
  }
  if (invitation !== undefined) {
    const invited = await findOpenInvitation(db, tokenHash(invitation), deps.clock.now());
    if (invited?.emailKey === emailKey(email)) return;
  }
  throw new AppError('REGISTRATION_CLOSED', 'Registration is closed on this server');
}

function emailTaken(): AppError {
  const message = 'is already registered';
  return new AppError('DUPLICATE_ENTRY', 'A user with this email already exists', {
    details: [{ field: 'email', code: 'duplicate', message }],
  });
}
