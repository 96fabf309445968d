import { expect, it } from 'vitest';
import { advanceCursor, resetCursor } from '../../../src/store/chain/chain-cursors.ts';
import {
  allSkippedBlocks,
  deleteSkippedBlocks,
  recordSkippedBlocks,
} from '../../../src/store/chain/skipped-blocks.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';

const CHAIN = { coin: 'SOL', mode: 'live' } as const;
const block = (height: number) => ({
  height,
  hash: `h${height}`,
  parentHash: `h${height - 1}`,
  timeMs: height,
});

async function withGap(before: number) {
  const database = await openDatabase(':memory:');
  const gap = { ...CHAIN, afterHeight: 100, beforeHeight: before, foundAt: 1, reason: 'lost' as const };
  await database.db.transaction(async (tx) => {
    await advanceCursor(tx, CHAIN, block(before), 1);
    await recordSkippedBlocks(tx, gap);
  });
  const heights = async () =>
    (await allSkippedBlocks(database.db)).map(({ afterHeight, beforeHeight }) => [afterHeight, beforeHeight]);
  const readAgainFrom = async (height: number) =>
    database.db.transaction((tx) => resetCursor(tx, CHAIN, block(height), 2));
  return { db: database.db, close: () => database.close(), gap, heights, readAgainFrom };
}

it.each([
  ['before a chain gap closes the gap', 90, []],
  ['at the beginning of a chain gap closes the gap', 100, []],
  ['inside a chain gap keeps the part below', 120, [[100, 121]]],
  ['after a chain gap keeps the gap', 149, [[100, 150]]],
])('a rescan from a height %s', async (_where, height, left) => {
  const { heights, readAgainFrom, close } = await withGap(150);
  await readAgainFrom(height);
  expect(await heights()).toEqual(left);
  await close();
});

it('skipped blocks stay recorded when more were skipped while they were reconciled', async () => {
  const { db, gap, heights, close } = await withGap(150);
  await db.transaction(async (tx) => {
    await recordSkippedBlocks(tx, { ...gap, beforeHeight: 200 });
    await deleteSkippedBlocks(tx, [gap]);
  });
  expect(await heights()).toEqual([[100, 200]]);
  await close();
});
