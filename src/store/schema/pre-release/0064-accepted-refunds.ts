import { sql, type Kysely } from 'kysely';

/**
 * Rows filled in: a refund of a complete order that was made after the merchant's acceptance is by that acceptance, also
 * where no money came between the two. Migrations gave such a refund the position of the last money before it, which is
 * that of the acceptance as well; refunds that were stored with their position have a later one.
 */
const FILL = `UPDATE refunds SET by_acceptance = 1 FROM payments
  WHERE payments.id = refunds.payment_id AND refunds.completed_json IS NOT NULL AND refunds.by_acceptance = 0
    AND refunds.position <= payments.accepted_position AND refunds.created_at >= payments.accepted_at`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(FILL).execute(db);
}
