import { sql, type Kysely } from 'kysely';

/**
 * Mails to the people of a shop and to the operator. The outbox takes mails to addresses of no user.
 */
const STATEMENTS = [
  `CREATE TABLE notices (
    key TEXT PRIMARY KEY, reason TEXT NOT NULL, merchant_id TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('live', 'sandbox')), subject TEXT NOT NULL, details_json TEXT NOT NULL,
    created_at INTEGER NOT NULL, due_at INTEGER, told_at INTEGER) STRICT, WITHOUT ROWID`,
  `CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL`,
  `CREATE INDEX notices_by_age ON notices (created_at)`,
  `CREATE TABLE notice_mails (
    user_id TEXT NOT NULL, notice_key TEXT NOT NULL, merchant_id TEXT NOT NULL, reason TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('mailed', 'held', 'summarised')), created_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, notice_key)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX notice_mails_by_shop ON notice_mails (user_id, merchant_id, created_at) WHERE state = 'mailed'`,
  `CREATE INDEX notice_mails_held ON notice_mails (user_id, merchant_id, created_at) WHERE state = 'held'`,
  `CREATE INDEX notice_mails_by_age ON notice_mails (created_at)`,
  `CREATE TABLE notice_choices (
    user_id TEXT NOT NULL REFERENCES users(id), merchant_id TEXT NOT NULL REFERENCES merchants(id),
    kind TEXT NOT NULL, enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)), updated_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, merchant_id, kind)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE notice_languages (
    user_id TEXT PRIMARY KEY REFERENCES users(id), language TEXT NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE notice_conditions (
    key TEXT PRIMARY KEY, condition_json TEXT NOT NULL, since INTEGER NOT NULL, told_at INTEGER, over_since INTEGER,
    returns INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE new_mails (
    id TEXT PRIMARY KEY, user_id TEXT REFERENCES users(id),
    kind TEXT NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'notice', 'shop-notice')),
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'failed')), body_sealed TEXT, attempts INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, last_error TEXT, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, CHECK ((state = 'pending') = (body_sealed IS NOT NULL))) STRICT`,
  `INSERT INTO new_mails SELECT id, user_id, kind, state, body_sealed, attempts, next_attempt_at, expires_at,
    last_error, created_at, updated_at FROM mails`,
  `DROP TABLE mails`,
  `ALTER TABLE new_mails RENAME TO mails`,
  `CREATE INDEX mails_due ON mails (next_attempt_at, id) WHERE state = 'pending'`,
  `CREATE INDEX mails_by_user ON mails (user_id, kind, created_at)`,
  `CREATE INDEX mails_by_age ON mails (created_at) WHERE state <> 'pending'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
