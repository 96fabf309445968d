import { sql, type Kysely } from 'kysely';

/** Labels of transactions, addresses and outputs that a shop imported (BIP 329). No existing row has one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE wallet_labels (
    merchant_id TEXT NOT NULL REFERENCES merchants(id),
    coin TEXT NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('tx', 'addr', 'output')),
    ref TEXT NOT NULL,
    label TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (merchant_id, coin, mode, kind, ref)
  ) STRICT, WITHOUT ROWID`.execute(db);
}
