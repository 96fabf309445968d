import { sql, type Selectable } from 'kysely';
import type { OutputRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { SendPsbtRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';

export type StoredPsbt = Selectable<SendPsbtRow>;

/** @param spends the outputs that it spends */
export async function insertPsbt(tx: Tx, row: StoredPsbt, spends: readonly OutputRef[]): Promise<void> {
  const { coin, mode, sendId } = row;
  await tx.insertInto('send_psbts').values(row).execute();
  const inputs = spends.map(({ txid, index: vout }) => ({ coin, mode, txid, vout, sendId }));
  await tx.insertInto('send_psbt_inputs').values(inputs).execute();
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

/** Sends, open or ended, whose PSBTs spend an output; the newest first. */
export async function listPsbtsSpending(
  db: Db,
  { coin, mode }: ChainId,
  { txid, index }: OutputRef,
  limit: number,
): Promise<Pick<StoredPsbt, 'sendId' | 'createdAt'>[]> {
  return db
    .selectFrom('send_psbt_inputs')
    .innerJoin('send_psbts', 'send_psbts.sendId', 'send_psbt_inputs.sendId')
    .select(['send_psbts.sendId', 'send_psbts.createdAt'])
    .where('send_psbt_inputs.coin', '=', coin)
    .where('send_psbt_inputs.mode', '=', mode)
    .where('send_psbt_inputs.txid', '=', txid)
    .where('send_psbt_inputs.vout', '=', index)
    .orderBy('send_psbts.createdAt', 'desc')
    .limit(limit)
    .execute();
}

/** The change address of the newest send of an account that reached the network; null: none did. */
export async function findLastChange(
  db: Db,
  { coin, mode }: ChainId,
  accountNumber: number,
): Promise<string | null> {
  const address = sql<string>`json_extract(send_psbts.plan_json, '$.change.address')`;
  const row = await db
    .selectFrom('send_psbts')
    .innerJoin('sends', 'sends.id', 'send_psbts.sendId')
    .select(address.as('address'))
    .where('send_psbts.coin', '=', coin)
    .where('send_psbts.mode', '=', mode)
    .where('send_psbts.accountNumber', '=', accountNumber)
    .where('sends.status', 'in', ['broadcast', 'confirmed'])
    .where(address, 'is not', null)
    .orderBy('send_psbts.createdAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.address ?? null;
}

/** A PSBT of null: it is signed or ended, and the rest of the row remains to recognise its transaction. */
export async function updatePsbt(
  tx: Tx,
  sendId: string,
  change: Partial<Pick<StoredPsbt, 'psbt' | 'collected' | 'checkAt'>>,
  now: number,
): Promise<void> {
  await tx
    .updateTable('send_psbts')
    .set({ ...change, updatedAt: now })
    .where('sendId', '=', sendId)
    .execute();
}

/** Sends of a chain whose time to sign has passed, and that are due for a check. */
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
    .where('checkAt', '<=', now)
    .orderBy('checkAt')
    .limit(limit)
    .execute();
  return rows.map(({ sendId }) => sendId);
}
