import type { Debit, OutputRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** Distinct transaction ids per statement, well below SQLite's parameter limit. */
const CHUNK = 500;

/** Marks an output as spent in a block. Returns the send that had reserved it; undefined when it is not ours. */
export async function markSpent(
  tx: Tx,
  chain: ChainId,
  debit: Debit,
  at: { height: number; now: number },
): Promise<{ merchantId: string; heldBy: string | null } | undefined> {
  const row = await tx
    .updateTable('outputs')
    .set({ spent_by: debit.byTxid, spent_height: at.height, updated_at: at.now })
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('txid', '=', debit.ref.txid)
    .where('vout', '=', debit.ref.index)
    .returning(['merchant_id', 'send_id'])
    .executeTakeFirst();
  return row === undefined ? undefined : { merchantId: row.merchant_id, heldBy: row.send_id };
}

/** Reverts every spend recorded above a height; returns the spending transactions. */
export async function unmarkSpentAbove(
  tx: Tx,
  chain: ChainId,
  aboveHeight: number,
  now: number,
): Promise<string[]> {
  const spends = await tx
    .selectFrom('outputs')
    .select('spent_by')
    .distinct()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('spent_height', '>', aboveHeight)
    .execute();
  await tx
    .updateTable('outputs')
    .set({ spent_by: null, spent_height: null, updated_at: now })
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('spent_height', '>', aboveHeight)
    .execute();
  return spends.flatMap((row) => (row.spent_by === null ? [] : [row.spent_by]));
}

export interface MinedSpend extends Debit {
  readonly height: number;
}

/** Filters outputs down to those spent in a block, with the spending transaction. */
export async function filterMinedSpends(
  db: Db,
  chain: ChainId,
  refs: readonly OutputRef[],
): Promise<MinedSpend[]> {
  const txids = [...new Set(refs.map((ref) => ref.txid))];
  const spends: MinedSpend[] = [];
  for (let at = 0; at < txids.length; at += CHUNK) {
    const rows = await db
      .selectFrom('outputs')
      .select(['txid', 'vout', 'spent_by', 'spent_height'])
      .where('coin', '=', chain.coin)
      .where('mode', '=', chain.mode)
      .where('txid', 'in', txids.slice(at, at + CHUNK))
      .execute();
    for (const { txid, vout, spent_by, spent_height } of rows) {
      if (spent_by === null || spent_height === null) continue;
      spends.push({ ref: { txid, index: vout }, byTxid: spent_by, height: spent_height });
    }
  }
  return spends;
}

/** Outputs with an unconfirmed spender. */
export async function unconfirmedSpends(db: Db, chain: ChainId): Promise<Debit[]> {
  const rows = await db
    .selectFrom('outputs')
    .select(['txid', 'vout', 'spent_by'])
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('spent_by', 'is not', null)
    .where('spent_height', 'is', null)
    .execute();
  return rows.flatMap(({ txid, vout, spent_by }) =>
    spent_by === null ? [] : [{ ref: { txid, index: vout }, byTxid: spent_by }],
  );
}

/** Sets or clears the unconfirmed spender of an output; a spend in a block is never overwritten. */
export async function setUnconfirmedSpender(
  tx: Tx,
  chain: ChainId,
  ref: OutputRef,
  byTxid: string | null,
  now: number,
): Promise<void> {
  await tx
    .updateTable('outputs')
    .set({ spent_by: byTxid, updated_at: now })
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('txid', '=', ref.txid)
    .where('vout', '=', ref.index)
    .where('spent_height', 'is', null)
    .execute();
}
