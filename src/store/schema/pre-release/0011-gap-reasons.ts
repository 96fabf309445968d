import { sql, type Kysely } from 'kysely';

/** Why blocks were not read; those that an operator skipped were kept in `meta`, as `skipped.COIN.MODE`. */
const STATEMENTS = [
  `ALTER TABLE chain_gaps ADD COLUMN reason TEXT NOT NULL DEFAULT 'lost' CHECK (reason IN ('lost', 'skipped'))`,
  `INSERT INTO chain_gaps (coin, mode, after_height, before_height, found_at, reason)
    SELECT value ->> 'coin', value ->> 'mode', (value ->> 'from') - 1, (value ->> 'to') + 1,
      coalesce((SELECT CAST(last.value AS INTEGER) FROM meta AS last WHERE last.key = 'last_' || replace(meta.key, 'skipped.', 'skip.')), 0),
      'skipped'
    FROM meta WHERE key LIKE 'skipped.%'
    ON CONFLICT DO UPDATE SET before_height = max(before_height, excluded.before_height), reason = 'skipped'`,
  `DELETE FROM meta WHERE key LIKE 'skipped.%'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
