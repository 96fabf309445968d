import { sql, type Kysely } from 'kysely';

/**
 * The schema of 0.1.0. A new database has it from schema.sql; one that was made before has it once the migrations of
 * `../pre-release` are done, and then forgets their names: from here on both are alike.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`DELETE FROM kysely_migration WHERE name < '0100'`.execute(db);
}
