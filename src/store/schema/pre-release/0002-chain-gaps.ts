import { sql, type Kysely } from 'kysely';

/** Blocks that no node has shown and that the scan went past: money that came in there may be missing in the ledger. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `CREATE TABLE chain_gaps (
        coin TEXT NOT NULL, mode TEXT NOT NULL, after_height INTEGER NOT NULL, before_height INTEGER NOT NULL,
        found_at INTEGER NOT NULL, PRIMARY KEY (coin, mode, after_height)) STRICT, WITHOUT ROWID`,
    )
    .execute(db);
}
