import { updatePrice } from '../../store/catalog/prices.ts';
import { auditCatalogChange, type CatalogActor, type CatalogDeps } from './audit-catalog-change.ts';
import { requireEditablePrice } from './selling-shops.ts';

/**
 * Deletes a price. Payments made for it keep their reference.
 * @throws {AppError} PRICE_NOT_FOUND, FORBIDDEN like requireEditablePrice
 */
export async function deletePrice(
  deps: CatalogDeps,
  input: { readonly by: CatalogActor; readonly priceId: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { price, shops } = await requireEditablePrice(tx, input.by, input.priceId);
    await auditCatalogChange(tx, deps, input.by, {
      action: 'DELETE /merchant/price/delete',
      objectId: price.id,
      shops,
    });
    const now = deps.clock.now();
    await updatePrice(tx, price.id, { deletedAt: now, updatedAt: now });
  });
}
