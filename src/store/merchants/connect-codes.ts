import type { ConnectCodeRow } from '../schema/merchants.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** Stores a code and removes expired ones. */
export async function insertConnectCode(tx: Tx, row: ConnectCodeRow): Promise<void> {
  await tx.deleteFrom('connect_codes').where('expiresAt', '<=', row.createdAt).execute();
  await tx.insertInto('connect_codes').values(row).execute();
}

/** Whether a code with this SHA-256 is stored, expired or not. */
export async function hasConnectCode(db: Db, codeHash: string): Promise<boolean> {
  const row = await db
    .selectFrom('connect_codes')
    .select('codeHash')
    .where('codeHash', '=', codeHash)
    .executeTakeFirst();
  return row !== undefined;
}

/** Consumes the code with this SHA-256: removes and returns it, so that it is used once. */
export async function consumeConnectCode(tx: Tx, codeHash: string): Promise<ConnectCodeRow | undefined> {
  return tx.deleteFrom('connect_codes').where('codeHash', '=', codeHash).returningAll().executeTakeFirst();
}

/**
 * Removes every unused code of the shops that a user owns, because only an owner approves a connect request.
 */
export async function deleteConnectCodes(tx: Tx, userId: string): Promise<number> {
  const result = await tx
    .deleteFrom('connect_codes')
    .where('merchantId', 'in', (eb) => eb.selectFrom('merchants').select('id').where('userId', '=', userId))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
