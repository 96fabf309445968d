import { sql, type Kysely } from 'kysely';

/**
 * The list of what waits for a person: an index of the payments that wait for a decision, one of the sends that
 * failed, and the entries that a person has dismissed. The indexes cover the existing rows; nothing was
 * dismissed before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE INDEX payments_waiting
    ON payments (merchant_id, mode, exception = 'reversed', updated_at, id, exception, sequence)
    WHERE status NOT IN ('confirming', 'refunded')
      AND (exception IN ('overpaid', 'multiple')) = (status = 'completed')`.execute(db);
  await sql`CREATE INDEX sends_failed ON sends (merchant_id, mode, updated_at)
    WHERE status = 'failed' AND purpose = 'send'`.execute(db);
  await sql`CREATE TABLE attention_dismissals (
    merchant_id TEXT NOT NULL REFERENCES merchants(id),
    item_id TEXT NOT NULL,
    mark TEXT NOT NULL,
    note TEXT,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    dismissed_at INTEGER NOT NULL,
    PRIMARY KEY (merchant_id, item_id)
  ) STRICT, WITHOUT ROWID`.execute(db);
}
