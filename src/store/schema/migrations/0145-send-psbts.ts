import { sql, type Kysely } from 'kysely';

/** Sends from watched accounts, which another wallet signs. Existing sends are none of these. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE sends ADD COLUMN by_psbt INTEGER NOT NULL DEFAULT 0`.execute(db);
  await sql`CREATE TABLE send_psbts (
    send_id TEXT PRIMARY KEY REFERENCES sends(id),
    coin TEXT NOT NULL,
    mode TEXT NOT NULL,
    txid TEXT NOT NULL,
    account_number INTEGER NOT NULL REFERENCES watch_accounts(number),
    psbt TEXT,
    required INTEGER NOT NULL,
    collected INTEGER NOT NULL,
    plan_json TEXT NOT NULL,
    change_index INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT`.execute(db);
  await sql`CREATE INDEX send_psbts_by_txid ON send_psbts (coin, mode, txid)`.execute(db);
  await sql`CREATE INDEX send_psbts_open ON send_psbts (coin, mode, expires_at) WHERE psbt IS NOT NULL`.execute(
    db,
  );
}
