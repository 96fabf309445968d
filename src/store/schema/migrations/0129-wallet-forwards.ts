import { sql, type Kysely } from 'kysely';

/** Forwards to cold storage: their rules, and how many addresses of each descriptor are used. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE wallet_forwards (
    id TEXT PRIMARY KEY,
    merchant_id TEXT NOT NULL REFERENCES merchants(id),
    coin TEXT NOT NULL,
    mode TEXT NOT NULL,
    destination TEXT,
    keep TEXT NOT NULL,
    threshold TEXT NOT NULL,
    interval_ms INTEGER NOT NULL,
    active INTEGER NOT NULL,
    pending_id TEXT,
    pending_destination TEXT,
    pending_at INTEGER,
    runs INTEGER NOT NULL,
    last_run_at INTEGER,
    last_send_id TEXT,
    problem TEXT,
    problem_message TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (merchant_id, mode, coin)
  ) STRICT`.execute(db);
  await sql`CREATE TABLE forward_counters (
    coin TEXT NOT NULL,
    mode TEXT NOT NULL,
    descriptor TEXT NOT NULL,
    next_index INTEGER NOT NULL,
    PRIMARY KEY (coin, mode, descriptor)
  ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`ALTER TABLE sends ADD COLUMN reason TEXT`.execute(db);
  await sql`CREATE INDEX sends_forwarded ON sends (merchant_id, mode, coin, created_at) WHERE reason = 'forward'`.execute(
    db,
  );
}
