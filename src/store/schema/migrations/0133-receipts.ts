import { sql, type Kysely } from 'kysely';

/** Numbered receipts of paid payments, each with the seller's data as issued. Earlier payments get no number. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE merchants ADD COLUMN business_json TEXT`.execute(db);
  await sql`ALTER TABLE merchants ADD COLUMN receipt_prefix TEXT NOT NULL DEFAULT ''`.execute(db);
  await sql`CREATE TABLE sellers (
    id INTEGER PRIMARY KEY,
    merchant_id TEXT NOT NULL REFERENCES merchants(id),
    business_json TEXT NOT NULL,
    UNIQUE (merchant_id, business_json)
  ) STRICT`.execute(db);
  await sql`CREATE TABLE receipts (
    payment_id TEXT PRIMARY KEY REFERENCES payments(id),
    merchant_id TEXT NOT NULL REFERENCES merchants(id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'sandbox')),
    series INTEGER NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    label TEXT NOT NULL,
    currency TEXT NOT NULL,
    minor TEXT NOT NULL,
    seller_id INTEGER REFERENCES sellers(id),
    issued_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE UNIQUE INDEX receipts_by_number ON receipts (merchant_id, mode, series, number)`.execute(
    db,
  );
  await sql`CREATE INDEX receipts_by_time ON receipts (merchant_id, mode, issued_at, series, number)`.execute(
    db,
  );
}
