import { sql, type Kysely } from 'kysely';

/**
 * Limits of the money that leaves. Existing shops and keys get none. Sends of before have no known creator; their
 * amount counts on the day of the migration at the rate of the next send.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE wallet_limits (
    merchant_id TEXT PRIMARY KEY REFERENCES merchants(id),
    limits_json TEXT NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`ALTER TABLE merchants ADD COLUMN day_floor INTEGER`.execute(db);
  await sql`ALTER TABLE merchants ADD COLUMN day_floor_until INTEGER`.execute(db);
  await sql`ALTER TABLE restricted_keys ADD COLUMN limits_json TEXT`.execute(db);
  await sql`ALTER TABLE refund_links ADD COLUMN creator_kind TEXT`.execute(db);
  await sql`ALTER TABLE refund_links ADD COLUMN creator_id TEXT`.execute(db);
  await sql`ALTER TABLE sends ADD COLUMN creator_kind TEXT`.execute(db);
  await sql`ALTER TABLE sends ADD COLUMN creator_id TEXT`.execute(db);
  await sql`ALTER TABLE sends ADD COLUMN leaving TEXT`.execute(db);
  await sql`ALTER TABLE sends ADD COLUMN values_json TEXT`.execute(db);
}
