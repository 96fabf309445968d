import { sql, type Kysely } from 'kysely';

/** Passkeys (WebAuthn credentials) of users, and challenges that were answered and do not count again. */
const STATEMENTS = [
  `CREATE TABLE passkeys (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id), credential_id TEXT NOT NULL UNIQUE,
    public_key TEXT NOT NULL, counter INTEGER NOT NULL, transports_json TEXT NOT NULL, rp_id TEXT NOT NULL,
    name TEXT NOT NULL, backed_up INTEGER NOT NULL, created_at INTEGER NOT NULL, last_used_at INTEGER) STRICT`,
  `CREATE INDEX passkeys_by_user ON passkeys (user_id, created_at)`,
  `CREATE TABLE spent_challenges (challenge_hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT`,
  `CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
