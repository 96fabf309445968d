import { sql, type Kysely } from 'kysely';

/**
 * Another price or quantity counts for the rest of a paid period, too: the interval of its price (null: it keeps its
 * price), what the whole period would cost at the present price, by how much it became cheaper in billionths of the
 * minor unit, what of that is in the balance of the subscription, and the time of the period in which the subscription
 * was paused. Paid invoices from before keep their price, because their pauses are not known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `ALTER TABLE subscription_invoices ADD COLUMN interval TEXT`,
  `UPDATE subscription_invoices SET interval = (
    SELECT interval FROM subscriptions WHERE id = subscription_id AND anchor_n <= n
  ) WHERE status = 'open'`,
  `ALTER TABLE subscription_invoices ADD COLUMN rate_minor TEXT NOT NULL DEFAULT '0'`,
  `UPDATE subscription_invoices SET rate_minor = price_minor`,
  `ALTER TABLE subscription_invoices ADD COLUMN proration_exact TEXT NOT NULL DEFAULT '0'`,
  `ALTER TABLE subscription_invoices ADD COLUMN prorated_minor TEXT NOT NULL DEFAULT '0'`,
  `ALTER TABLE subscription_invoices ADD COLUMN paused_ms INTEGER NOT NULL DEFAULT 0`,
];
