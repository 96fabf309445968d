import { sql, type Kysely } from 'kysely';

/**
 * Watched accounts that are lists of addresses. A row of `watch_addresses` says to which payment its address went; none
 * is free again, and no confirmed list has an address of another one. Existing accounts are not lists.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE watch_accounts ADD COLUMN list_size INTEGER`.execute(db);
  await sql`CREATE TABLE watch_addresses (
    account_number INTEGER NOT NULL REFERENCES watch_accounts(number),
    idx INTEGER NOT NULL,
    coin TEXT NOT NULL,
    mode TEXT NOT NULL,
    watch_key TEXT NOT NULL,
    address TEXT NOT NULL,
    confirmed INTEGER NOT NULL DEFAULT 0,
    given_at INTEGER,
    payment_id TEXT REFERENCES payments(id),
    PRIMARY KEY (account_number, idx)
  ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE UNIQUE INDEX watch_addresses_once ON watch_addresses (coin, mode, watch_key)
    WHERE confirmed = 1`.execute(db);
  await sql`CREATE TRIGGER watch_addresses_given BEFORE UPDATE OF given_at ON watch_addresses
    WHEN OLD.given_at IS NOT NULL
  BEGIN
    SELECT RAISE(ABORT, 'an address of a watched list is given out once');
  END`.execute(db);
  await sql`CREATE TRIGGER watch_addresses_kept BEFORE DELETE ON watch_addresses WHEN OLD.confirmed = 1
  BEGIN
    SELECT RAISE(ABORT, 'an address of a confirmed list is kept');
  END`.execute(db);
  await sql`CREATE INDEX watch_lists ON watch_accounts (merchant_id, mode, coin)
    WHERE list_size IS NOT NULL AND starts_at IS NOT NULL`.execute(db);
}
