import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import { findPayment, type StoredPayment } from './payments.ts';

/** A group is the payments of one order that renew each other, named by the first of them. */
const ofGroup = prepared((db, param: ParamOf<{ groupId: string }>) =>
  db
    .selectFrom('payments')
    .selectAll()
    .where('group_id', '=', param('groupId'))
    .orderBy('created_at')
    .orderBy('id'),
);

/**
 * The other payments of its group, oldest first. Needs no statement for the many payments that were never
 * renewed.
 */
export async function otherMembers(
  db: Db,
  { id, group_id: groupId }: Pick<StoredPayment, 'id' | 'group_id'>,
): Promise<StoredPayment[]> {
  if (groupId === null) return [];
  return (await ofGroup(db, { groupId })).filter((member) => member.id !== id);
}

/** Creates a group for the first payment that is renewed, or finds its existing one. @returns its id */
export async function joinGroup(tx: Tx, renewed: StoredPayment): Promise<string> {
  if (renewed.group_id !== null) return renewed.group_id;
  await tx.updateTable('payments').set({ group_id: renewed.id }).where('id', '=', renewed.id).execute();
  return renewed.id;
}

/** When the first payment of its group expired; its own expiry outside a group. */
export async function firstExpiry(
  db: Db,
  { group_id: groupId, expires_at: expiresAt }: StoredPayment,
): Promise<number> {
  const first = groupId === null ? undefined : await findPayment(db, groupId);
  return first?.expires_at ?? expiresAt;
}

/**
 * Whether this payment decides about its order: no later one was created for it, and none is open, completed
 * or undecided because of late money.
 */
export async function isLastOfOrder(db: Db, payment: StoredPayment): Promise<boolean> {
  const { id, merchant_id, mode, order_id, created_at } = payment;
  const other = await db
    .selectFrom('payments')
    .select('id')
    .where('merchant_id', '=', merchant_id)
    .where('mode', '=', mode)
    .where('order_id', '=', order_id)
    .where('id', '!=', id)
    .where((eb) =>
      eb.or([
        eb('created_at', '>=', created_at),
        eb('status', 'not in', ['expired', 'cancelled']),
        eb('exception', 'is not', null),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}
