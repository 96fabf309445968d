import type { MemberRole } from '../../domain/roles.ts';
import type { MerchantRow } from '../schema/merchants.ts';
import type { MemberRow } from '../schema/people.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** The role of a member of a shop; the owner is not a member. */
export async function memberRole(db: Db, merchantId: string, userId: string): Promise<MemberRole | null> {
  const row = await db
    .selectFrom('members')
    .select('role')
    .where('merchantId', '=', merchantId)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return row?.role ?? null;
}

export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly createdAt: number;
}

/** The members of a shop, the longest-standing first. */
export async function listMembers(db: Db, merchantId: string): Promise<Member[]> {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .select(['members.userId as userId', 'users.email', 'members.role', 'members.createdAt as createdAt'])
    .where('members.merchantId', '=', merchantId)
    .orderBy('members.createdAt')
    .orderBy('members.userId')
    .execute();
}

/** Shops of other users that a user is a member of, newest first. */
export async function shopsOfMember(
  db: Db,
  userId: string,
): Promise<{ readonly merchant: MerchantRow; readonly role: MemberRole }[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('merchants', 'merchants.id', 'members.merchantId')
    .selectAll('merchants')
    .select('members.role as memberRole')
    .where('members.userId', '=', userId)
    .orderBy('merchants.createdAt', 'desc')
    .orderBy('merchants.id', 'desc')
    .execute();
  return rows.map(({ memberRole: role, ...merchant }) => ({ merchant, role }));
}

/** Adds a member, or changes a member's role. */
export async function upsertMember(tx: Tx, row: MemberRow): Promise<void> {
  await tx
    .insertInto('members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['merchantId', 'userId']).doUpdateSet({ role: row.role }))
    .execute();
}

/** @returns false when the user is not a member. */
export async function changeMemberRole(
  tx: Tx,
  { merchantId, userId, role }: Omit<MemberRow, 'createdAt'>,
): Promise<boolean> {
  const result = await tx
    .updateTable('members')
    .set({ role })
    .where('merchantId', '=', merchantId)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** @returns false when the user is not a member. */
export async function deleteMember(tx: Tx, merchantId: string, userId: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('members')
    .where('merchantId', '=', merchantId)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Ends every membership of a user in shops of other users; returns how many. */
export async function deleteMemberships(tx: Tx, userId: string): Promise<number> {
  const result = await tx.deleteFrom('members').where('userId', '=', userId).executeTakeFirst();
  return Number(result.numDeletedRows);
}
