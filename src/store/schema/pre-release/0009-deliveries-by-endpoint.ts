import { type Kysely, sql } from 'kysely';

/** Deliveries that are due are looked up endpoint by endpoint. */
const STATEMENTS = [
  'DROP INDEX deliveries_due',
  `CREATE INDEX deliveries_due ON deliveries (origin, next_attempt_at, event_seq, updated_at)
    WHERE status = 'pending' AND lease_token IS NULL`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
