import type { Db, Tx } from '../sqlite/database.ts';
import type { AccountTokenRow } from '../schema/accounts.ts';

/** Stores a token as the only one of its user and purpose: it invalidates the previous one. */
export async function replaceAccountToken(tx: Tx, row: AccountTokenRow): Promise<void> {
  await tx
    .insertInto('account_tokens')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['userId', 'purpose']).doUpdateSet({
        tokenHash: row.tokenHash,
        createdAt: row.createdAt,
        expiresAt: row.expiresAt,
        usedAt: row.usedAt,
      }),
    )
    .execute();
}

/** The token with this SHA-256, used or not, unless it has expired. */
export async function findAccountToken(
  db: Db,
  token: { purpose: AccountTokenRow['purpose']; hash: string; now: number },
): Promise<AccountTokenRow | undefined> {
  return db
    .selectFrom('account_tokens')
    .selectAll()
    .where('tokenHash', '=', token.hash)
    .where('purpose', '=', token.purpose)
    .where('expiresAt', '>', token.now)
    .executeTakeFirst();
}

/** Marks a token as used; false when it was used before or has been replaced. */
export async function useAccountToken(tx: Tx, hash: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('account_tokens')
    .set({ usedAt: now })
    .where('tokenHash', '=', hash)
    .where('usedAt', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Revokes the unused tokens of one purpose. */
export async function deleteAccountTokens(
  tx: Tx,
  owner: { userId: string; purpose: AccountTokenRow['purpose'] },
): Promise<void> {
  await tx
    .deleteFrom('account_tokens')
    .where('userId', '=', owner.userId)
    .where('purpose', '=', owner.purpose)
    .execute();
}
