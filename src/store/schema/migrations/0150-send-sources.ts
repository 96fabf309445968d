import { sql, type Kysely } from 'kysely';

/**
 * The watched account that a send takes its money from, also while it waits for an approval; null: the wallet of the till.
 * Pending sends that named none get the account that new orders were paid to when they were ordered.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE sends ADD COLUMN watch_id TEXT`.execute(db);
  await sql`UPDATE sends SET watch_id = (
      SELECT account.id FROM send_psbts AS stored JOIN watch_accounts AS account ON account.number = stored.account_number
      WHERE stored.send_id = sends.id
    ) WHERE id IN (SELECT send_id FROM send_psbts)`.execute(db);
  await sql`ALTER TABLE send_approvals ADD COLUMN watch_id TEXT`.execute(db);
  await sql`UPDATE send_approvals SET watch_id = nullif(coalesce(json_extract(request_json, '$.from'), (
      SELECT account.id FROM watch_accounts AS account
      WHERE account.merchant_id = send_approvals.merchant_id AND account.coin = send_approvals.coin
        AND account.mode = send_approvals.mode AND account.starts_at <= send_approvals.created_at
      ORDER BY account.starts_at DESC, account.number DESC LIMIT 1
    )), 'own') WHERE status = 'pending' AND kind = 'send' AND mode = 'live'`.execute(db);
}
