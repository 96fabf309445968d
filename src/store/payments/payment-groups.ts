import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import { findPayment, type StoredPayment } from './payments.ts';

/** A group is the payments of one order that renew each other, named by the first of them. */
const ofGroup = prepared((db, param: ParamOf<{ groupId: string }>) =>
  db
    .selectFrom('payments')
    .selectAll()
    .where('groupId', '=', param('groupId'))
    .orderBy('createdAt')
    .orderBy('id'),
);

/**
 * The other payments of its group, oldest first. Needs no statement for the many payments that were never
 * renewed.
 */
export async function otherMembers(
  db: Db,
  { id, groupId }: Pick<StoredPayment, 'id' | 'groupId'>,
): Promise<StoredPayment[]> {
  if (groupId === null) return [];
  return (await ofGroup(db, { groupId })).filter((member) => member.id !== id);
}

/** Creates a group for the first payment that is renewed, or finds its existing one. @returns its id */
export async function joinGroup(tx: Tx, renewed: StoredPayment): Promise<string> {
  if (renewed.groupId !== null) return renewed.groupId;
  await tx.updateTable('payments').set({ groupId: renewed.id }).where('id', '=', renewed.id).execute();
  return renewed.id;
}

/** When the first payment of its group expired; its own expiry outside a group. */
export async function firstExpiry(db: Db, { groupId, expiresAt }: StoredPayment): Promise<number> {
  const first = groupId === null ? undefined : await findPayment(db, groupId);
  return first?.expiresAt ?? expiresAt;
}

/**
 * Whether this payment decides about its order: no later one was created for it, and none is open, completed
 * or undecided because of late money.
 */
export async function isLastOfOrder(db: Db, payment: StoredPayment): Promise<boolean> {
  const { id, merchantId, mode, orderId, createdAt } = payment;
  const other = await db
    .selectFrom('payments')
    .select('id')
    .where('merchantId', '=', merchantId)
    .where('mode', '=', mode)
    .where('orderId', '=', orderId)
    .where('id', '!=', id)
    .where((eb) =>
      eb.or([
        eb('createdAt', '>=', createdAt),
        eb('status', 'not in', ['expired', 'cancelled']),
        eb('exception', '=', 'late'),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}
