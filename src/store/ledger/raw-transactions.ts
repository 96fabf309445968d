import { sql } from 'kysely';
import type { StoredTransaction } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';

/** SQL parameters per statement, well below SQLite's limit. */
const CHUNK = 500;

/** Stores the bytes of a payer's transaction for a rebroadcast. */
export async function storeRawTransaction(
  tx: Tx,
  chain: ChainId,
  transaction: { txid: string; raw: string },
  nowMs: number,
): Promise<void> {
  await keep(tx, { ...chain, ...transaction, nowMs });
}

const keep = prepared((db, param: ParamOf<ChainId & { txid: string; raw: string; nowMs: number }>) =>
  db
    .insertInto('raw_transactions')
    .values({
      coin: param('coin'),
      mode: param('mode'),
      txid: param('txid'),
      raw: param('raw'),
      createdAt: param('nowMs'),
    })
    .onConflict((conflict) => conflict.doNothing()),
);

/** The transactions of these ids, with their bytes where stored. */
export async function storedTransactions(
  db: Db,
  chain: ChainId,
  txids: readonly string[],
): Promise<StoredTransaction[]> {
  const raws = new Map<string, string>();
  for (let at = 0; at < txids.length; at += CHUNK) {
    const rows = await db
      .selectFrom('raw_transactions')
      .select(['txid', 'raw'])
      .where('coin', '=', chain.coin)
      .where('mode', '=', chain.mode)
      .where('txid', 'in', txids.slice(at, at + CHUNK))
      .execute();
    for (const row of rows) raws.set(row.txid, row.raw);
  }
  return txids.map((txid) => ({ txid, raw: raws.get(txid) ?? null }));
}

/**
 * Records that a block contains a conflicting spend: none of these transactions can be mined on top of it.
 */
export async function recordConflicts(
  tx: Tx,
  chain: ChainId,
  txids: readonly string[],
  height: number,
): Promise<void> {
  for (let at = 0; at < txids.length; at += CHUNK) {
    await tx
      .updateTable('raw_transactions')
      .set({ conflictHeight: height })
      .where('coin', '=', chain.coin)
      .where('mode', '=', chain.mode)
      .where('txid', 'in', txids.slice(at, at + CHUNK))
      .where('conflictHeight', 'is', null)
      .execute();
  }
}

/** Clears conflicts with blocks above a height, which a reorg removed. */
export async function forgetConflictsAbove(tx: Tx, chain: ChainId, height: number): Promise<void> {
  await tx
    .updateTable('raw_transactions')
    .set({ conflictHeight: null })
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('conflictHeight', '>', height)
    .execute();
}

/** The subset of these transactions that a block conflicts with, and its height. */
export async function conflictHeights(
  db: Db,
  chain: ChainId,
  txids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const heights = new Map<string, number>();
  for (let at = 0; at < txids.length; at += CHUNK) {
    const rows = await db
      .selectFrom('raw_transactions')
      .select(['txid', 'conflictHeight as height'])
      .where('coin', '=', chain.coin)
      .where('mode', '=', chain.mode)
      .where('txid', 'in', txids.slice(at, at + CHUNK))
      .where('conflictHeight', 'is not', null)
      .execute();
    for (const { txid, height } of rows) if (height !== null) heights.set(txid, height);
  }
  return heights;
}

/** Deletes the bytes of transactions in blocks of a range of heights, upper end excluded. */
export async function forgetTransactionsBetween(
  tx: Tx,
  chain: ChainId,
  heights: { from: number; below: number },
): Promise<void> {
  await tx
    .deleteFrom('raw_transactions')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('txid', 'in', (eb) =>
      eb
        .selectFrom('outputs')
        .select('outputs.txid')
        .where('outputs.coin', '=', chain.coin)
        .where('outputs.mode', '=', chain.mode)
        .where('outputs.height', '>=', heights.from)
        .where('outputs.height', '<', heights.below),
    )
    .execute();
}

/** Deletes bytes stored before a time of transactions that are in no block and no longer expected. */
export async function forgetDeadTransactions(tx: Tx, chain: ChainId, beforeMs: number): Promise<void> {
  await tx
    .deleteFrom('raw_transactions')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('createdAt', '<', beforeMs)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('outputs')
            .select('outputs.txid')
            .where('outputs.coin', '=', chain.coin)
            .where('outputs.mode', '=', chain.mode)
            .whereRef('outputs.txid', '=', 'raw_transactions.txid')
            .where('outputs.state', '<>', sql.lit('gone')),
        ),
      ),
    )
    .execute();
}
