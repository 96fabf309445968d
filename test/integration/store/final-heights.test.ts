import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  advanceCursor,
  finalHeights,
  findCursor,
  resetCursor,
  setFinalHeights,
} from '../../../src/store/chain/chain-cursors.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';

const chain = { coin: 'ETH', mode: 'live' } as const;
let store: OpenDatabase;

beforeEach(async () => {
  store = await openDatabase(':memory:');
  await store.db.transaction(async (tx) => {
    for (let height = 90; height <= 100; height += 1) await advanceCursor(tx, chain, block(height, 'a'), 1);
    await setFinalHeights(tx, chain, { safe: 98, finalized: 96 });
  });
});
afterEach(async () => store.close());

function block(height: number, fork: string) {
  return { height, hash: `${fork}${height}`, parentHash: `${fork}${height - 1}`, timeMs: height };
}

/** Where a chain that is read again from a block stands, and what it takes for final. */
async function readAgainFrom(height: number, fork: string) {
  await store.db.transaction((tx) => resetCursor(tx, chain, block(height, fork), 2));
  return [(await findCursor(store.db, chain))?.height, await finalHeights(store.db, chain)];
}

test.each([
  ['a remembered block', 94, 'a'],
  ['a block older than all remembered blocks', 10, 'a'],
  ['a block of another chain', 94, 'b'],
])('the stored final height is reset when the chain is read again from %s', async (_what, height, fork) => {
  expect(await readAgainFrom(height, fork)).toEqual([height, { safe: height, finalized: height }]);
});

test('stored final heights below the block from which the chain is read again are kept', async () => {
  expect(await readAgainFrom(97, 'a')).toEqual([97, { safe: 97, finalized: 96 }]);
});
