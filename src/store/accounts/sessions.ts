import type { SessionRow } from '../schema/accounts.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';

/** Bounds within which a session is valid now. */
interface At {
  readonly now: number;
  /** Sessions last used before this have ended. */
  readonly idleSince: number;
}

/** Stores a session and deletes the ended ones of its user. */
export async function insertSession(tx: Tx, row: SessionRow, { now, idleSince }: At): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('userId', '=', row.userId)
    .where((eb) =>
      eb.or([
        eb('expiresAt', '<=', now),
        eb('lastUsedAt', '<=', idleSince),
        eb('tokenVersion', '<>', row.tokenVersion),
      ]),
    )
    .execute();
  await tx.insertInto('sessions').values(row).execute();
}

const byHash = prepared((db, param: ParamOf<{ tokenHash: string }>) =>
  db
    .selectFrom('sessions as session')
    .innerJoin('users', 'users.id', 'session.userId')
    .selectAll('session')
    .whereRef('users.tokenVersion', '=', 'session.tokenVersion')
    .where('session.tokenHash', '=', param('tokenHash')),
);

/** The session with this SHA-256 of its token, if it is valid now. */
export async function findSession(
  db: Db,
  tokenHash: string,
  { now, idleSince }: At,
): Promise<SessionRow | undefined> {
  const [row] = await byHash(db, { tokenHash });
  return row !== undefined && row.expiresAt > now && row.lastUsedAt > idleSince ? row : undefined;
}

/** The valid sessions of a user, the last used first. */
export async function findUserSessions(
  db: Db,
  userId: string,
  { now, idleSince }: At,
): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions as session')
    .innerJoin('users', 'users.id', 'session.userId')
    .selectAll('session')
    .whereRef('users.tokenVersion', '=', 'session.tokenVersion')
    .where('session.userId', '=', userId)
    .where('session.expiresAt', '>', now)
    .where('session.lastUsedAt', '>', idleSince)
    .orderBy('session.lastUsedAt', 'desc')
    .orderBy('session.id')
    .execute();
}

/** Records a use, unless one since `before` is already recorded. */
export async function touchSession(db: Db, use: { id: string; now: number; before: number }): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ lastUsedAt: use.now })
    .where('id', '=', use.id)
    .where('lastUsedAt', '<=', use.before)
    .execute();
}

/** Records that the user of a session proved their identity; null revokes that. */
export async function markSteppedUp(db: Db, id: string, at: number | null): Promise<void> {
  await db.updateTable('sessions').set({ steppedUpAt: at }).where('id', '=', id).execute();
}

/**
 * Replaces the token of a session that a request carried. @returns when the session expires; null when that
 * token is no longer current, because another request replaced it first.
 */
export async function replaceSessionToken(
  db: Db,
  session: { id: string; fromHash: string; toHash: string },
): Promise<number | null> {
  const row = await db
    .updateTable('sessions')
    .set({ tokenHash: session.toHash })
    .where('id', '=', session.id)
    .where('tokenHash', '=', session.fromHash)
    .returning('expiresAt')
    .executeTakeFirst();
  return row?.expiresAt ?? null;
}

/** Removes up to `limit` sessions that have expired or were idle for too long; returns how many. */
export async function deleteEndedSessions(db: Db, { now, idleSince }: At, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('sessions')
        .select('id')
        .where((where) => where.or([where('expiresAt', '<=', now), where('lastUsedAt', '<=', idleSince)]))
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Ends one session of a user; false when there is none. */
export async function deleteSession(db: Db, userId: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Ends the session that a token opened. */
export async function deleteSessionByHash(db: Db, tokenHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('tokenHash', '=', tokenHash).execute();
}

/**
 * Ends every session of a user except `keep`, which stays valid under the user's present token version,
 * without its earlier proof of identity.
 */
export async function revokeOtherSessions(tx: Tx, userId: string, keep: string | null): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .where('id', '<>', keep ?? '')
    .execute();
  if (keep === null) return;
  await tx
    .updateTable('sessions')
    .set((eb) => ({
      steppedUpAt: null,
      tokenVersion: eb.selectFrom('users').select('tokenVersion').where('id', '=', userId).$castTo<number>(),
    }))
    .where('userId', '=', userId)
    .where('id', '=', keep)
    .execute();
}

/** Ends a session of any user; false when there is none. */
export async function deleteSessionById(tx: Tx, id: string): Promise<boolean> {
  const result = await tx.deleteFrom('sessions').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Ends the sessions of all users. */
export async function endAllSessions(tx: Tx): Promise<void> {
  await tx.deleteFrom('sessions').execute();
}
