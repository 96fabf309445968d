import { sql, type Kysely } from 'kysely';

const NOW = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

function record(kind: string, subject: string): string {
  return `INSERT INTO revocations (id, kind, subject, at) SELECT lower(hex(randomblob(8))), '${kind}', ${subject}, ${NOW}
    WHERE NOT EXISTS (SELECT 1 FROM revocations WHERE kind = '${kind}' AND subject = ${subject} AND kind IN ('key', 'passkey', 'session'));`;
}

/**
 * What was revoked, whatever statement did it: ids and times only. The daemon keeps a copy of it in a file beside the
 * keyring, so that a restored, older database does not bring back what was revoked since. The table starts empty: what
 * was revoked before is not in the database any more. Shops can be suspended until their owner has looked at the keys.
 */
const STATEMENTS = [
  `CREATE TABLE revocations (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, subject TEXT NOT NULL,
    at INTEGER NOT NULL) STRICT`,
  'CREATE INDEX revocations_by_subject ON revocations (kind, subject)',
  `CREATE INDEX revocations_of_sessions ON revocations (at) WHERE kind = 'session'`,
  `CREATE TRIGGER api_keys_revoked AFTER DELETE ON api_keys BEGIN ${record('key', 'OLD.id')} END`,
  `CREATE TRIGGER api_keys_retired AFTER UPDATE OF expires_at ON api_keys
    WHEN NEW.expires_at IS NOT NULL AND NEW.expires_at IS NOT OLD.expires_at
    BEGIN ${record('retired-key', `OLD.id || '/' || NEW.expires_at`)} END`,
  `CREATE TRIGGER restricted_keys_revoked AFTER DELETE ON restricted_keys BEGIN ${record('key', 'OLD.id')} END`,
  `CREATE TRIGGER members_removed AFTER DELETE ON members
    BEGIN ${record('member', `OLD.merchant_id || '/' || OLD.user_id`)} END`,
  `CREATE TRIGGER members_changed AFTER UPDATE OF role ON members WHEN NEW.role <> OLD.role
    BEGIN ${record('role', `OLD.merchant_id || '/' || OLD.user_id || '/' || NEW.role`)} END`,
  `CREATE TRIGGER invitations_ended AFTER UPDATE OF ended_at ON invitations
    WHEN OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL BEGIN ${record('invitation', 'OLD.id')} END`,
  `CREATE TRIGGER passkeys_removed AFTER DELETE ON passkeys BEGIN ${record('passkey', 'OLD.id')} END`,
  `CREATE TRIGGER second_factors_removed AFTER DELETE ON second_factors WHEN OLD.enabled_at IS NOT NULL
    BEGIN ${record('factor', 'OLD.user_id')} END`,
  `CREATE TRIGGER second_factors_enabled AFTER UPDATE OF enabled_at ON second_factors
    WHEN OLD.enabled_at IS NULL AND NEW.enabled_at IS NOT NULL BEGIN ${record('factor', 'OLD.user_id')} END`,
  `CREATE TRIGGER recovery_codes_used AFTER UPDATE OF used_at ON recovery_codes
    WHEN OLD.used_at IS NULL AND NEW.used_at IS NOT NULL
    BEGIN ${record('recovery-code', `OLD.user_id || '/' || OLD.code_hash`)} END`,
  `CREATE TRIGGER sessions_ended AFTER DELETE ON sessions WHEN OLD.expires_at > ${NOW}
    BEGIN ${record('session', 'OLD.id')} END`,
  `CREATE TRIGGER tokens_revoked AFTER UPDATE OF token_version ON users WHEN NEW.token_version > OLD.token_version
    BEGIN ${record('tokens', `OLD.id || '/' || NEW.token_version`)} END`,
  'ALTER TABLE merchants ADD COLUMN suspended_at INTEGER',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
