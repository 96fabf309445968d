import type { RecurringInterval } from '../../domain/catalog.ts';
import { insertProduct } from '../../store/catalog/products.ts';
import type { ProductRow } from '../../store/schema/catalog.ts';
import { newId } from '../events/index.ts';
import { setShopsOfProduct } from '../../store/catalog/product-shops.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { chosenShops } from './choose-shops.ts';
import { auditCatalogChange, type CatalogActor, type CatalogDeps } from './audit-catalog-change.ts';
import { sellingShops } from './selling-shops.ts';

export interface CreateProductInput {
  readonly by: CatalogActor;
  readonly name: string;
  readonly description: string | null;
  /** Null for a product that is bought once. */
  readonly recurringInterval: RecurringInterval | null;
  /** The shops that sell it; null for all of the account. */
  readonly merchantIds?: readonly string[] | null | undefined;
}

/**
 * Adds an active product to the user's catalog. Unless its owner names the shops that sell it, that is the
 * shop of the request; without one, all shops of the account.
 * @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN like chosenShops
 */
export async function createProduct(
  deps: CatalogDeps,
  input: CreateProductInput,
  storeResult: StoreResult<ProductRow> = storeNoResult,
): Promise<ProductRow> {
  const { by } = input;
  const now = deps.clock.now();
  const row: ProductRow = {
    id: newId('prod_'),
    userId: by.userId,
    name: input.name,
    description: input.description,
    recurring: input.recurringInterval !== null,
    recurringInterval: input.recurringInterval,
    active: true,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
  await deps.db.transaction(async (tx) => {
    await insertProduct(tx, row);
    await setShopsOfProduct(tx, row.id, await firstShops(tx, input));
    const shops = await sellingShops(tx, row);
    await auditCatalogChange(tx, deps, by, {
      action: 'POST /merchant/product/create',
      objectId: row.id,
      shops,
    });
    await storeResult(tx, row);
  });
  return row;
}

async function firstShops(
  tx: Tx,
  { by, merchantIds }: CreateProductInput,
): Promise<readonly string[] | null> {
  if (merchantIds !== undefined) return chosenShops(tx, by, merchantIds);
  return by.shopId === null ? null : [by.shopId];
}
