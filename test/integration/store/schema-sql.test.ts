/** schema.sql is what the migrations make: read by people, and what a new database is made from. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  allMigrations,
  migrate,
  MIGRATIONS,
  planMigrations,
  type Migrations,
} from '../../../src/store/schema/migrate.ts';
import { migrationsOn } from '../../../src/store/sqlite/migration-dialect.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { integrity, reading, schemaOf } from '../../_helpers/earlier-databases.ts';
import { normaliseSql, schemaText } from '../../_helpers/schema-sql.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-schema-'));
  path = join(dir, 'tilld.sqlite');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The schema and the names of the migrations, after these and then all that are missing. */
async function migratedInMemory(first?: Migrations): Promise<unknown> {
  const sqlite = new Sqlite(':memory:');
  const db = migrationsOn(sqlite);
  await migrate(db, await planMigrations(db, first));
  await migrate(db, await planMigrations(db));
  const schema = sqlite
    .prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL')
    .pluck()
    .all() as string[];
  const names = sqlite.prepare('SELECT name FROM kysely_migration ORDER BY name').pluck().all();
  sqlite.close();
  return [schema.map(normaliseSql).toSorted(), names];
}

const applied = (file: string): unknown[] =>
  reading(file, (db) => db.prepare('SELECT name FROM kysely_migration ORDER BY name').pluck().all());

describe('schema.sql', () => {
  it('equals the schema that all migrations from the first one produce', async () => {
    await (await openDatabase(path, { migrations: await allMigrations() })).close();
    await expect(reading(path, schemaText)).toMatchFileSnapshot('../../../src/store/schema/schema.sql');
  });

  it('equals the schema of a new database, in which every migration is recorded as applied', async () => {
    await (await openDatabase(path)).close();
    const migrated = join(dir, 'migrated.sqlite');
    await (await openDatabase(migrated, { migrations: await allMigrations() })).close();
    expect(schemaOf(path)).toEqual(schemaOf(migrated));
    expect(applied(path)).toEqual(Object.keys(MIGRATIONS));
    expect(applied(migrated)).toEqual(applied(path));
    expect(integrity(path)).toEqual(['ok']);
  });
});

describe('the list of migrations', () => {
  it('is in ascending order, and begins after those before 0.1.0', async () => {
    const all = Object.keys(await allMigrations());
    expect(all).toEqual(all.toSorted());
    expect(all.filter((name) => name in MIGRATIONS)).toEqual(Object.keys(MIGRATIONS));
    expect(Object.keys(MIGRATIONS)[0]).toBe('0100-baseline');
  });

  it('continues a database that has only some of the migrations before 0.1.0', async () => {
    const all = await allMigrations();
    const expected = await migratedInMemory();
    // Each takes a second. The databases of earlier versions in the fixtures begin at others.
    for (const last of Object.keys(all).filter((_, at) => at % 6 === 5)) {
      const before = Object.fromEntries(Object.entries(all).filter(([name]) => name <= last));
      expect([last, await migratedInMemory(before)]).toEqual([last, expected]);
    }
  });
});
