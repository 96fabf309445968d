import { sql, type Kysely } from 'kysely';

/**
 * Mails to the payers of subscriptions, and the setting of shops for them: existing shops mail. Invoices from before
 * are not mailed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `ALTER TABLE merchants ADD COLUMN mails_subscribers INTEGER NOT NULL DEFAULT 1
    CHECK (mails_subscribers IN (0, 1))`,
  `CREATE TABLE subscription_mails (
    subscription_id TEXT NOT NULL REFERENCES subscriptions(id),
    n INTEGER NOT NULL CHECK (n >= 0),
    kind TEXT NOT NULL CHECK (kind IN ('invoice', 'reminder', 'past_due', 'paid', 'trial_ending', 'paused',
      'resumed', 'cancelled', 'ended')),
    due_at INTEGER,
    mailed INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (subscription_id, n, kind)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX subscription_mails_due ON subscription_mails (due_at, subscription_id)
    WHERE due_at IS NOT NULL`,
  // SQLite cannot change a CHECK.
  'CREATE TABLE old_mails AS SELECT * FROM mails',
  'DROP TABLE mails',
  `CREATE TABLE mails (
    id TEXT PRIMARY KEY,
    user_id TEXT REFERENCES users(id),
    kind TEXT NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'notice', 'shop-notice', 'receipt',
      'subscription', 'subscription-start')),
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'failed')),
    body_sealed TEXT,
    attempts INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    recipient_hash TEXT,
    CHECK ((state = 'pending') = (body_sealed IS NOT NULL))
  ) STRICT`,
  `INSERT INTO mails (id, user_id, kind, state, body_sealed, attempts, next_attempt_at, expires_at, last_error,
    created_at, updated_at, recipient_hash)
    SELECT id, user_id, kind, state, body_sealed, attempts, next_attempt_at, expires_at, last_error,
    created_at, updated_at, recipient_hash FROM old_mails`,
  'DROP TABLE old_mails',
  `CREATE INDEX mails_due ON mails (next_attempt_at, id) WHERE state = 'pending'`,
  'CREATE INDEX mails_by_user ON mails (user_id, kind, created_at)',
  `CREATE INDEX mails_by_age ON mails (created_at) WHERE state <> 'pending' AND kind <> 'receipt'`,
  `CREATE INDEX mails_by_recipient ON mails (recipient_hash, kind, created_at)
    WHERE recipient_hash IS NOT NULL`,
];
