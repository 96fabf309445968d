import { AppError } from '../../domain/errors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findMerchantOf } from '../../store/merchants/merchants.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';

/** A merchant of this user. @throws {AppError} MERCHANT_NOT_FOUND, also for one of another account. */
export async function findOwnMerchant(db: Db, userId: string, merchantId: string): Promise<MerchantRow> {
  const row = await findMerchantOf(db, userId, merchantId);
  if (row === undefined) throw new AppError('MERCHANT_NOT_FOUND', 'Merchant not found');
  return row;
}
