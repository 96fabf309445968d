import { AppError } from '../../domain/errors.ts';
import { listMerchants } from '../../store/merchants/merchants.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import type { CatalogActor } from './audit-catalog-change.ts';

/**
 * The shops that an owner chose to sell a product.
 * @param wanted null for all of the account
 * @throws {AppError} FORBIDDEN for users other than the owner; MERCHANT_NOT_FOUND for a shop of another
 * account
 */
export async function chosenShops(
  tx: Tx,
  { userId, onlyMerchantId }: CatalogActor,
  wanted: readonly string[] | null,
): Promise<readonly string[] | null> {
  if (onlyMerchantId !== null) {
    const details = [{ field: 'merchantIds', code: 'forbidden', message: 'is chosen by the owner' }];
    throw new AppError('FORBIDDEN', 'Only the owner of the account can choose which shops sell a product', {
      details,
    });
  }
  if (wanted === null) return null;
  const shopIds = new Set((await listMerchants(tx, userId)).map(({ id }) => id));
  if (!wanted.every((id) => shopIds.has(id))) throw new AppError('MERCHANT_NOT_FOUND', 'Merchant not found');
  return [...new Set(wanted)];
}
