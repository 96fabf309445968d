import { sql, type Kysely } from 'kysely';

/**
 * What refunds and claims gave back while the rate of its money was not known: atoms that get their value once it is.
 * And whether an order was complete by an acceptance when they were made: then they are the merchant's word only while
 * that holds.
 *
 * Rows that are there: a refund or a waiting claim without a value has it from now on at the mean of the money that came
 * before it, or once the rate of that money is known. Those of complete orders are by acceptance if the merchant had
 * accepted before. A finality that payments were quoted is found by an index of its own.
 */
const STATEMENTS = [
  `ALTER TABLE refunds ADD COLUMN unpriced TEXT NOT NULL DEFAULT '0'`,
  `ALTER TABLE refunds ADD COLUMN by_acceptance INTEGER NOT NULL DEFAULT 0 CHECK (by_acceptance IN (0, 1))`,
  `ALTER TABLE refund_links ADD COLUMN claim_unpriced TEXT NOT NULL DEFAULT '0'`,
  `ALTER TABLE refund_links ADD COLUMN claim_by_acceptance INTEGER NOT NULL DEFAULT 0
    CHECK (claim_by_acceptance IN (0, 1))`,
  `UPDATE refunds SET unpriced = amount WHERE value IS NULL`,
  `UPDATE refund_links SET claim_unpriced = claimed
    WHERE claim_value IS NULL AND claimed IS NOT NULL AND status IN ('claimed', 'approved') AND send_id IS NULL`,
  `UPDATE refunds SET by_acceptance = 1 FROM payments
    WHERE payments.id = refunds.payment_id AND refunds.completed_json IS NOT NULL
      AND refunds.position > payments.accepted_position`,
  `UPDATE refund_links SET claim_by_acceptance = 1 FROM payments
    WHERE payments.id = refund_links.payment_id AND refund_links.claim_completed_json IS NOT NULL
      AND payments.accepted_position IS NOT NULL AND refund_links.send_id IS NULL`,
  `CREATE INDEX payment_options_by_finality ON payment_options (coin, required_finality)
    WHERE required_finality IS NOT NULL`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
