import { sql, type Kysely } from 'kysely';

/** Which block proves that a payer's transaction cannot be mined: it holds another spend of one of its inputs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('ALTER TABLE raw_transactions ADD COLUMN conflict_height INTEGER').execute(db);
}
