import { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Db } from '../../../src/store/database.ts';
import { openSqlite } from '../../../src/store/dialect.ts';
import { migrate } from '../../../src/store/migrate.ts';
import type { Tables } from '../../../src/store/tables.ts';
import { EarlierFinality } from '../../../src/usecases/chain/earlier-finality.ts';
import { TestClock } from '../../_helpers/wallet-world.ts';

let db: Db;
let questions = 0;

beforeEach(async () => {
  db = new Kysely<Tables>({
    dialect: openSqlite(':memory:').dialect,
    log: () => void (questions += 1),
  });
  await migrate(db);
  questions = 0;
});
afterEach(async () => db.destroy());

test('what payments of an earlier policy wait for is asked of the database now and then, not at every look', async () => {
  const clock = new TestClock();
  const earlier = new EarlierFinality();
  for (let look = 0; look < 100; look += 1) {
    expect(await earlier.awaited({ db, clock }, { coin: 'ETH', mode: 'live' })).toEqual([]);
    clock.advance(5_000);
  }
  expect(questions).toBe(1);
  clock.advance(10 * 60_000);
  await earlier.awaited({ db, clock }, { coin: 'ETH', mode: 'live' });
  expect(questions).toBe(2);
});
