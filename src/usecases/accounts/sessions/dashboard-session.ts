import { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import type { SecretBox } from '../../../domain/keys.ts';
import {
  deleteSession,
  deleteSessionByHash,
  findSession,
  insertSession,
  findUserSessions,
} from '../../../store/accounts/sessions.ts';
import type { SessionRow, UserRow } from '../../../store/schema/accounts.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { newId } from '../../events/index.ts';
import type { AccountDeps } from '../account-deps.ts';
import { tokenHash } from '../account-link.ts';
import { revokeCredentials } from '../revocation/revoke-credentials.ts';
import { newSessionToken } from './renew-session.ts';
import type { User } from './session.ts';
import { toUser } from './session.ts';

const HOUR_MS = 3_600_000;
/** Idle timeout of a session. */
const IDLE_MS = 12 * HOUR_MS;
/** Absolute lifetime of a session. */
export const SESSION_LIFETIME_MS = 7 * 24 * HOUR_MS;
const USER_AGENT_MAX = 300;

/** A browser, as described by its requests. */
export interface Client {
  readonly address: string;
  readonly userAgent: string;
}

const sealedClient = z.object({ address: z.string(), userAgent: z.string() });

/** A client as stored: sealed, because the database need not reveal the locations of its users. */
export function sealClient(secretBox: SecretBox, { address, userAgent }: Client): string {
  return secretBox.seal(JSON.stringify({ address, userAgent: userAgent.slice(0, USER_AGENT_MAX) }));
}

type SessionDeps = Pick<AccountDeps, 'db' | 'clock' | 'secretBox'>;

/** A session that was just opened; the token goes into the cookie and nowhere else. */
export interface OpenedSession {
  readonly token: string;
  readonly expiresAt: number;
  readonly user: User;
}

/**
 * Signs a user in to the dashboard with a fresh token.
 * @param replaces the token that the browser sent, whose session ends
 */
export async function openDashboardSession(
  deps: SessionDeps,
  user: UserRow,
  { client, replaces }: { readonly client: Client; readonly replaces: string | null },
): Promise<OpenedSession> {
  const { db, clock, secretBox } = deps;
  const now = clock.now();
  const token = newSessionToken();
  const row: SessionRow = {
    id: newId('ses_'),
    userId: user.id,
    tokenHash: tokenHash(token),
    tokenVersion: user.tokenVersion,
    clientSealed: sealClient(secretBox, client),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: now + SESSION_LIFETIME_MS,
    steppedUpAt: null,
  };
  await db.transaction(async (tx) => {
    if (replaces !== null) await deleteSessionByHash(tx, tokenHash(replaces));
    await insertSession(tx, row, countingAt(now));
  });
  return { token, expiresAt: row.expiresAt, user: toUser(user) };
}

/** The session of a cookie's token; undefined when it is not valid now. */
export async function sessionOfToken(db: Db, token: string, now: number): Promise<SessionRow | undefined> {
  return findSession(db, tokenHash(token), countingAt(now));
}

/** Ends the session of a token; does nothing when there is none. */
export async function closeDashboardSession(deps: Pick<AccountDeps, 'db'>, token: string): Promise<void> {
  await deleteSessionByHash(deps.db, tokenHash(token));
}

interface ListedSession {
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  readonly address: string;
  readonly userAgent: string;
}

/** The valid sessions of a user, the last used first. */
export async function listSessions(deps: SessionDeps, userId: string): Promise<ListedSession[]> {
  const rows = await findUserSessions(deps.db, userId, countingAt(deps.clock.now()));
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.createdAt,
    lastUsedAt: row.lastUsedAt,
    expiresAt: row.expiresAt,
    ...sealedClient.parse(JSON.parse(deps.secretBox.open(row.clientSealed))),
  }));
}

/** Ends one session of a user. @throws {AppError} SESSION_NOT_FOUND. */
export async function endSession(
  deps: Pick<AccountDeps, 'db'>,
  userId: string,
  sessionId: string,
): Promise<void> {
  const isEnded = await deleteSession(deps.db, userId, sessionId);
  if (!isEnded) throw new AppError('SESSION_NOT_FOUND', 'No such session: it has ended already');
}

/** Ends every session and every user token of a user, the caller's included. Keys of shops stay. */
export async function signOutEverywhere(
  { db, clock }: Pick<AccountDeps, 'db' | 'clock'>,
  userId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await revokeCredentials(tx, { userId, keep: null, now: clock.now() });
  });
}

/** The bounds within which sessions are valid at a time. */
export function countingAt(now: number): { readonly now: number; readonly idleSince: number } {
  return { now, idleSince: now - IDLE_MS };
}
