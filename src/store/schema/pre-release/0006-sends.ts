import { sql, type Kysely } from 'kysely';

/**
 * Sends with a fee limit, a note and their own unconfirmed change; replacements that take a send back;
 * outputs that are not to be spent; and what the network last asked as a fee.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  // `amount: "max"`: everything spendable was ordered.
  `ALTER TABLE sends ADD COLUMN everything INTEGER NOT NULL DEFAULT 0`,
  // Atoms; null: a share of the amount.
  `ALTER TABLE sends ADD COLUMN max_fee TEXT`,
  `ALTER TABLE sends ADD COLUMN note TEXT`,
  // Position of the output that comes back to the wallet; null where there is none.
  `ALTER TABLE send_versions ADD COLUMN change_index INTEGER`,
  // Pays everything back to the wallet instead of the destination.
  `ALTER TABLE send_versions ADD COLUMN cancels INTEGER NOT NULL DEFAULT 0`,
  `CREATE TABLE frozen_outputs (
    coin TEXT NOT NULL, mode TEXT NOT NULL, txid TEXT NOT NULL, vout INTEGER NOT NULL, frozen_at INTEGER NOT NULL,
    PRIMARY KEY (coin, mode, txid, vout)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE fee_levels (
    coin TEXT NOT NULL, mode TEXT NOT NULL, rate TEXT NOT NULL, input_cost TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (coin, mode)) STRICT, WITHOUT ROWID`,
  // With the outpoint, so that frozen outputs are left out without reading the rows.
  `DROP INDEX outputs_spendable`,
  `CREATE INDEX outputs_spendable
    ON outputs (merchant_id, coin, mode, height, maturity, amount, state, spent_by, send_id, txid, vout)
    WHERE state = 'confirmed' AND spent_by IS NULL AND send_id IS NULL`,
];
