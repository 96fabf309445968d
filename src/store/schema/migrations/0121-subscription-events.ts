import { sql, type Kysely } from 'kysely';

/** Events name their subscription. Those of before are not found by it; their bodies contain it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE events ADD COLUMN subscription_id TEXT REFERENCES subscriptions(id)`.execute(db);
  await sql`CREATE UNIQUE INDEX events_by_subscription ON events (subscription_id, sequence)
    WHERE subscription_id IS NOT NULL`.execute(db);
}
