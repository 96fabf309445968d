import { sql, type Kysely } from 'kysely';

/**
 * The time of the last recorded block when an order got an address of a list: money in earlier blocks came from no payer.
 * Unknown for addresses that were given out before, where the clock of the machine decides.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE watch_addresses ADD COLUMN chain_time INTEGER`.execute(db);
}
