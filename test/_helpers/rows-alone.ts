import { Kysely, sql } from 'kysely';
import type { Db } from '../../src/store/database.ts';
import { openSqlite } from '../../src/store/dialect.ts';
import { migrate } from '../../src/store/migrate.ts';
import type { Tables } from '../../src/store/tables.ts';

/** A database in memory whose rows may refer to nothing: for tests of one table, or two. */
export async function databaseOfRowsAlone(): Promise<Db> {
  const db = new Kysely<Tables>({ dialect: openSqlite(':memory:').dialect });
  await migrate(db);
  await sql`PRAGMA foreign_keys = OFF`.execute(db);
  return db;
}
