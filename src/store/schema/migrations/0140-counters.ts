import { sql, type Kysely } from 'kysely';

/** Counters, each with the token of one device; their payments, and tips. Earlier payments have neither. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE counters (
    id TEXT PRIMARY KEY,
    merchant_id TEXT NOT NULL REFERENCES merchants(id),
    name TEXT NOT NULL,
    currency TEXT NOT NULL,
    tips_json TEXT NOT NULL,
    favourites_json TEXT NOT NULL,
    code_hash TEXT,
    code_expires_at INTEGER,
    token_hash TEXT,
    connected_at INTEGER,
    last_used_at INTEGER,
    creator_kind TEXT,
    creator_id TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
  ) STRICT`.execute(db);
  await sql`CREATE INDEX counters_by_merchant ON counters (merchant_id, created_at, id)`.execute(db);
  await sql`CREATE UNIQUE INDEX counters_by_token ON counters (token_hash) WHERE token_hash IS NOT NULL`.execute(
    db,
  );
  await sql`CREATE UNIQUE INDEX counters_by_code ON counters (code_hash) WHERE code_hash IS NOT NULL`.execute(
    db,
  );
  await sql`CREATE TRIGGER counters_disconnected AFTER UPDATE OF token_hash ON counters
    WHEN OLD.token_hash IS NOT NULL AND NEW.token_hash IS NOT OLD.token_hash
  BEGIN
    INSERT INTO revocations (id, kind, subject, at)
      SELECT lower(hex(randomblob(8))), 'counter', OLD.id || '/' || OLD.token_hash,
        CAST(unixepoch('subsec') * 1000 AS INTEGER)
      WHERE NOT EXISTS (
        SELECT 1 FROM revocations WHERE kind = 'counter' AND subject = OLD.id || '/' || OLD.token_hash
      );
  END`.execute(db);
  await sql`ALTER TABLE payments ADD COLUMN counter_id TEXT REFERENCES counters(id)`.execute(db);
  await sql`ALTER TABLE payments ADD COLUMN tip TEXT`.execute(db);
  await sql`CREATE INDEX payments_by_counter ON payments (counter_id, mode, created_at)
    WHERE counter_id IS NOT NULL`.execute(db);
  await sql`ALTER TABLE receipts ADD COLUMN tip_minor TEXT NOT NULL DEFAULT '0'`.execute(db);
}
