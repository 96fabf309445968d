import { sql, type Kysely } from 'kysely';

const STATEMENTS = [
  // A payment may be anonymous.
  'ALTER TABLE payments ALTER COLUMN customer_id DROP NOT NULL',
  'ALTER TABLE payments ADD COLUMN locale TEXT',
  'ALTER TABLE payments ADD COLUMN description TEXT',
  'ALTER TABLE payments ADD COLUMN lines_json TEXT',
  // Confirmations asked for beyond the policy, per coin: {"BTC":6}. An update of the price needs them again.
  'ALTER TABLE payments ADD COLUMN confirmations_json TEXT',
  'CREATE INDEX payments_by_update ON payments (merchant_id, mode, updated_at, id)',
];

/** Terms of a payment that a shop may set: who pays, in which language, for what, and how many confirmations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
