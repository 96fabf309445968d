import type { Db, Tx } from '../sqlite/database.ts';
import type { DomainCheckRow } from '../schema/merchants.ts';

/** A merchant's domain verification; undefined while no method was chosen. */
export async function findDomainCheck(db: Db, merchantId: string): Promise<DomainCheckRow | undefined> {
  return db.selectFrom('domain_checks').selectAll().where('merchantId', '=', merchantId).executeTakeFirst();
}

/** Stores the whole row of a merchant. */
export async function saveDomainCheck(tx: Tx, row: DomainCheckRow): Promise<void> {
  const { merchantId: _, ...changes } = row;
  await tx
    .insertInto('domain_checks')
    .values(row)
    .onConflict((conflict) => conflict.column('merchantId').doUpdateSet(changes))
    .execute();
}

/**
 * Leases the due checks, longest due first, until `until`: a check whose result is never recorded is then due
 * again, and delays no other. Checks that were last run, or chosen, before the clock was set back are due.
 */
export async function leaseDueDomainChecks(
  tx: Tx,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<DomainCheckRow[]> {
  const due = await tx
    .selectFrom('domain_checks')
    .selectAll()
    .where('nextCheckAt', 'is not', null)
    .where((eb) =>
      eb.or([eb('nextCheckAt', '<=', now), eb(eb.fn.coalesce('checkedAt', 'chosenAt'), '>', now)]),
    )
    .orderBy('nextCheckAt')
    .orderBy('merchantId')
    .limit(limit)
    .execute();
  if (due.length === 0) return [];
  await tx
    .updateTable('domain_checks')
    .set({ nextCheckAt: until })
    .where(
      'merchantId',
      'in',
      due.map((row) => row.merchantId),
    )
    .execute();
  return due;
}
