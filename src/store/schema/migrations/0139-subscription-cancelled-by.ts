import { sql, type Kysely } from 'kysely';

/**
 * Who cancelled a subscription at the end of its period, and who paused it: the payer undoes only what the payer did.
 * In existing rows that is unknown, so that the shop has to undo it. And an index of paid periods by their end.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `ALTER TABLE subscriptions ADD COLUMN cancelled_by TEXT CHECK (cancelled_by IN ('merchant', 'payer'))`,
  `CREATE INDEX subscription_invoices_paid ON subscription_invoices (subscription_id, period_end)
    WHERE status = 'paid'`,
  `ALTER TABLE subscriptions ADD COLUMN paused_by TEXT CHECK (paused_by IN ('merchant', 'payer'))`,
];
