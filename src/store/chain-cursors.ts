import type { BlockRef, ChainBlockHeader } from '../domain/chain.ts';
import type { ChainId, Coin, Mode } from '../domain/coins.ts';
import type { Db, Tx } from './database.ts';

/** Blocks remembered below the cursor: the deepest reorg that is followed without a rescan. */
export const REMEMBERED_BLOCKS = 2_016;

/** Where the scan of a chain stands; undefined before the first contact with its node. */
export async function findCursor(db: Db, chain: ChainId): Promise<BlockRef | undefined> {
  return db
    .selectFrom('chain_cursors')
    .select(['height', 'hash'])
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .executeTakeFirst();
}

/** Heights of all chains of one mode. */
export async function cursorHeights(db: Db, mode: Mode): Promise<Partial<Record<Coin, number>>> {
  const rows = await db
    .selectFrom('chain_cursors')
    .select(['coin', 'height'])
    .where('mode', '=', mode)
    .execute();
  return Object.fromEntries(rows.map((row) => [row.coin, row.height]));
}

/** Moves the cursor onto a block and remembers it; forgets what is too deep to matter. */
export async function advanceCursor(
  tx: Tx,
  chain: ChainId,
  block: ChainBlockHeader,
  nowMs: number,
): Promise<void> {
  const { coin, mode } = chain;
  const { height, hash, parentHash, timeMs } = block;
  await tx
    .insertInto('chain_blocks')
    .values({ coin, mode, height, hash, parent_hash: parentHash, time_ms: timeMs })
    .execute();
  await tx
    .deleteFrom('chain_blocks')
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('height', '<=', height - REMEMBERED_BLOCKS)
    .execute();
  await setCursor(tx, chain, { height, hash }, nowMs);
}

/** Moves the cursor back to an earlier block and forgets the blocks above it. */
export async function rewindCursor(tx: Tx, chain: ChainId, to: BlockRef, nowMs: number): Promise<void> {
  await tx
    .deleteFrom('chain_blocks')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('height', '>', to.height)
    .execute();
  await setCursor(tx, chain, to, nowMs);
}

async function setCursor(tx: Tx, chain: ChainId, at: BlockRef, nowMs: number): Promise<void> {
  const { coin, mode } = chain;
  const { height, hash } = at;
  await tx
    .insertInto('chain_cursors')
    .values({ coin, mode, height, hash, updated_at: nowMs })
    .onConflict((conflict) =>
      conflict.columns(['coin', 'mode']).doUpdateSet({ height, hash, updated_at: nowMs }),
    )
    .execute();
}

/** Remembered blocks at or below a height, highest first. */
export async function rememberedBlocks(
  db: Db,
  chain: ChainId,
  height: number,
  limit: number,
): Promise<BlockRef[]> {
  return db
    .selectFrom('chain_blocks')
    .select(['height', 'hash'])
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('height', '<=', height)
    .orderBy('height', 'desc')
    .limit(limit)
    .execute();
}
