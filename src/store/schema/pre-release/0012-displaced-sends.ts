import { sql, type Kysely } from 'kysely';

/** Since which block the chain proves that a send cannot be mined: it fails only once that block is deep. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('ALTER TABLE sends ADD COLUMN displaced_height INTEGER').execute(db);
}
