import { sql, type Kysely } from 'kysely';

/** Limits that the owner has to confirm after a restore: existing ones are confirmed. An index of what waits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE wallet_limits ADD COLUMN confirmed_at INTEGER`.execute(db);
  await sql`UPDATE wallet_limits SET confirmed_at = 0`.execute(db);
  await sql`CREATE INDEX send_approvals_waiting ON send_approvals (merchant_id, mode, created_at, id)
    WHERE status = 'pending'`.execute(db);
}
