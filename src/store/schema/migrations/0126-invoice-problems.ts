import { sql, type Kysely } from 'kysely';

/** Why the due invoice of a subscription cannot be made, and indexes of the subscriptions that wait for their shop. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `ALTER TABLE subscriptions ADD COLUMN problem TEXT
    CHECK (problem IN ('rate_unavailable', 'coin_unavailable', 'price_not_payable', 'other'))`,
  'ALTER TABLE subscriptions ADD COLUMN problem_at INTEGER',
  `CREATE INDEX subscriptions_with_problem ON subscriptions (merchant_id, mode, problem_at)
    WHERE problem IS NOT NULL`,
  `CREATE INDEX subscriptions_past_due ON subscriptions (merchant_id, mode, paid_until)
    WHERE status = 'past_due'`,
];
