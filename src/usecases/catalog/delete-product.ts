import { deletePricesOfProduct } from '../../store/catalog/prices.ts';
import { updateProduct } from '../../store/catalog/products.ts';
import { auditCatalogChange, type CatalogActor, type CatalogDeps } from './audit-catalog-change.ts';
import { requireEditableProduct } from './selling-shops.ts';

/**
 * Deletes a product together with its prices. Payments made for it keep their reference.
 * @throws {AppError} PRODUCT_NOT_FOUND, FORBIDDEN like requireEditableProduct
 */
export async function deleteProduct(
  deps: CatalogDeps,
  input: { readonly by: CatalogActor; readonly productId: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { product, shops } = await requireEditableProduct(tx, input.by, input.productId);
    await auditCatalogChange(tx, deps, input.by, {
      action: 'DELETE /merchant/product/delete',
      objectId: product.id,
      shops,
    });
    const now = deps.clock.now();
    await updateProduct(tx, product.id, { deletedAt: now, updatedAt: now });
    await deletePricesOfProduct(tx, product.id, now);
  });
}
