import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { currenciesInUse } from '../../../src/store/rates/currencies-in-use.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { EARLIER_DATABASES, layOut } from '../../_helpers/earlier-databases.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-currencies-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Changes one row of a table that has some. */
function set(table: string, where: string, currency: string): void {
  const db = new Sqlite(join(dir, 'tilld.sqlite'));
  const { changes } = db
    .prepare(`UPDATE ${table} SET currency = ? WHERE id = (SELECT id FROM ${table} WHERE ${where} LIMIT 1)`)
    .run(currency);
  db.close();
  expect(changes).toBe(1);
}

it('currenciesInUse returns the currencies of shops, prices, links and open payments, and not of closed payments', async () => {
  layOut(EARLIER_DATABASES.at(-1) ?? '', dir);
  set('merchants', '1', 'CHF');
  set('prices', '1', 'DKK');
  set('payment_links', 'currency IS NOT NULL', 'PLN');
  set('payments', `status = 'pending' AND closed_at IS NULL`, 'NOK');
  set('payments', `status = 'completed'`, 'SEK');
  const database = await openDatabase(join(dir, 'tilld.sqlite'));
  const found = await currenciesInUse(database.db);
  await database.close();
  expect(found).toEqual(expect.arrayContaining(['CHF', 'DKK', 'PLN', 'NOK']));
  expect(found).not.toContain('SEK');
  expect(new Set(found).size).toBe(found.length);
});
