import { sql, type Kysely } from 'kysely';

/**
 * Mails to an address that its owner has not confirmed are counted by mailbox. Mails of before keep null and count for
 * no mailbox: their addresses are sealed, and those that were sent are erased.
 */
const STATEMENTS = [
  'ALTER TABLE mails ADD COLUMN recipient_hash TEXT',
  `CREATE INDEX mails_by_recipient ON mails (recipient_hash, kind, created_at) WHERE recipient_hash IS NOT NULL`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
