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
    .where('user_id', '=', row.user_id)
    .where((eb) =>
      eb.or([
        eb('expires_at', '<=', now),
        eb('last_used_at', '<=', idleSince),
        eb('token_version', '<>', row.token_version),
      ]),
    )
    .execute();
  await tx.insertInto('sessions').values(row).execute();
}

const byHash = prepared((db, param: ParamOf<{ tokenHash: string }>) =>
  db
    .selectFrom('sessions as session')
    .innerJoin('users', 'users.id', 'session.user_id')
    .selectAll('session')
    .whereRef('users.token_version', '=', 'session.token_version')
    .where('session.token_hash', '=', param('tokenHash')),
);

/** The session with this SHA-256 of its token, if it is valid now. */
export async function findSession(
  db: Db,
  tokenHash: string,
  { now, idleSince }: At,
): Promise<SessionRow | undefined> {
  const [row] = await byHash(db, { tokenHash });
  return row !== undefined && row.expires_at > now && row.last_used_at > idleSince ? row : undefined;
}

/** The valid sessions of a user, the last used first. */
export async function findUserSessions(
  db: Db,
  userId: string,
  { now, idleSince }: At,
): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions as session')
    .innerJoin('users', 'users.id', 'session.user_id')
    .selectAll('session')
    .whereRef('users.token_version', '=', 'session.token_version')
    .where('session.user_id', '=', userId)
    .where('session.expires_at', '>', now)
    .where('session.last_used_at', '>', idleSince)
    .orderBy('session.last_used_at', 'desc')
    .orderBy('session.id')
    .execute();
}

/** Records a use, unless one since `before` is already recorded. */
export async function touchSession(db: Db, use: { id: string; now: number; before: number }): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ last_used_at: use.now })
    .where('id', '=', use.id)
    .where('last_used_at', '<=', use.before)
    .execute();
}

/** Records that the user of a session proved their identity; null revokes that. */
export async function markSteppedUp(db: Db, id: string, at: number | null): Promise<void> {
  await db.updateTable('sessions').set({ stepped_up_at: at }).where('id', '=', id).execute();
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
    .set({ token_hash: session.toHash })
    .where('id', '=', session.id)
    .where('token_hash', '=', session.fromHash)
    .returning('expires_at')
    .executeTakeFirst();
  return row?.expires_at ?? null;
}

/** Removes up to `limit` sessions that have expired or were idle for too long; returns how many. */
export async function deleteEndedSessions(db: Db, { now, idleSince }: At, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('sessions')
        .select('id')
        .where((where) => where.or([where('expires_at', '<=', now), where('last_used_at', '<=', idleSince)]))
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Ends one session of a user; false when there is none. */
export async function deleteSession(db: Db, userId: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Ends the session that a token opened. */
export async function deleteSessionByHash(db: Db, tokenHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
}

/**
 * Ends every session of a user except `keep`, which stays valid under the user's present token version,
 * without its earlier proof of identity.
 */
export async function endOtherSessions(tx: Tx, userId: string, keep: string | null): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '<>', keep ?? '')
    .execute();
  if (keep === null) return;
  await tx
    .updateTable('sessions')
    .set((eb) => ({
      stepped_up_at: null,
      token_version: eb
        .selectFrom('users')
        .select('token_version')
        .where('id', '=', userId)
        .$castTo<number>(),
    }))
    .where('user_id', '=', userId)
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
