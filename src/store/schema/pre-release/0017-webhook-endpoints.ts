import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Events are listed by their number, upwards and downwards; no row is rewritten for that.
  'DROP INDEX events_by_merchant',
  'CREATE INDEX events_by_merchant ON events (merchant_id, seq, type)',
  // Endpoints beside the merchant's own webhookUrl. events_json: the types it takes, null for all.
  `CREATE TABLE webhook_endpoints (
    id TEXT PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id), url TEXT NOT NULL, events_json TEXT,
    active INTEGER NOT NULL CHECK (active IN (0, 1)), secret_sealed TEXT NOT NULL, old_secret_sealed TEXT,
    old_secret_until INTEGER, gone_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT`,
  'CREATE INDEX webhook_endpoints_by_merchant ON webhook_endpoints (merchant_id, created_at, id)',
  // By endpoint; the merchant's own webhookUrl goes by the id of the merchant.
  `CREATE TABLE endpoint_health (
    endpoint_id TEXT PRIMARY KEY, last_success_at INTEGER, last_failure_at INTEGER, last_error TEXT,
    failures INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  'ALTER TABLE deliveries ADD COLUMN endpoint_id TEXT',
  // What was settled before does not matter any more.
  `UPDATE deliveries SET endpoint_id = merchant_id WHERE status = 'pending' AND NOT EXISTS (
    SELECT 1 FROM payments WHERE payments.id = deliveries.payment_id AND payments.webhook_url IS NOT NULL)`,
  `CREATE INDEX deliveries_undelivered ON deliveries (merchant_id, status, endpoint_id) WHERE status <> 'delivered'`,
  // Logs are found by the type of their event. There are no more of them than the retention allows.
  'ALTER TABLE webhook_logs ADD COLUMN event_type TEXT',
  `UPDATE webhook_logs SET event_type = (SELECT events.type FROM deliveries JOIN events ON events.id = deliveries.event_id
    WHERE deliveries.id = webhook_logs.delivery_id)`,
  'CREATE INDEX webhook_logs_by_event_type ON webhook_logs (merchant_id, event_type, created_at, id)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
