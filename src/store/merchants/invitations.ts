import type { InvitationRow } from '../schema/people.ts';
import type { Db, Tx } from '../sqlite/database.ts';

export async function insertInvitation(tx: Tx, row: InvitationRow): Promise<void> {
  await tx.insertInto('invitations').values(row).execute();
}

/** Invitations that can be accepted now, newest first. */
export async function listOpenInvitations(db: Db, merchantId: string, now: number): Promise<InvitationRow[]> {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', now)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute();
}

/** The invitation with this token, while it can be accepted. */
export async function findOpenInvitation(
  db: Db,
  tokenHash: string,
  now: number,
): Promise<InvitationRow | undefined> {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

/** Number of invitations created for a shop since a time, in any state. */
export async function countInvitationsSince(db: Db, merchantId: string, since: number): Promise<number> {
  const row = await db
    .selectFrom('invitations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('merchantId', '=', merchantId)
    .where('createdAt', '>', since)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Ends an open invitation of a shop. @returns false where there is none. */
export async function endInvitation(
  tx: Tx,
  which: { readonly merchantId: string; readonly now: number } & (
    { readonly id: string } | { readonly emailKey: string }
  ),
): Promise<boolean> {
  const open = tx
    .updateTable('invitations')
    .set({ endedAt: which.now })
    .where('merchantId', '=', which.merchantId)
    .where('endedAt', 'is', null);
  const chosen =
    'id' in which ? open.where('id', '=', which.id) : open.where('emailKey', '=', which.emailKey);
  const result = await chosen.executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Ends every open invitation of a shop. */
export async function endInvitations(tx: Tx, merchantId: string, now: number): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ endedAt: now })
    .where('merchantId', '=', merchantId)
    .where('endedAt', 'is', null)
    .execute();
}

/** Deletes invitations created before a time, up to a limit; returns how many. */
export async function deleteInvitationsBefore(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('invitations')
    .where('id', 'in', (eb) =>
      eb.selectFrom('invitations').select('id').where('createdAt', '<', before).limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Ends an open invitation of any shop; false when there is none. */
export async function endInvitationById(tx: Tx, id: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('invitations')
    .set({ endedAt: now })
    .where('id', '=', id)
    .where('endedAt', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
