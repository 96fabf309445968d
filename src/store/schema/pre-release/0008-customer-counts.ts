import { type Kysely, sql } from 'kysely';

/** Customers are counted; nothing needs to know any more how often one was edited. */
const STATEMENTS = [
  'DROP TRIGGER customers_counted',
  'DROP TRIGGER customers_edited',
  'DROP TRIGGER customers_counted_out',
  'ALTER TABLE customer_counts DROP COLUMN edits',
  `CREATE TRIGGER customers_counted AFTER INSERT ON customers BEGIN
    INSERT INTO customer_counts VALUES (NEW.user_id, 1) ON CONFLICT DO UPDATE SET count = count + 1;
  END`,
  `CREATE TRIGGER customers_moved AFTER UPDATE OF user_id ON customers WHEN OLD.user_id <> NEW.user_id BEGIN
    UPDATE customer_counts SET count = count - 1 WHERE user_id = OLD.user_id;
    INSERT INTO customer_counts VALUES (NEW.user_id, 1) ON CONFLICT DO UPDATE SET count = count + 1;
  END`,
  `CREATE TRIGGER customers_counted_out AFTER DELETE ON customers BEGIN
    UPDATE customer_counts SET count = count - 1 WHERE user_id = OLD.user_id;
  END`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
