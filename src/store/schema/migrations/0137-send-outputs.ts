import { sql, type Kysely } from 'kysely';

/** The recipients of a send where there are several, and whether its inputs were chosen. Sends so far have one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE sends ADD COLUMN outputs_json TEXT`.execute(db);
  await sql`ALTER TABLE sends ADD COLUMN coin_control INTEGER NOT NULL DEFAULT 0`.execute(db);
  await sql`ALTER TABLE send_approvals ADD COLUMN outputs_json TEXT`.execute(db);
}
