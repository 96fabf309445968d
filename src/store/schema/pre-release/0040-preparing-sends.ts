import { sql, type Kysely } from 'kysely';

/**
 * Sends that gather their outputs by parts before they are signed: status `preparing`, without a transaction until then.
 * `part_of`: the send that a move within the wallet gathers for; of that one, how many parts are planned and mined, and
 * what they cost. `ordered_rate`: the fee rate that was ordered for all of them.
 *
 * Rows filled in: earlier sends keep their status and transaction, and have no parts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows: indexes } = await sql<{ name: string; sql: string }>`
    SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'sends' AND sql LIKE '%status%'`.execute(
    db,
  );
  for (const { name } of indexes) await sql`DROP INDEX ${sql.id(name)}`.execute(db);
  for (const statement of COLUMNS) await sql.raw(statement).execute(db);
  for (const { sql: statement } of indexes) await sql.raw(statement).execute(db);
  for (const statement of INDEXES) await sql.raw(statement).execute(db);
}

const COLUMNS = [
  // SQLite cannot change a constraint: a new column takes the place of the old one.
  `ALTER TABLE sends ADD COLUMN new_status TEXT NOT NULL DEFAULT 'signed'
    CHECK (new_status IN ('preparing', 'signed', 'broadcast', 'confirmed', 'failed'))`,
  `ALTER TABLE sends ADD COLUMN new_txid TEXT`,
  `UPDATE sends SET new_status = status, new_txid = txid`,
  `ALTER TABLE sends DROP COLUMN status`,
  `ALTER TABLE sends DROP COLUMN txid`,
  `ALTER TABLE sends RENAME COLUMN new_status TO status`,
  `ALTER TABLE sends RENAME COLUMN new_txid TO txid`,
  `ALTER TABLE sends ADD COLUMN part_of TEXT REFERENCES sends(id)`,
  `ALTER TABLE sends ADD COLUMN parts INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE sends ADD COLUMN parts_confirmed INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE sends ADD COLUMN parts_fee TEXT NOT NULL DEFAULT '0'`,
  `ALTER TABLE sends ADD COLUMN ordered_rate TEXT`,
];

const INDEXES = [
  `CREATE INDEX sends_preparing ON sends (coin, mode, next_broadcast_at) WHERE status = 'preparing'`,
  `CREATE INDEX sends_by_whole ON sends (part_of) WHERE part_of IS NOT NULL`,
];
