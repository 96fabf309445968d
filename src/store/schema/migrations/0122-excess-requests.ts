import { sql, type Kysely } from 'kysely';

/**
 * Refunds that a payer requests on the checkout page of an overpaid order, and the setting of the shop that allows
 * it. Every earlier link was created by the shop.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE refund_links ADD COLUMN requested_by TEXT NOT NULL DEFAULT 'merchant'
    CHECK (requested_by IN ('merchant', 'payer'))`.execute(db);
  await sql`ALTER TABLE merchants ADD COLUMN payer_may_ask_excess INTEGER NOT NULL DEFAULT 1
    CHECK (payer_may_ask_excess IN (0, 1))`.execute(db);
}
