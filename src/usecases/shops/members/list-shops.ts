import type { Role } from '../../../domain/roles.ts';
import { shopsOfMember } from '../../../store/merchants/members.ts';
import { listMerchants } from '../../../store/merchants/merchants.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import type { Reached } from '../../access/index.ts';

const OWNER: Role = 'owner';

/**
 * The shops that a caller may see: those of the account, newest first, then those that a user is a member of;
 * only one with `only`.
 */
export async function listShops(
  db: Db,
  by: {
    readonly via: 'jwt' | 'secret' | 'restricted';
    readonly userId: string;
    readonly memberId: string | null;
    readonly onlyMerchantId: string | null;
  },
): Promise<Reached[]> {
  if (by.memberId !== null) return chosen(await shopsOfMember(db, by.memberId), by.onlyMerchantId);
  const owned = (await listMerchants(db, by.userId)).map((merchant) => ({ merchant, role: OWNER }));
  const others = by.via === 'jwt' ? await shopsOfMember(db, by.userId) : [];
  return chosen([...owned, ...others], by.onlyMerchantId);
}

function chosen(shops: readonly Reached[], only: string | null): Reached[] {
  return shops.filter(({ merchant }) => only === null || merchant.id === only);
}
