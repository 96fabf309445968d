import type { BlockRef, ChainBlockHeader } from '../../domain/chain.ts';
import type { ChainId, Coin, Mode } from '../../domain/coins.ts';
import type { FinalHeights } from '../../domain/confirmations.ts';
import { truncateSkippedBlocks } from './skipped-blocks.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, preparedInsert, type ParamOf } from '../sqlite/prepared.ts';

/**
 * Minimum number of blocks remembered below the cursor: the deepest reorg that is followed without a rescan.
 */
export const REMEMBERED_BLOCKS = 2_016;

/** The position of a chain's scan, and the final heights of its network. */
interface ChainCursor {
  readonly cursor: BlockRef;
  readonly final: FinalHeights;
}

/** Undefined before the first contact with the chain's node. */
async function findCursorRow(db: Db, chain: ChainId): Promise<ChainCursor | undefined> {
  const [row] = await selectCursor(db, chain);
  if (row === undefined) return undefined;
  const { height, hash, safe, finalized } = row;
  return { cursor: { height, hash }, final: { safe, finalized } };
}

/** The cursor of a chain; undefined before the first contact with its node. */
export async function findCursor(db: Db, chain: ChainId): Promise<BlockRef | undefined> {
  return (await findCursorRow(db, chain))?.cursor;
}

/** The block time of the cursor, ms; null when it is not remembered. */
export async function cursorTime(db: Db, chain: ChainId): Promise<number | null> {
  const [row] = await timeOfCursor(db, chain);
  return row?.timeMs ?? null;
}

const timeOfCursor = prepared((db, param: ParamOf<ChainId>) =>
  db
    .selectFrom('chain_cursors')
    .innerJoin('chain_blocks', (join) =>
      join
        .onRef('chain_blocks.coin', '=', 'chain_cursors.coin')
        .onRef('chain_blocks.mode', '=', 'chain_cursors.mode')
        .onRef('chain_blocks.height', '=', 'chain_cursors.height'),
    )
    .select('chain_blocks.timeMs as timeMs')
    .where('chain_cursors.coin', '=', param('coin'))
    .where('chain_cursors.mode', '=', param('mode')),
);

/** The time of a block, ms; null when it is not remembered. */
export async function blockTime(db: Db, chain: ChainId, height: number): Promise<number | null> {
  const [row] = await timeOfBlock(db, { ...chain, height });
  return row?.timeMs ?? null;
}

const timeOfBlock = prepared((db, param: ParamOf<ChainId & { height: number }>) =>
  db
    .selectFrom('chain_blocks')
    .select('timeMs as timeMs')
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode'))
    .where('height', '=', param('height')),
);

const selectCursor = prepared((db, param: ParamOf<ChainId>) =>
  db
    .selectFrom('chain_cursors')
    .select(['height', 'hash', 'safeHeight as safe', 'finalizedHeight as finalized'])
    .where('coin', '=', param('coin'))
    .where('mode', '=', param('mode')),
);

const selectHeights = prepared((db, param: ParamOf<{ mode: Mode }>) =>
  db
    .selectFrom('chain_cursors')
    .select(['coin', 'height', 'safeHeight as safe', 'finalizedHeight as finalized'])
    .where('mode', '=', param('mode')),
);

/** Heights of all chains of one mode, and the final heights of their networks. */
export async function listCursors(
  db: Db,
  mode: Mode,
): Promise<{
  readonly tips: Readonly<Partial<Record<Coin, number>>>;
  readonly final: Readonly<Partial<Record<Coin, FinalHeights>>>;
}> {
  const tips: Partial<Record<Coin, number>> = {};
  const final: Partial<Record<Coin, FinalHeights>> = {};
  for (const { coin, height, safe, finalized } of await selectHeights(db, { mode })) {
    tips[coin] = height;
    final[coin] = { safe, finalized };
  }
  return { tips, final };
}

export async function finalHeights(db: Db, chain: ChainId): Promise<FinalHeights> {
  return (await findCursorRow(db, chain))?.final ?? { safe: null, finalized: null };
}

export async function setFinalHeights(tx: Tx, chain: ChainId, heights: FinalHeights): Promise<void> {
  await tx
    .updateTable('chain_cursors')
    .set({ safeHeight: heights.safe, finalizedHeight: heights.finalized })
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .execute();
}

/** Moves the cursor to a block and remembers it. */
export async function advanceCursor(
  tx: Tx,
  chain: ChainId,
  block: ChainBlockHeader,
  nowMs: number,
  below: readonly ChainBlockHeader[] = [],
): Promise<void> {
  const { coin, mode } = chain;
  const { height, hash } = block;
  for (const each of [...below, block]) {
    await insertBlock(tx, { coin, mode, height: each.height, hash: each.hash, timeMs: each.timeMs });
  }
  await setCursor(tx, chain, { height, hash }, nowMs);
}

const insertBlock = preparedInsert('chain_blocks');

/** Deletes the blocks too deep to matter below a height. An occasional call suffices. */
export async function forgetBlocksBelow(tx: Tx, chain: ChainId, height: number): Promise<void> {
  await tx
    .deleteFrom('chain_blocks')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('height', '<=', height - REMEMBERED_BLOCKS)
    .execute();
}

/** Moves the cursor back to an earlier block and deletes the blocks above it, final or not. */
export async function rewindCursor(tx: Tx, chain: ChainId, to: BlockRef, nowMs: number): Promise<void> {
  await tx
    .deleteFrom('chain_blocks')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('height', '>', to.height)
    .execute();
  await setCursor(tx, chain, to, nowMs);
  await truncateSkippedBlocks(tx, chain, to.height);
  await forgetFinalAbove(tx, chain, to.height);
}

/** A final height says nothing about the blocks that replace the ones it meant. */
async function forgetFinalAbove(tx: Tx, chain: ChainId, above: number): Promise<void> {
  const { safe, finalized } = await finalHeights(tx, chain);
  const capped = (height: number | null): number | null => (height === null ? null : Math.min(height, above));
  await setFinalHeights(tx, chain, { safe: capped(safe), finalized: capped(finalized) });
}

/**
 * Moves the cursor back to a block that need not be remembered, and deletes remembered blocks of another
 * chain.
 */
export async function resetCursor(
  tx: Tx,
  chain: ChainId,
  to: ChainBlockHeader,
  nowMs: number,
): Promise<void> {
  const [known] = await rememberedBlocks(tx, chain, to.height, 1);
  if (known?.height === to.height && known.hash === to.hash) {
    await rewindCursor(tx, chain, to, nowMs);
    return;
  }
  const { coin, mode } = chain;
  await tx.deleteFrom('chain_blocks').where('coin', '=', coin).where('mode', '=', mode).execute();
  await advanceCursor(tx, chain, to, nowMs);
  await truncateSkippedBlocks(tx, chain, to.height);
  await forgetFinalAbove(tx, chain, to.height);
}

async function setCursor(tx: Tx, chain: ChainId, at: BlockRef, nowMs: number): Promise<void> {
  await putCursor(tx, { ...chain, ...at, nowMs });
}

const putCursor = prepared((db, param: ParamOf<ChainId & BlockRef & { nowMs: number }>) => {
  const at = { height: param('height'), hash: param('hash'), updatedAt: param('nowMs') };
  return db
    .insertInto('chain_cursors')
    .values({ coin: param('coin'), mode: param('mode'), ...at, safeHeight: null, finalizedHeight: null })
    .onConflict((conflict) => conflict.columns(['coin', 'mode']).doUpdateSet(at));
});

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
