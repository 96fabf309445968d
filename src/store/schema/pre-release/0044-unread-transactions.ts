import { type Kysely, sql } from 'kysely';

/** Transactions that the chain has and that could not be read. A database of an earlier version has none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `CREATE TABLE unread_transactions (
        coin TEXT NOT NULL, mode TEXT NOT NULL, txid TEXT NOT NULL, height INTEGER NOT NULL, watch_key TEXT, reason TEXT NOT NULL,
        unknown_version INTEGER NOT NULL CHECK (unknown_version IN (0, 1)), first_seen_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL, retry_at INTEGER NOT NULL, PRIMARY KEY (coin, mode, txid)) STRICT, WITHOUT ROWID`,
    )
    .execute(db);
}
