import { sql, type Kysely } from 'kysely';

/**
 * An index of the payments with an exception, and the exception `reversed` of those whose money the network
 * dropped: no money of theirs is left, and some was seen.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE INDEX payments_by_exception ON payments (merchant_id, mode, exception, created_at, id)
    WHERE exception IS NOT NULL`.execute(db);
  await sql`UPDATE payments SET exception = 'reversed'
    WHERE status IN ('pending', 'expired', 'cancelled', 'failed') AND exception IS NULL AND superseded_by IS NULL
      AND EXISTS (SELECT 1 FROM outputs WHERE outputs.payment_id = payments.id AND state = 'gone')
      AND NOT EXISTS (SELECT 1 FROM outputs WHERE outputs.payment_id = payments.id AND state <> 'gone')`.execute(
    db,
  );
}
