import type { Db, Tx } from '../sqlite/database.ts';
import type { SecondFactorRow } from '../schema/accounts.ts';

export async function findSecondFactor(db: Db, userId: string): Promise<SecondFactorRow | undefined> {
  return db.selectFrom('second_factors').selectAll().where('userId', '=', userId).executeTakeFirst();
}

/** Stores a secret that waits for its first code; false when the user already has an active one. */
export async function storePendingFactor(
  db: Db,
  factor: { userId: string; secretSealed: string; now: number },
): Promise<boolean> {
  const fresh = { secretSealed: factor.secretSealed, lastStep: 0, createdAt: factor.now };
  const result = await db
    .insertInto('second_factors')
    .values({ userId: factor.userId, enabledAt: null, ...fresh })
    .onConflict((conflict) =>
      conflict.column('userId').doUpdateSet(fresh).where('second_factors.enabledAt', 'is', null),
    )
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Activates the pending secret; false when it has been replaced or is already active. */
export async function activateFactor(
  tx: Tx,
  factor: { userId: string; secretSealed: string; step: number; now: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('second_factors')
    .set({ enabledAt: factor.now, lastStep: factor.step })
    .where('userId', '=', factor.userId)
    .where('secretSealed', '=', factor.secretSealed)
    .where('enabledAt', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Consumes a TOTP step, once, against replay of a code; false when it or a later one was consumed before. */
export async function consumeTotpStep(db: Db, userId: string, step: number): Promise<boolean> {
  const result = await db
    .updateTable('second_factors')
    .set({ lastStep: step })
    .where('userId', '=', userId)
    .where('enabledAt', 'is not', null)
    .where('lastStep', '<', step)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Removes a user's second factor with its recovery codes. */
export async function deleteSecondFactor(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('userId', '=', userId).execute();
  await tx.deleteFrom('second_factors').where('userId', '=', userId).execute();
}

export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: readonly string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('userId', '=', userId).execute();
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ userId, codeHash: hash, usedAt: null })))
    .execute();
}

/** Consumes a recovery code, once; false when there is no such unused code. */
export async function consumeRecoveryCode(
  db: Db,
  code: { userId: string; hash: string; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('recovery_codes')
    .set({ usedAt: code.now })
    .where('userId', '=', code.userId)
    .where('codeHash', '=', code.hash)
    .where('usedAt', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Number of unused recovery codes. */
export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const row = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('userId', '=', userId)
    .where('usedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return row.count;
}
