import { sql, type Kysely } from 'kysely';

/** The price of one coin in the payment's currency when its output was first written; null where it was not known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('ALTER TABLE outputs ADD COLUMN rate TEXT').execute(db);
  await sql.raw('ALTER TABLE outputs ADD COLUMN rate_at INTEGER').execute(db);
}
