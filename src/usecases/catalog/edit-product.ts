import { setShopsOfProduct } from '../../store/catalog/product-shops.ts';
import { updateProduct } from '../../store/catalog/products.ts';
import type { ProductRow } from '../../store/schema/catalog.ts';
import { chosenShops } from './choose-shops.ts';
import { auditCatalogChange, type CatalogActor, type CatalogDeps } from './audit-catalog-change.ts';
import { requireEditableProduct, sellingShops } from './selling-shops.ts';

/** Omitted fields stay unchanged; null clears a field. */
export interface EditProductInput {
  readonly by: CatalogActor;
  readonly productId: string;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  /** An inactive product cannot be paid for; its prices stay as they are. */
  readonly active?: boolean | undefined;
  /** The shops that sell it; null for all of the account. */
  readonly merchantIds?: readonly string[] | null | undefined;
}

/**
 * @throws {AppError} PRODUCT_NOT_FOUND, MERCHANT_NOT_FOUND, FORBIDDEN like requireEditableProduct and chosenShops
 */
export async function editProduct(deps: CatalogDeps, input: EditProductInput): Promise<ProductRow> {
  return deps.db.transaction(async (tx) => {
    const { by, merchantIds } = input;
    const { product, shops } = await requireEditableProduct(tx, by, input.productId);
    if (merchantIds !== undefined)
      await setShopsOfProduct(tx, product.id, await chosenShops(tx, by, merchantIds));
    const concerned = [...shops, ...(await sellingShops(tx, product))];
    const change = { action: 'PATCH /merchant/product/edit', objectId: product.id, shops: concerned };
    await auditCatalogChange(tx, deps, by, change);
    return updateProduct(tx, product.id, {
      name: input.name ?? product.name,
      description: input.description === undefined ? product.description : input.description,
      active: input.active ?? product.active,
      updatedAt: deps.clock.now(),
    });
  });
}
