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
    .set({ spentBy: debit.byTxid, spentHeight: at.height, updatedAt: at.now })
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('txid', '=', debit.ref.txid)
    .where('vout', '=', debit.ref.index)
    .returning(['merchantId', 'sendId'])
    .executeTakeFirst();
  return row === undefined ? undefined : { merchantId: row.merchantId, heldBy: row.sendId };
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
    .select('spentBy')
    .distinct()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('spentHeight', '>', aboveHeight)
    .execute();
  await tx
    .updateTable('outputs')
    .set({ spentBy: null, spentHeight: null, updatedAt: now })
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('spentHeight', '>', aboveHeight)
    .execute();
  return spends.flatMap((row) => (row.spentBy === null ? [] : [row.spentBy]));
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
      .select(['txid', 'vout', 'spentBy', 'spentHeight'])
      .where('coin', '=', chain.coin)
      .where('mode', '=', chain.mode)
      .where('txid', 'in', txids.slice(at, at + CHUNK))
      .execute();
    for (const { txid, vout, spentBy, spentHeight } of rows) {
      if (spentBy === null || spentHeight === null) continue;
      spends.push({ ref: { txid, index: vout }, byTxid: spentBy, height: spentHeight });
    }
  }
  return spends;
}

/** Outputs with an unconfirmed spender. */
export async function unconfirmedSpends(db: Db, chain: ChainId): Promise<Debit[]> {
  const rows = await db
    .selectFrom('outputs')
    .select(['txid', 'vout', 'spentBy'])
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('spentBy', 'is not', null)
    .where('spentHeight', 'is', null)
    .execute();
  return rows.flatMap(({ txid, vout, spentBy }) =>
    spentBy === null ? [] : [{ ref: { txid, index: vout }, byTxid: spentBy }],
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
    .set({ spentBy: byTxid, updatedAt: now })
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('txid', '=', ref.txid)
    .where('vout', '=', ref.index)
    .where('spentHeight', 'is', null)
    .execute();
}
