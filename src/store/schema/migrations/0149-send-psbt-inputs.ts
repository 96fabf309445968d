import { sql, type Kysely } from 'kysely';

/**
 * The outputs that a PSBT spends, by which its transaction is recognised after the send ended and another fee changed
 * the transaction id; and when an expired one is checked next.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE send_psbt_inputs (
    coin TEXT NOT NULL,
    mode TEXT NOT NULL,
    txid TEXT NOT NULL,
    vout INTEGER NOT NULL,
    send_id TEXT NOT NULL REFERENCES send_psbts(send_id),
    PRIMARY KEY (coin, mode, txid, vout, send_id)
  ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`INSERT INTO send_psbt_inputs (coin, mode, txid, vout, send_id)
    SELECT stored.coin, stored.mode, json_extract(input.value, '$.ref.txid'), json_extract(input.value, '$.ref.index'),
      stored.send_id
    FROM send_psbts AS stored, json_each(stored.plan_json, '$.inputs') AS input`.execute(db);
  await sql`ALTER TABLE send_psbts ADD COLUMN check_at INTEGER NOT NULL DEFAULT 0`.execute(db);
  await sql`UPDATE send_psbts SET check_at = expires_at`.execute(db);
  await sql`DROP INDEX send_psbts_open`.execute(db);
  await sql`CREATE INDEX send_psbts_open ON send_psbts (coin, mode, check_at) WHERE psbt IS NOT NULL`.execute(
    db,
  );
}
