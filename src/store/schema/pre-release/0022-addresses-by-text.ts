import { sql, type Kysely } from 'kysely';

/** Payments are found by the beginning of an address they were asked for at, in any letter case. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE INDEX addresses_by_text ON addresses (merchant_id, mode, address COLLATE NOCASE)
    WHERE payment_id IS NOT NULL`.execute(db);
}
