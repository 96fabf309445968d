import { sql, type Kysely } from 'kysely';

/**
 * The outbox takes receipts. Their rows stay once they are settled, so that a payment's receipt is mailed at most once;
 * the index by which old mails are removed leaves them out. The language of mails may follow that of the dashboard; what
 * is there already was chosen.
 */
const STATEMENTS = [
  `CREATE TABLE new_mails (
    id TEXT PRIMARY KEY, user_id TEXT REFERENCES users(id),
    kind TEXT NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'notice', 'shop-notice', 'receipt')),
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'failed')), body_sealed TEXT, attempts INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, last_error TEXT, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, CHECK ((state = 'pending') = (body_sealed IS NOT NULL))) STRICT`,
  `INSERT INTO new_mails SELECT id, user_id, kind, state, body_sealed, attempts, next_attempt_at, expires_at,
    last_error, created_at, updated_at FROM mails`,
  `DROP TABLE mails`,
  `ALTER TABLE new_mails RENAME TO mails`,
  `CREATE INDEX mails_due ON mails (next_attempt_at, id) WHERE state = 'pending'`,
  `CREATE INDEX mails_by_user ON mails (user_id, kind, created_at)`,
  `CREATE INDEX mails_by_age ON mails (created_at) WHERE state <> 'pending' AND kind <> 'receipt'`,
  `ALTER TABLE notice_languages ADD COLUMN source TEXT NOT NULL DEFAULT 'chosen' CHECK (source IN ('chosen', 'pages'))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
