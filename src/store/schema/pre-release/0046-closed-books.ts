import { sql, type Kysely } from 'kysely';

/**
 * The moment up to which a merchant's books were read as a finished range. What earlier versions exported is not known;
 * their lines are before the newest line, which is a bound as well.
 */
const STATEMENTS = ['ALTER TABLE merchants ADD COLUMN books_closed_until INTEGER NOT NULL DEFAULT 0'];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
