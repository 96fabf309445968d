import { sql, type Kysely } from 'kysely';

/**
 * Bodies of events become compressed bytes, and null once they are forgotten. Those of before stay plain until the
 * retention forgets them; those that it had emptied become null.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE events ADD COLUMN body BLOB`.execute(db);
  await sql`UPDATE events SET body = CAST(body_json AS BLOB)
    WHERE body_json NOT LIKE '%"data":{},"truncated":true}'`.execute(db);
  await sql`ALTER TABLE events DROP COLUMN body_json`.execute(db);
  await sql`ALTER TABLE events RENAME COLUMN body TO body_json`.execute(db);
}
