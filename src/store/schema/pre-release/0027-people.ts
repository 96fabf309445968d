import { sql, type Kysely } from 'kysely';

/** People who work for a shop of somebody else, invitations, and what everybody changed. */
const STATEMENTS = [
  `CREATE TABLE members (
    merchant_id TEXT NOT NULL REFERENCES merchants(id), user_id TEXT NOT NULL REFERENCES users(id),
    role TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (merchant_id, user_id)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX members_by_user ON members (user_id)`,
  `CREATE TABLE invitations (
    id TEXT PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id), email TEXT NOT NULL,
    email_key TEXT NOT NULL, role TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, ended_at INTEGER) STRICT`,
  `CREATE INDEX invitations_by_merchant ON invitations (merchant_id, created_at)`,
  `CREATE INDEX invitations_by_age ON invitations (created_at)`,
  `CREATE TABLE audit_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, merchant_id TEXT, actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL, actor_name TEXT NOT NULL, action TEXT NOT NULL, object_id TEXT,
    client_sealed TEXT NOT NULL, result TEXT) STRICT`,
  `CREATE INDEX audit_log_by_merchant ON audit_log (merchant_id, id) WHERE merchant_id IS NOT NULL`,
  `CREATE INDEX audit_log_by_user ON audit_log (actor_id, id) WHERE merchant_id IS NULL`,
  `CREATE INDEX audit_log_by_age ON audit_log (at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
