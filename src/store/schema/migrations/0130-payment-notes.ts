import { sql, type Kysely } from 'kysely';

/** Notes of the shop on its payments. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE payment_notes (
    payment_id TEXT PRIMARY KEY REFERENCES payments(id),
    merchant_id TEXT NOT NULL REFERENCES merchants(id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'sandbox')),
    note TEXT NOT NULL,
    creator_kind TEXT,
    creator_id TEXT,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE INDEX payment_notes_by_merchant ON payment_notes (merchant_id, mode)`.execute(db);
}
