import { insertPrice } from '../../store/catalog/prices.ts';
import type { PriceRow } from '../../store/schema/catalog.ts';
import { newId } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { parsePrice } from './parse-price.ts';
import { auditCatalogChange, type CatalogActor, type CatalogDeps } from './audit-catalog-change.ts';
import { requireEditableProduct } from './selling-shops.ts';

export interface CreatePriceInput {
  readonly by: CatalogActor;
  readonly productId: string;
  /** Decimal string in the currency's unit. */
  readonly amount: string;
  /** ISO 4217 code, upper case. */
  readonly currency: string;
}

/**
 * Adds an active price to a product, active or not.
 * @throws {AppError} PRODUCT_NOT_FOUND, VALIDATION_INVALID (amount or currency), FORBIDDEN like
 * requireEditableProduct
 */
export async function createPrice(
  deps: CatalogDeps,
  input: CreatePriceInput,
  storeResult: StoreResult<PriceRow> = storeNoResult,
): Promise<PriceRow> {
  parsePrice(input);
  return deps.db.transaction(async (tx) => {
    const { by } = input;
    const { product, shops } = await requireEditableProduct(tx, by, input.productId);
    const now = deps.clock.now();
    const row: PriceRow = {
      id: newId('price_'),
      userId: by.userId,
      productId: product.id,
      amount: input.amount,
      currency: input.currency,
      active: true,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    await insertPrice(tx, row);
    await auditCatalogChange(tx, deps, by, {
      action: 'POST /merchant/price/create',
      objectId: row.id,
      shops,
    });
    await storeResult(tx, row);
    return row;
  });
}
