import { sql, type Kysely } from 'kysely';

/**
 * The fee that a send was ordered with, so that a repeat of the order is recognised; of sends so far it is unknown. An
 * index of the refund links through which money can still leave.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE sends ADD COLUMN fee_terms_json TEXT`.execute(db);
  await sql`CREATE INDEX refund_links_payable ON refund_links (merchant_id)
    WHERE status IN ('open', 'claimed', 'approved') AND send_id IS NULL`.execute(db);
}
