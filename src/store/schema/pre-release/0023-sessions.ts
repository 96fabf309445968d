import { sql, type Kysely } from 'kysely';

/** Sessions of the dashboard, each known by the hash of the token in its cookie. */
const STATEMENTS = [
  `CREATE TABLE sessions (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id), token_hash TEXT NOT NULL UNIQUE,
    token_version INTEGER NOT NULL, client_sealed TEXT NOT NULL, created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, stepped_up_at INTEGER) STRICT`,
  `CREATE INDEX sessions_by_user ON sessions (user_id, last_used_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
