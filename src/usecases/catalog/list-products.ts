import type { Db } from '../../store/sqlite/database.ts';
import { listProducts as readProducts, type ProductFilter } from '../../store/catalog/products.ts';
import type { ProductRow } from '../../store/schema/catalog.ts';

/** One page of the user's products, newest first, with the exact total. */
export async function listProducts(
  deps: { readonly db: Db },
  filter: ProductFilter,
  page: { readonly page: number; readonly limit: number },
): Promise<{ rows: ProductRow[]; total: number }> {
  return readProducts(deps.db, filter, { limit: page.limit, offset: (page.page - 1) * page.limit });
}
