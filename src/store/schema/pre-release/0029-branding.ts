import { sql, type Kysely } from 'kysely';

/** How a shop looks to payers: logo, colour and whom to ask. */
const STATEMENTS = [
  `ALTER TABLE merchants ADD COLUMN support_contact TEXT`,
  `ALTER TABLE merchants ADD COLUMN accent_color TEXT`,
  `ALTER TABLE merchants ADD COLUMN logo_hash TEXT`,
  `CREATE TABLE merchant_logos (
    merchant_id TEXT PRIMARY KEY REFERENCES merchants(id), hash TEXT NOT NULL, type TEXT NOT NULL, bytes BLOB NOT NULL) STRICT`,
  `CREATE INDEX merchant_logos_by_hash ON merchant_logos (hash)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
