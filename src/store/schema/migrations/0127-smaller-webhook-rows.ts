import { sql, type Kysely } from 'kysely';

const STATEMENTS = [
  // Logs of before stay plain text until the retention deletes them.
  'ALTER TABLE webhook_logs ADD COLUMN exchange_json BLOB',
  `UPDATE webhook_logs SET exchange_json =
    CAST('{"request":' || request_json || ',"response":' || response_json || '}' AS BLOB)`,
  'ALTER TABLE webhook_logs DROP COLUMN request_json',
  'ALTER TABLE webhook_logs DROP COLUMN response_json',
  // Only pending deliveries wait for each other, and share the slots of an endpoint.
  `UPDATE deliveries SET order_key = '', origin = '' WHERE status <> 'pending'`,
];

/** Request and response of a webhook log become one compressed text, and settled deliveries forget their order. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
