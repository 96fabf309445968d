import { sql, type Kysely } from 'kysely';

/**
 * Since when an expired send waits for money that pays for signing it again. Null in all existing rows: their wait begins
 * when that is next found, and not at the age of the transaction, which says nothing about it.
 */
const STATEMENTS = ['ALTER TABLE sends ADD COLUMN unfunded_since INTEGER'];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
