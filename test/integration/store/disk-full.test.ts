import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../../src/store/database.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/open.ts';

let dir: string;
let database: OpenDatabase;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-full-'));
  database = await openDatabase(join(dir, 'tilld.sqlite'));
});
afterEach(async () => {
  await database.close();
  rmSync(dir, { recursive: true, force: true });
});

async function setRoom(extraPages: number): Promise<void> {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.db);
  await sql.raw(`pragma max_page_count = ${(rows[0]?.page_count ?? 0) + extraPages}`).execute(database.db);
}

async function write(count: number): Promise<void> {
  await inTransaction(database.db, async (tx) => {
    for (let at = 0; at < count; at += 1) {
      await tx
        .insertInto('meta')
        .values({ key: `key-${at}`, value: 'v'.repeat(1_000) })
        .execute();
    }
  });
}

test('a full disk is named as such, leaves nothing half-written, and is forgotten once there is room', async () => {
  await setRoom(2);
  await expect(write(200)).rejects.toMatchObject({ code: 'SQLITE_FULL' });
  await expect(write(200)).rejects.toMatchObject({ code: 'SQLITE_FULL' });
  expect(await database.db.selectFrom('meta').selectAll().execute()).toEqual([]);
  await setRoom(1_000);
  await write(200);
  expect(await database.db.selectFrom('meta').selectAll().execute()).toHaveLength(200);
});
