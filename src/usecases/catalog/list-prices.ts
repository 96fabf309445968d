import type { Db } from '../../store/sqlite/database.ts';
import { listPrices as readPrices, type PriceFilter } from '../../store/catalog/prices.ts';
import type { PriceRow } from '../../store/schema/catalog.ts';

/** One page of the user's prices, newest first, with the exact total. */
export async function listPrices(
  deps: { readonly db: Db },
  filter: PriceFilter,
  page: { readonly page: number; readonly limit: number },
): Promise<{ rows: PriceRow[]; total: number }> {
  return readPrices(deps.db, filter, { limit: page.limit, offset: (page.page - 1) * page.limit });
}
