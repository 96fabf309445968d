import { sql, type Kysely } from 'kysely';

/** The search by address needs the first characters only: half the bytes of the index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`DROP INDEX addresses_by_text`.execute(db);
  await sql`CREATE INDEX addresses_by_text ON addresses (merchant_id, mode, substr(address, 1, 12) COLLATE NOCASE)
    WHERE payment_id IS NOT NULL`.execute(db);
}
