import { sql, type Selectable } from 'kysely';
import type { ChainId } from '../../domain/coins.ts';
import type { SendPsbtRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';

export type StoredPsbt = Selectable<SendPsbtRow>;

export async function insertPsbt(tx: Tx, row: StoredPsbt): Promise<void> {
  await tx.insertInto('send_psbts').values(row).execute();
}

export async function findPsbt(db: Db, sendId: string): Promise<StoredPsbt | undefined> {
  return db.selectFrom('send_psbts').selectAll().where('sendId', '=', sendId).executeTakeFirst();
}

/** Of a transaction id; the newest, because the same transaction may be ordered again after an earlier one ended. */
export async function findPsbtByTxid(
  db: Db,
  { coin, mode }: ChainId,
  txid: string,
): Promise<StoredPsbt | undefined> {
  return db
    .selectFrom('send_psbts')
    .selectAll()
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('txid', '=', txid)
    .orderBy('createdAt', 'desc')
    .executeTakeFirst();
}

/** A PSBT of null: it is signed or ended, and the rest of the row remains to recognise its transaction. */
export async function updatePsbt(
  tx: Tx,
  sendId: string,
  change: Partial<Pick<StoredPsbt, 'psbt' | 'collected' | 'expiresAt'>>,
  now: number,
): Promise<void> {
  await tx
    .updateTable('send_psbts')
    .set({ ...change, updatedAt: now })
    .where('sendId', '=', sendId)
    .execute();
}

/** Sends of a chain whose time to sign has passed. */
export async function listExpiredPsbts(
  db: Db,
  { coin, mode }: ChainId,
  now: number,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('send_psbts')
    .select('sendId')
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where(sql<boolean>`psbt IS NOT NULL`)
    .where('expiresAt', '<=', now)
    .orderBy('expiresAt')
    .limit(limit)
    .execute();
  return rows.map(({ sendId }) => sendId);
}
