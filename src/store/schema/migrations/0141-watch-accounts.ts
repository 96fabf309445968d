import { sql, type Kysely } from 'kysely';

/** Accounts of other wallets whose addresses a shop gives out. No existing output is on an address of one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE watch_accounts (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    merchant_id TEXT NOT NULL REFERENCES merchants(id),
    coin TEXT NOT NULL,
    mode TEXT NOT NULL,
    descriptor TEXT NOT NULL,
    first_receive TEXT NOT NULL,
    first_change TEXT NOT NULL,
    next_receive INTEGER NOT NULL,
    next_change INTEGER NOT NULL,
    confirmed_at INTEGER,
    pending_id TEXT,
    starts_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT`.execute(db);
  await sql`CREATE UNIQUE INDEX watch_accounts_once ON watch_accounts (coin, mode, first_receive)
    WHERE confirmed_at IS NOT NULL`.execute(db);
  await sql`CREATE INDEX watch_accounts_by_wallet ON watch_accounts (merchant_id, mode, coin, starts_at)`.execute(
    db,
  );
  await sql`ALTER TABLE outputs ADD COLUMN watch_only INTEGER NOT NULL DEFAULT 0`.execute(db);
  await sql`DROP INDEX outputs_spendable`.execute(db);
  await sql`CREATE INDEX outputs_spendable
    ON outputs (merchant_id, coin, mode, watch_only, height, maturity, amount, state, spent_by, send_id, txid, vout)
    WHERE state = 'confirmed' AND spent_by IS NULL AND send_id IS NULL`.execute(db);
}
