import { sql, type Kysely } from 'kysely';

/**
 * Where payments come from, and which expired one each takes the place of. Payments that exist keep no link: what they
 * say of one in their metadata, shops could have written.
 */
const STATEMENTS = [
  `ALTER TABLE payments ADD COLUMN link_id TEXT REFERENCES payment_links(id)`,
  `ALTER TABLE payments ADD COLUMN renews TEXT REFERENCES payments(id)`,
  `CREATE UNIQUE INDEX payments_renewing ON payments (renews) WHERE renews IS NOT NULL`,
  `ALTER TABLE merchants ADD COLUMN renew_expired INTEGER NOT NULL DEFAULT 0 CHECK (renew_expired IN (0, 1))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
