import { sql, type Kysely } from 'kysely';

/** Payments whose money gathers confirmations are found without a walk; those that wait have `payments_due`. */
const STATEMENTS = [
  `CREATE INDEX payments_confirming ON payments (expires_at, id) WHERE status = 'confirming'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
