import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allSkippedBlocks, lastSkipAt } from '../../../src/store/chain/skipped-blocks.ts';
import { readMeta, writeMeta } from '../../../src/store/meta.ts';
import { MIGRATIONS } from '../../../src/store/schema/migrate.ts';
import { PRE_RELEASE } from '../../../src/store/schema/pre-release/migrations.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-migrate-'));
  path = join(dir, 'tilld.sqlite');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const next: Migration = {
  up: async (db) => void (await sql`CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT`.execute(db)),
};
const broken: Migration = {
  up: async (db) => {
    await sql`DELETE FROM meta`.execute(db);
    throw new Error('no');
  },
};

async function filled(): Promise<void> {
  const { db, close } = await openDatabase(path).then((it) => ({ ...it, close: () => it.close() }));
  await writeMeta(db, 'kept', 'yes');
  await close();
}

describe('the migration of a database', () => {
  it('keeps a backup copy that the older version can read', async () => {
    await filled();
    expect(readdirSync(dir)).toEqual(['tilld.sqlite']);
    const migrated = await openDatabase(path, { migrations: { ...MIGRATIONS, '9999-later': next } });
    expect(await readMeta(migrated.db, 'kept')).toBe('yes');
    await writeMeta(migrated.db, 'kept', 'changed');
    await migrated.close();
    const copy = `${path}.before-9999-later`;
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const older = await openDatabase(copy);
    expect(await readMeta(older.db, 'kept')).toBe('yes');
    await older.close();
  });

  it('changes nothing when it fails, and does not replace the backup copy on the next attempt', async () => {
    await filled();
    const failing = openDatabase(path, { migrations: { ...MIGRATIONS, '9999-later': broken } });
    await expect(failing).rejects.toThrow('migrating the database failed');
    const copy = `${path}.before-9999-later`;
    const made = statSync(copy).mtimeMs;
    const again = await openDatabase(path, { migrations: { ...MIGRATIONS, '9999-later': next } });
    expect(await readMeta(again.db, 'kept')).toBe('yes');
    expect(statSync(copy).mtimeMs).toBe(made);
    await again.close();
  });

  it('refuses a database of a newer version, and leaves it and its folder unchanged', async () => {
    await filled();
    await (await openDatabase(path, { migrations: { ...MIGRATIONS, '9999-later': next } })).close();
    const files = readdirSync(dir);
    await expect(openDatabase(path)).rejects.toThrow('newer tilld (it knows 9999-later)');
    expect(readdirSync(dir).filter((name) => !name.endsWith('-shm') && !name.endsWith('-wal'))).toEqual(
      files,
    );
  });

  it('is refused while a daemon runs', async () => {
    await filled();
    const options = { migrations: { ...MIGRATIONS, '9999-later': next }, mayMigrate: false };
    await expect(openDatabase(path, options)).rejects.toThrow('9999-later');
    expect(existsSync(`${path}.before-9999-later`)).toBe(false);
  });
});

/** A customer of one user. */
const customer = (id: string) => ({
  id,
  userId: 'u',
  email: id,
  emailKey: id,
  metadataJson: '{}',
  createdAt: 1,
  updatedAt: 1,
});

describe('an upgrade from the first version of the database', () => {
  it('keeps customers and their total, and later customers are added to the total', async () => {
    const { '0001-foundation': foundation } = PRE_RELEASE;
    if (foundation === undefined) throw new Error('there is no first version');
    const old = await openDatabase(path, { migrations: { '0001-foundation': foundation } });
    await sql`PRAGMA foreign_keys = OFF`.execute(old.db);
    await old.db
      .insertInto('customers')
      .values([customer('a'), customer('b')])
      .execute();
    await old.close();
    const upgraded = await openDatabase(path);
    const { db } = upgraded;
    await sql`PRAGMA foreign_keys = OFF`.execute(db);
    const counted = async () => db.selectFrom('customer_counts').selectAll().orderBy('userId').execute();
    expect(await counted()).toEqual([{ userId: 'u', count: 2 }]);
    await db.insertInto('customers').values(customer('c')).execute();
    await db.updateTable('customers').set({ userId: 'v' }).where('id', '=', 'a').execute();
    await db.deleteFrom('customers').where('id', '=', 'b').execute();
    expect(await counted()).toEqual([
      { userId: 'u', count: 1 },
      { userId: 'v', count: 1 },
    ]);
    await upgraded.close();
  });
});

it('an upgrade keeps both kinds of skipped blocks: pruned by the node and skipped by the operator', async () => {
  const before = Object.entries(PRE_RELEASE).filter(([name]) => name < '0011');
  const earlier = Object.fromEntries(before);
  const old = await openDatabase(path, { migrations: earlier });
  await sql`INSERT INTO chain_gaps (coin, mode, after_height, before_height, found_at)
    VALUES ('SOL', 'live', 100, 150, 7)`.execute(old.db);
  await writeMeta(old.db, 'skipped.LTC.live', JSON.stringify({ coin: 'LTC', mode: 'live', from: 0, to: 50 }));
  await writeMeta(old.db, 'last_skip.LTC.live', '9');
  await writeMeta(old.db, 'last_skip.BTC.live', '8');
  await old.close();
  const { db, close } = await openDatabase(path).then((it) => ({ db: it.db, close: () => it.close() }));
  expect(await allSkippedBlocks(db)).toEqual([
    { coin: 'LTC', mode: 'live', afterHeight: -1, beforeHeight: 51, foundAt: 9, reason: 'skipped' },
    { coin: 'SOL', mode: 'live', afterHeight: 100, beforeHeight: 150, foundAt: 7, reason: 'lost' },
  ]);
  expect(await lastSkipAt(db, { coin: 'LTC', mode: 'live' })).toBe(9);
  expect(await lastSkipAt(db, { coin: 'BTC', mode: 'live' })).toBe(8);
  expect(await readMeta(db, 'skipped.LTC.live')).toBeNull();
  await close();
});

describe('a database whose rows were deleted', () => {
  it('shrinks its file step by step', async () => {
    const database = await openDatabase(path);
    const { db } = database;
    for (let at = 0; at < 400; at += 1) await writeMeta(db, `key ${at}`, 'x'.repeat(20_000));
    await sql`DELETE FROM meta`.execute(db);
    const free = async (): Promise<number> =>
      (await sql<{ freelistCount: number }>`PRAGMA freelist_count`.execute(db)).rows[0]?.freelistCount ?? -1;
    const before = await free();
    expect(before).toBeGreaterThan(1_500);
    database.reclaim(1_000);
    expect(await free()).toBe(before - 1_000);
    database.reclaim(10_000);
    expect(await free()).toBe(0);
    await database.close();
    expect(statSync(path).size).toBeLessThan(1_500_000);
  });
});
