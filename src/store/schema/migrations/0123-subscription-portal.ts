import { sql, type Kysely } from 'kysely';

/**
 * Pages of payers for their subscriptions, and the settings of shops for them: existing shops get the defaults.
 * Existing subscriptions have no page until the shop rotates its link.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `ALTER TABLE merchants ADD COLUMN payer_may_pause INTEGER NOT NULL DEFAULT 0
    CHECK (payer_may_pause IN (0, 1))`,
  `ALTER TABLE merchants ADD COLUMN payer_may_cancel INTEGER NOT NULL DEFAULT 1
    CHECK (payer_may_cancel IN (0, 1))`,
  'ALTER TABLE subscriptions ADD COLUMN portal_token_hash TEXT',
  'ALTER TABLE subscriptions ADD COLUMN portal_token_sealed TEXT',
  'ALTER TABLE subscriptions ADD COLUMN email TEXT',
  'ALTER TABLE subscriptions ADD COLUMN locale TEXT',
  `CREATE UNIQUE INDEX subscriptions_by_portal_token ON subscriptions (portal_token_hash)
    WHERE portal_token_hash IS NOT NULL`,
];
