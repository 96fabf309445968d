import { type Kysely, sql } from 'kysely';

/** Refunds that the payer claims by a link, and refunds ordered in fiat. */
const STATEMENTS = [
  `CREATE TABLE refund_links (
    id TEXT PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id),
    payment_id TEXT NOT NULL REFERENCES payments(id), token_hash TEXT NOT NULL UNIQUE, token_sealed TEXT NOT NULL,
    amount TEXT NOT NULL, currency TEXT NOT NULL, rate TEXT NOT NULL CHECK (rate IN ('received', 'current')),
    amounts_json TEXT NOT NULL, approval INTEGER NOT NULL CHECK (approval IN (0, 1)),
    deduct_fee INTEGER NOT NULL CHECK (deduct_fee IN (0, 1)), reason TEXT,
    status TEXT NOT NULL CHECK (status IN ('open', 'claimed', 'approved', 'paid', 'expired', 'cancelled')),
    coin TEXT, claimed TEXT, destination TEXT, send_id TEXT REFERENCES sends(id), problem TEXT,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    claimed_at INTEGER, approved_at INTEGER, paid_at INTEGER,
    CHECK (status NOT IN ('claimed', 'approved', 'paid')
      OR (coin IS NOT NULL AND claimed IS NOT NULL AND destination IS NOT NULL)),
    CHECK (send_id IS NULL OR status IN ('claimed', 'approved', 'paid'))) STRICT, WITHOUT ROWID`,
  `CREATE INDEX refund_links_by_payment ON refund_links (payment_id, created_at, id)`,
  `CREATE INDEX refund_links_by_merchant ON refund_links (merchant_id, created_at, id)`,
  `CREATE INDEX refund_links_open ON refund_links (expires_at) WHERE status = 'open'`,
  `CREATE INDEX refund_links_unsent ON refund_links (claimed_at)
    WHERE status IN ('claimed', 'approved') AND send_id IS NULL`,
  `ALTER TABLE refunds ADD COLUMN fiat_amount TEXT`,
  `ALTER TABLE refunds ADD COLUMN rate TEXT`,
  `ALTER TABLE refunds ADD COLUMN link_id TEXT REFERENCES refund_links(id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
