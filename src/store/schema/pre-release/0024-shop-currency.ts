import { sql, type Kysely } from 'kysely';

/** What a shop reckons in: the currency of its totals, and the time zone of its days. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE merchants ADD COLUMN currency TEXT NOT NULL DEFAULT 'USD'`.execute(db);
  await sql`ALTER TABLE merchants ADD COLUMN time_zone TEXT`.execute(db);
}
