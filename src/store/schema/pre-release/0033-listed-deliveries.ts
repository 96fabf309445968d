import { type Kysely, sql } from 'kysely';

const DAY_MS = 86_400_000;

/** What a delivery is counted by; no endpoint is the webhookUrl of a payment. */
function countedBy(row: string): string {
  return `${row}.merchant_id, ${row}.created_at / ${DAY_MS}, ${row}.mode, ${row}.event_type, coalesce(${row}.endpoint_id, '')`;
}

const COUNT = `INSERT INTO delivery_counts SELECT ${countedBy('NEW')}, 1 WHERE NEW.replaced = 0
  ON CONFLICT DO UPDATE SET count = count + 1;`;
const ITS = `(merchant_id, day, mode, event_type, endpoint_id) = (${countedBy('OLD')})`;
const DISCOUNT = `UPDATE delivery_counts SET count = count - 1 WHERE OLD.replaced = 0 AND ${ITS};
  DELETE FROM delivery_counts WHERE ${ITS} AND count = 0;`;

/**
 * Deliveries are listed: one for each event and endpoint, which a redelivery replaces. What a list is filtered by stands
 * in the delivery itself, so that an index alone tells what matches; how many there are is kept by the day (of UTC).
 */
const STATEMENTS = [
  `ALTER TABLE deliveries ADD COLUMN mode TEXT NOT NULL DEFAULT 'live'`,
  `ALTER TABLE deliveries ADD COLUMN event_type TEXT NOT NULL DEFAULT ''`,
  'ALTER TABLE deliveries ADD COLUMN replaced INTEGER NOT NULL DEFAULT 0 CHECK (replaced IN (0, 1))',
  // No more rows than the retention of deliveries allows.
  `UPDATE deliveries SET (mode, event_type) = (SELECT mode, type FROM events WHERE events.id = deliveries.event_id)`,
  // Only redeliveries are an order of their own.
  `UPDATE deliveries SET replaced = 1 WHERE id IN (
    SELECT older.id FROM deliveries AS newer JOIN deliveries AS older
      ON older.event_id = newer.event_id AND older.endpoint_id IS newer.endpoint_id
      AND (older.created_at, older.id) < (newer.created_at, newer.id)
    WHERE newer.order_key = newer.id)`,
  `CREATE INDEX deliveries_listed ON deliveries (merchant_id, created_at, id, mode, event_type, endpoint_id) WHERE replaced = 0`,
  'DROP INDEX deliveries_undelivered',
  `CREATE INDEX deliveries_undelivered ON deliveries (
    merchant_id, status, replaced, created_at, id, mode, event_type, endpoint_id) WHERE status <> 'delivered'`,
  `CREATE TABLE delivery_counts (
    merchant_id TEXT NOT NULL, day INTEGER NOT NULL, mode TEXT NOT NULL, event_type TEXT NOT NULL, endpoint_id TEXT NOT NULL,
    count INTEGER NOT NULL, PRIMARY KEY (merchant_id, day, mode, event_type, endpoint_id)) STRICT, WITHOUT ROWID`,
  `INSERT INTO delivery_counts SELECT ${countedBy('deliveries')}, count(*) FROM deliveries
    WHERE replaced = 0 GROUP BY 1, 2, 3, 4, 5`,
  `CREATE TRIGGER deliveries_counted AFTER INSERT ON deliveries BEGIN ${COUNT} END`,
  `CREATE TRIGGER deliveries_counted_anew AFTER UPDATE OF merchant_id, created_at, mode, event_type, endpoint_id, replaced
    ON deliveries BEGIN ${DISCOUNT} ${COUNT} END`,
  `CREATE TRIGGER deliveries_counted_out AFTER DELETE ON deliveries BEGIN ${DISCOUNT} END`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
