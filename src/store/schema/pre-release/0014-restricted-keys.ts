import { sql, type Kysely } from 'kysely';

/** Keys that are allowed only what their scopes say, and the one-time codes by which a shop gets one. */
const STATEMENTS = [
  `CREATE TABLE restricted_keys (
    id TEXT PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id), name TEXT NOT NULL,
    scopes TEXT NOT NULL, key_hash TEXT NOT NULL UNIQUE, prefix TEXT NOT NULL, last_four TEXT NOT NULL,
    created_at INTEGER NOT NULL, expires_at INTEGER, last_used_at INTEGER) STRICT`,
  `CREATE INDEX restricted_keys_by_merchant ON restricted_keys (merchant_id, created_at, id)`,
  `CREATE TABLE connect_codes (
    code_hash TEXT PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id), name TEXT NOT NULL,
    scopes TEXT NOT NULL, code_challenge TEXT NOT NULL, created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE INDEX connect_codes_by_age ON connect_codes (expires_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
