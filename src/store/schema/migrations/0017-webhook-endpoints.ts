import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Events are listed by their number, upwards and downwards; no row is rewritten for that.
  'DROP INDEX events_by_merchant',
  'CREATE INDEX events_by_merchant ON events (merchant_id, seq, type)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
