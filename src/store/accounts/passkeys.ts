import type { PasskeyRow, SpentChallengeRow } from '../schema/accounts.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** Stores a passkey; false when its credential is already stored, for any user. */
export async function insertPasskey(tx: Tx, row: PasskeyRow): Promise<boolean> {
  const result = await tx
    .insertInto('passkeys')
    .values(row)
    .onConflict((conflict) => conflict.column('credentialId').doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** The passkeys of a user, oldest first. */
export async function findUserPasskeys(db: Db, userId: string): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export async function findPasskey(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkeys').selectAll().where('credentialId', '=', credentialId).executeTakeFirst();
}

/** Renames a passkey of a user; undefined when there is none. */
export async function renamePasskeyRow(
  db: Db,
  passkey: { id: string; userId: string; name: string },
): Promise<PasskeyRow | undefined> {
  return db
    .updateTable('passkeys')
    .set({ name: passkey.name })
    .where('id', '=', passkey.id)
    .where('userId', '=', passkey.userId)
    .returningAll()
    .executeTakeFirst();
}

/** Removes a passkey of a user; false when there is none. */
export async function deletePasskey(tx: Tx, userId: string, id: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Removes every passkey of a user; returns how many. */
export async function deletePasskeys(tx: Tx, userId: string): Promise<number> {
  const result = await tx.deleteFrom('passkeys').where('userId', '=', userId).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Records a use, with the counter that the authenticator reported. */
export async function recordPasskeyUse(
  tx: Tx,
  use: { id: string; counter: number; backedUp: boolean; now: number },
): Promise<void> {
  await tx
    .updateTable('passkeys')
    .set({ counter: use.counter, backedUp: use.backedUp, lastUsedAt: use.now })
    .where('id', '=', use.id)
    .execute();
}

/** Marks a challenge as answered; false when it already was. */
export async function insertSpentChallenge(tx: Tx, row: SpentChallengeRow): Promise<boolean> {
  const result = await tx
    .insertInto('spent_challenges')
    .values(row)
    .onConflict((conflict) => conflict.column('challengeHash').doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Removes up to `limit` answered challenges that expired before a time; returns how many. */
export async function deleteSpentChallenges(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('spent_challenges')
    .where('challengeHash', 'in', (eb) =>
      eb.selectFrom('spent_challenges').select('challengeHash').where('expiresAt', '<=', before).limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Removes a passkey of any user; false when there is none. */
export async function deletePasskeyById(tx: Tx, id: string): Promise<boolean> {
  const result = await tx.deleteFrom('passkeys').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}
