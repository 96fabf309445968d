import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { MERCHANT_COLUMNS, OUTPUT_COLUMNS } from '../../_helpers/columns.ts';
import { fragmentedMerchants } from '../../../src/store/ledger/spendable-accounts.ts';

const chain = { coin: 'SOL', mode: 'live' } as const;
const MERCHANTS = 25;
const DEPOSITS = 3;
let store: OpenDatabase;

beforeEach(async () => {
  store = await openDatabase(':memory:');
  const { db } = store;
  await sql`pragma foreign_keys = off`.execute(db);
  for (let merchant = 0; merchant < MERCHANTS; merchant += 1) {
    const name = `m${merchant}`;
    await sql`insert into merchants ${MERCHANT_COLUMNS} values (${name}, 'u', ${merchant}, 'Shop', null, ${name}, 't', null, null, 's', null, null,
      0, 60, 50, 'accept', 1, 1)`.execute(db);
    for (let deposit = 0; deposit < DEPOSITS; deposit += 1) {
      const id = merchant * DEPOSITS + deposit + 1;
      await sql`insert into addresses values (${id}, ${name}, 'SOL', 'live', 0, ${deposit}, ${`a${id}`}, ${`a${id}`},
        'payment', 'p', 1)`.execute(db);
      await sql`insert into outputs ${OUTPUT_COLUMNS} values (${id}, 'SOL', 'live', ${`t${id}`}, 0, ${id}, ${name}, 'p', '1', 'confirmed', 5,
        'b', 1, 1, 0, null, null, null, null, 1, 1, 1)`.execute(db);
    }
  }
});
afterEach(async () => store.close());

test('fragmentedMerchants returns every merchant with many small deposits in turn, also behind merchants whose deposits are not worth sweeping', async () => {
  const served = new Set<string>();
  for (let look = 0; look < 60; look += 1) {
    const crowd = await fragmentedMerchants(store.db, chain, { most: DEPOSITS - 1, limit: 20 });
    expect(crowd).toHaveLength(20);
    for (const { merchantId } of crowd) served.add(merchantId);
  }
  expect(served.size).toBe(MERCHANTS);
  expect(await fragmentedMerchants(store.db, chain, { most: DEPOSITS, limit: 20 })).toEqual([]);
});
