import { sql, type Kysely } from 'kysely';

/** Live addresses that a restore reserved and that are not derived and watched yet. */
const STATEMENTS = [
  `CREATE TABLE look_ahead_ranges (
    id INTEGER PRIMARY KEY, merchant_id TEXT NOT NULL REFERENCES merchants(id),
    coin TEXT NOT NULL, branch INTEGER NOT NULL CHECK (branch IN (0, 1)),
    next_index INTEGER NOT NULL, until_index INTEGER NOT NULL, created_at INTEGER NOT NULL) STRICT`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
