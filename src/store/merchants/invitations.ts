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
    .where('merchant_id', '=', merchantId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
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
    .where('token_hash', '=', tokenHash)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Number of invitations created for a shop since a time, in any state. */
export async function countInvitationsSince(db: Db, merchantId: string, since: number): Promise<number> {
  const row = await db
    .selectFrom('invitations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('merchant_id', '=', merchantId)
    .where('created_at', '>', since)
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
    .set({ ended_at: which.now })
    .where('merchant_id', '=', which.merchantId)
    .where('ended_at', 'is', null);
  const chosen =
    'id' in which ? open.where('id', '=', which.id) : open.where('email_key', '=', which.emailKey);
  const result = await chosen.executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Ends every open invitation of a shop. */
export async function endInvitations(tx: Tx, merchantId: string, now: number): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ ended_at: now })
    .where('merchant_id', '=', merchantId)
    .where('ended_at', 'is', null)
    .execute();
}

/** Deletes invitations created before a time, up to a limit; returns how many. */
export async function deleteInvitationsBefore(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('invitations')
    .where('id', 'in', (eb) =>
      eb.selectFrom('invitations').select('id').where('created_at', '<', before).limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Ends an open invitation of any shop; false when there is none. */
export async function endInvitationById(tx: Tx, id: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('invitations')
    .set({ ended_at: now })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
