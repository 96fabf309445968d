import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { updateProduct } from '../../store/catalog/products.ts';
import type { ProductRow } from '../../store/schema/catalog.ts';
import { findOwnProduct } from './find-own-product.ts';

/** What is left out stays as it is; null clears. */
export interface EditProductInput {
  readonly userId: string;
  readonly productId: string;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  /** An inactive product cannot be paid for; its prices stay as they are. */
  readonly active?: boolean | undefined;
}

/** @throws {AppError} PRODUCT_NOT_FOUND */
export async function editProduct(
  deps: { readonly db: Db; readonly clock: Clock },
  input: EditProductInput,
): Promise<ProductRow> {
  return deps.db.transaction(async (tx) => {
    const product = await findOwnProduct(tx, input.userId, input.productId);
    return updateProduct(tx, product.id, {
      name: input.name ?? product.name,
      description: input.description === undefined ? product.description : input.description,
      active: input.active === undefined ? product.active : input.active ? 1 : 0,
      updated_at: deps.clock.now(),
    });
  });
}
