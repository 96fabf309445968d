import { sql, type Kysely } from 'kysely';

/**
 * The last recorded block when an order got an address of a watched account: money in that block or below it came from
 * no payer. Unknown for addresses that were given out before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE address_tips (
    address_id INTEGER PRIMARY KEY REFERENCES addresses(id),
    height INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT`.execute(db);
}
