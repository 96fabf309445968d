import { randomBytes } from 'node:crypto';
import { recordRevocation } from '../revocations.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { isUniqueViolation } from '../sqlite/errors.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import type { UserRow } from '../schema/accounts.ts';

/** Inserts a user; false when another one has the email address (by `email_key`). */
export async function insertUser(tx: Tx, row: UserRow): Promise<boolean> {
  try {
    await tx.insertInto('users').values(row).execute();
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return (await byId(db, { id }))[0];
}

const byId = prepared((db, param: ParamOf<{ id: string }>) =>
  db.selectFrom('users').selectAll().where('id', '=', param('id')),
);

export async function findUserByEmail(db: Db, emailKey: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('emailKey', '=', emailKey).executeTakeFirst();
}

export async function anyUserExists(db: Db): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Replaces a password hash, unless the password was changed since `previous` was read. */
export async function replacePasswordHash(
  db: Db,
  change: { id: string; previous: string; next: string; now: number },
): Promise<void> {
  await db
    .updateTable('users')
    .set({ passwordHash: change.next, updatedAt: change.now })
    .where('id', '=', change.id)
    .where('passwordHash', '=', change.previous)
    .execute();
}

/**
 * Sets a new password. `revokeCredentials` revokes earlier credentials, in the same transaction.
 * @param change.previous if given, the result is undefined when the password was changed in the meantime
 */
export async function changePasswordHash(
  tx: Tx,
  change: { id: string; previous?: string; next: string; now: number },
): Promise<UserRow | undefined> {
  const query = tx
    .updateTable('users')
    .set({ passwordHash: change.next, updatedAt: change.now })
    .where('id', '=', change.id);
  await recordRevocation(tx, {
    id: randomBytes(8).toString('hex'),
    kind: 'password',
    subject: change.id,
    at: change.now,
  });
  const guarded = change.previous === undefined ? query : query.where('passwordHash', '=', change.previous);
  return guarded.returningAll().executeTakeFirst();
}

/** Revokes every token of a user, and returns the updated user; undefined when there is none. */
export async function incrementTokenVersion(tx: Tx, id: string, now: number): Promise<UserRow | undefined> {
  return tx
    .updateTable('users')
    .set((eb) => ({ tokenVersion: eb('tokenVersion', '+', 1), updatedAt: now }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Marks the email address as verified, once. */
export async function markVerified(tx: Tx, id: string, now: number): Promise<void> {
  await tx
    .updateTable('users')
    .set({ isVerified: true, updatedAt: now })
    .where('id', '=', id)
    .where('isVerified', '=', false)
    .execute();
}

/** Revokes the tokens of a user that were issued before a version; false when they already are. */
export async function advanceTokenVersionTo(
  tx: Tx,
  { id, version, now }: { readonly id: string; readonly version: number; readonly now: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('users')
    .set({ tokenVersion: version, updatedAt: now })
    .where('id', '=', id)
    .where('tokenVersion', '<', version)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Revokes the tokens of all users. */
export async function incrementAllTokenVersions(tx: Tx, now: number): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({ tokenVersion: eb('tokenVersion', '+', 1), updatedAt: now }))
    .execute();
}

/** Every user, oldest first. */
export async function allUsers(db: Db): Promise<UserRow[]> {
  return db.selectFrom('users').selectAll().orderBy('createdAt').orderBy('id').execute();
}
