import { sql, type Kysely } from 'kysely';

/** Sends that wait for an approval, and those that were decided. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE send_approvals (
    id TEXT PRIMARY KEY,
    merchant_id TEXT NOT NULL REFERENCES merchants(id),
    coin TEXT NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('send', 'refund', 'claim')),
    destination TEXT NOT NULL,
    subtract_fee INTEGER NOT NULL,
    ordered TEXT NOT NULL,
    amount TEXT NOT NULL,
    fee TEXT NOT NULL,
    max_fee TEXT NOT NULL,
    note TEXT,
    request_json TEXT NOT NULL,
    reasons_json TEXT NOT NULL,
    payment_id TEXT,
    link_id TEXT,
    claim_id TEXT,
    creator_kind TEXT,
    creator_id TEXT,
    asker_id TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired')),
    idempotency_key TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    decided_by TEXT
  ) STRICT`.execute(db);
  await sql`CREATE UNIQUE INDEX send_approvals_idempotency ON send_approvals (merchant_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL`.execute(db);
  await sql`CREATE INDEX send_approvals_by_merchant ON send_approvals (merchant_id, mode, created_at, id)`.execute(
    db,
  );
  await sql`CREATE INDEX send_approvals_pending ON send_approvals (expires_at) WHERE status = 'pending'`.execute(
    db,
  );
  await sql`CREATE INDEX send_approvals_by_link ON send_approvals (link_id) WHERE link_id IS NOT NULL`.execute(
    db,
  );
}
