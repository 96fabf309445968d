import type { MemberRole } from '../../domain/roles.ts';
import type { MerchantRow } from '../schema/merchants.ts';
import type { MemberRow } from '../schema/people.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** The role of a member of a shop; the owner is not a member. */
export async function memberRole(db: Db, merchantId: string, userId: string): Promise<MemberRole | null> {
  const row = await db
    .selectFrom('members')
    .select('role')
    .where('merchant_id', '=', merchantId)
    .where('user_id', '=', userId)
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
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.user_id as userId', 'users.email', 'members.role', 'members.created_at as createdAt'])
    .where('members.merchant_id', '=', merchantId)
    .orderBy('members.created_at')
    .orderBy('members.user_id')
    .execute();
}

/** Shops of other users that a user is a member of, newest first. */
export async function shopsOfMember(
  db: Db,
  userId: string,
): Promise<{ readonly merchant: MerchantRow; readonly role: MemberRole }[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('merchants', 'merchants.id', 'members.merchant_id')
    .selectAll('merchants')
    .select('members.role as member_role')
    .where('members.user_id', '=', userId)
    .orderBy('merchants.created_at', 'desc')
    .orderBy('merchants.id', 'desc')
    .execute();
  return rows.map(({ member_role: role, ...merchant }) => ({ merchant, role }));
}

/** Adds a member, or changes a member's role. */
export async function upsertMember(tx: Tx, row: MemberRow): Promise<void> {
  await tx
    .insertInto('members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['merchant_id', 'user_id']).doUpdateSet({ role: row.role }))
    .execute();
}

/** @returns false when the user is not a member. */
export async function changeMemberRole(
  tx: Tx,
  { merchant_id: merchantId, user_id: userId, role }: Omit<MemberRow, 'created_at'>,
): Promise<boolean> {
  const result = await tx
    .updateTable('members')
    .set({ role })
    .where('merchant_id', '=', merchantId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** @returns false when the user is not a member. */
export async function deleteMember(tx: Tx, merchantId: string, userId: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('members')
    .where('merchant_id', '=', merchantId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Ends every membership of a user in shops of other users; returns how many. */
export async function deleteMemberships(tx: Tx, userId: string): Promise<number> {
  const result = await tx.deleteFrom('members').where('user_id', '=', userId).executeTakeFirst();
  return Number(result.numDeletedRows);
}
