import { sql } from 'kysely';
import type { Database } from '../../src/store/sqlite/database.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';

/** A database in memory whose rows may refer to nothing: for tests of one table, or two. */
export async function databaseOfRowsAlone(): Promise<Database> {
  const { db } = await openDatabase(':memory:');
  await sql`PRAGMA foreign_keys = OFF`.execute(db);
  return db;
}
