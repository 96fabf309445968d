import { sql, type Kysely } from 'kysely';

/** Events of the sandbox, few beside those of a live shop, so that events and webhook logs can be listed by mode. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE INDEX events_of_sandbox ON events (merchant_id, seq, type) WHERE mode = 'sandbox'`.execute(
    db,
  );
}
