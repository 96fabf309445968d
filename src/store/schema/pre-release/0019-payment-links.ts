import { type Kysely, sql } from 'kysely';

/** Links that anybody pays by, the shop's counter among them, and the sites that may show the checkout in a frame. */
const STATEMENTS = [
  `ALTER TABLE merchants ADD COLUMN embed_origins_json TEXT NOT NULL DEFAULT '[]'`,
  `CREATE TABLE payment_links (
    id TEXT PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id), slug TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('link', 'pos')), name TEXT NOT NULL, description TEXT,
    price_id TEXT REFERENCES prices(id), amount TEXT, currency TEXT, open_amount_json TEXT,
    fields_json TEXT NOT NULL, success_url TEXT, active INTEGER NOT NULL CHECK (active IN (0, 1)),
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER,
    CHECK ((price_id IS NOT NULL) + (amount IS NOT NULL) + (open_amount_json IS NOT NULL) = 1),
    CHECK ((price_id IS NULL) = (currency IS NOT NULL)),
    CHECK (kind = 'link' OR open_amount_json IS NOT NULL)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX payment_links_by_merchant ON payment_links (merchant_id, created_at, id) WHERE deleted_at IS NULL`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
