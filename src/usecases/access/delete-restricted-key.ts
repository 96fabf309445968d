import { AppError } from '../../domain/errors.ts';
import { deleteRestrictedKey as deleteRow } from '../../store/merchants/restricted-keys.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findOwnMerchant } from './find-own-merchant.ts';

/**
 * Revokes a restricted key at once.
 * @throws {AppError} MERCHANT_NOT_FOUND, also for a merchant of another account; KEY_NOT_FOUND when it has no
 * such key.
 */
export async function deleteRestrictedKey(
  { db }: { readonly db: Db },
  input: { readonly userId: string; readonly merchantId: string; readonly keyId: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const merchant = await findOwnMerchant(tx, input.userId, input.merchantId);
    if (await deleteRow(tx, { merchantId: merchant.id, keyId: input.keyId })) return;
    throw new AppError('KEY_NOT_FOUND', 'No such restricted key');
  });
}
