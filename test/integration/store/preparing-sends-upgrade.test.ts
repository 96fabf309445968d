import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { layOut, reading } from '../../_helpers/earlier-databases.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-preparing-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('an upgrade keeps status and transaction of existing sends, and adds no consolidations to them', async () => {
  layOut('0033-listed-deliveries.json.gz', dir);
  const path = join(dir, 'tilld.sqlite');
  const read = () =>
    reading(path, (db) => db.prepare('SELECT id, status, txid, version FROM sends ORDER BY id').all());
  const before = read();
  expect(before.length).toBeGreaterThan(0);
  const database = await openDatabase(path);
  const { db } = database;
  const parts = await db
    .selectFrom('sends')
    .select(['partOf', 'parts', 'partsConfirmed', 'partsFee', 'orderedRate'])
    .execute();
  const none = { partOf: null, parts: 0, partsConfirmed: 0, partsFee: '0', orderedRate: null };
  expect(parts).toEqual(before.map(() => none));
  await expect(
    db
      .updateTable('sends')
      .set({ status: 'lost' as 'failed' })
      .execute(),
  ).rejects.toThrow(/CHECK constraint/);
  await database.close();
  expect(read()).toEqual(before);
});
