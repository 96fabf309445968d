import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { deletePricesOfProduct } from '../../store/catalog/prices.ts';
import { updateProduct } from '../../store/catalog/products.ts';
import { findOwnProduct } from './find-own-product.ts';

/**
 * Deletes a product together with its prices. Payments made for it keep their reference.
 * @throws {AppError} PRODUCT_NOT_FOUND
 */
export async function deleteProduct(
  deps: { readonly db: Db; readonly clock: Clock },
  input: { readonly userId: string; readonly productId: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const product = await findOwnProduct(tx, input.userId, input.productId);
    const now = deps.clock.now();
    await updateProduct(tx, product.id, { deleted_at: now, updated_at: now });
    await deletePricesOfProduct(tx, product.id, now);
  });
}
