import type { RevocationKind, RevocationRow } from './schema/accounts.ts';
import type { Db, Tx } from './sqlite/database.ts';

/** A revocation in the form that also exists outside the database. */
export type Revocation = Omit<RevocationRow, 'seq'>;

/**
 * Records revocations that triggers of the schema cannot detect: a changed password is a hash like one
 * renewed at another cost.
 */
export async function recordRevocation(tx: Tx, row: Omit<Revocation, 'id'> & { id: string }): Promise<void> {
  await tx.insertInto('revocations').values(row).execute();
}

/** Revocations after a sequence number, oldest first. */
export async function revocationsAfter(db: Db, seq: number, limit: number): Promise<RevocationRow[]> {
  return db
    .selectFrom('revocations')
    .selectAll()
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

/** The subset of these that the database already contains. */
export async function knownRevocations(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('revocations')
    .select('id')
    .where('id', 'in', [...ids])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Deletes revocations of sessions that have expired since; returns how many. */
export async function deleteSessionRevocations(db: Db, before: number): Promise<number> {
  const result = await db
    .deleteFrom('revocations')
    .where('kind', '=', 'session' satisfies RevocationKind)
    .where('at', '<', before)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** All of them, oldest first: some hundred bytes each, and those of sessions expire. */
export async function allRevocations(db: Db): Promise<RevocationRow[]> {
  return db.selectFrom('revocations').selectAll().orderBy('seq').execute();
}
