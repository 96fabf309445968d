import { sql, type Kysely } from 'kysely';

/** Frozen wallets. Existing shops get no row: none is frozen. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE wallet_freezes (
    subject TEXT PRIMARY KEY,
    frozen_at INTEGER NOT NULL,
    frozen_by TEXT NOT NULL,
    reason TEXT
  ) STRICT, WITHOUT ROWID`.execute(db);
}
