import { AppError } from '../../domain/errors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { authorizeMerchant } from './authorize-merchant.ts';

/**
 * A merchant that this user owns.
 * @throws {AppError} MERCHANT_NOT_FOUND, also for one of another account; FORBIDDEN for one that the user is
 * only a member of.
 */
export async function findOwnMerchant(db: Db, userId: string, merchantId: string): Promise<MerchantRow> {
  const { merchant, role } = await authorizeMerchant(db, userId, merchantId);
  if (role !== 'owner') throw new AppError('FORBIDDEN', 'Only the owner of the shop may do this');
  return merchant;
}
