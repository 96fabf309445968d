import { AppError } from '../../domain/errors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findUserProduct } from '../../store/catalog/products.ts';
import type { ProductRow } from '../../store/schema/catalog.ts';

/** @throws {AppError} PRODUCT_NOT_FOUND, also for a deleted product and one of another account. */
export async function findOwnProduct(db: Db, userId: string, productId: string): Promise<ProductRow> {
  const product = await findUserProduct(db, userId, productId);
  if (product === undefined) throw new AppError('PRODUCT_NOT_FOUND', 'Product not found');
  return product;
}
