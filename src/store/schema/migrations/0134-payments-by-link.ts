import { sql, type Kysely } from 'kysely';

/** For the sums of the list of payment links: the index has every column that they read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE INDEX payments_by_link ON payments (link_id, mode, status, currency, amount)
    WHERE link_id IS NOT NULL`.execute(db);
}
