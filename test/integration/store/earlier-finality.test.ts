import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../../src/store/sqlite/database.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { FinalityCache } from '../../../src/usecases/chain-sync/finality-cache.ts';
import { recordQueries } from '../../_helpers/recorded-queries.ts';
import { TestClock } from '../../_helpers/wallet-world.ts';

let db: Database;
const takeQueries = recordQueries();

beforeEach(async () => {
  ({ db } = await openDatabase(':memory:'));
  takeQueries();
});
afterEach(async () => db.close());

test('what payments of an earlier policy wait for is asked of the database now and then, not at every look', async () => {
  const clock = new TestClock();
  const earlier = new FinalityCache();
  for (let look = 0; look < 100; look += 1) {
    expect(await earlier.awaited({ db, clock }, { coin: 'ETH', mode: 'live' })).toEqual([]);
    clock.advance(5_000);
  }
  expect(takeQueries()).toHaveLength(1);
  clock.advance(10 * 60_000);
  await earlier.awaited({ db, clock }, { coin: 'ETH', mode: 'live' });
  expect(takeQueries()).toHaveLength(1);
});
