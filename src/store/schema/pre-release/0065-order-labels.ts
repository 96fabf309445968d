import { sql, type Kysely } from 'kysely';

/** Payments may carry what people call their order. No rows are filled in: those of before have none. */
const STATEMENTS = [
  'ALTER TABLE payments ADD COLUMN order_label TEXT',
  // Lets a search for a whole label find its payments. Most have none.
  `CREATE INDEX payments_by_order_label ON payments (merchant_id, mode, order_label)
    WHERE order_label IS NOT NULL`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
