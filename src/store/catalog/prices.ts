import type { Db, Tx } from '../sqlite/database.ts';
import type { PriceRow } from '../schema/catalog.ts';

export async function insertPrice(tx: Tx, row: PriceRow): Promise<void> {
  await tx.insertInto('prices').values(row).execute();
}

/** A price of this user; deleted ones, and those of other users, are not found. */
export async function findUserPrice(db: Db, userId: string, id: string): Promise<PriceRow | undefined> {
  return db
    .selectFrom('prices')
    .selectAll()
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

export async function updatePrice(
  tx: Tx,
  id: string,
  changes: Partial<Pick<PriceRow, 'amount' | 'currency' | 'active' | 'deletedAt'>> & { updatedAt: number },
): Promise<PriceRow> {
  return tx.updateTable('prices').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** Deletes every price of a product that is being deleted. */
export async function deletePricesOfProduct(tx: Tx, productId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('prices')
    .set({ deletedAt: nowMs, updatedAt: nowMs })
    .where('productId', '=', productId)
    .where('deletedAt', 'is', null)
    .execute();
}

export interface PriceFilter {
  readonly userId: string;
  readonly productId?: string | undefined;
  readonly active?: boolean | undefined;
}

/** One page of a user's prices, newest first, with the exact total. */
export async function listPrices(
  db: Db,
  filter: PriceFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: PriceRow[]; total: number }> {
  let query = db.selectFrom('prices').where('userId', '=', filter.userId).where('deletedAt', 'is', null);
  if (filter.productId !== undefined) query = query.where('productId', '=', filter.productId);
  if (filter.active !== undefined) query = query.where('active', '=', filter.active);
  const rows = await query
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const counted = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: counted.total };
}

/** A price with the name of its product. */
export interface ListedPrice {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly product: string;
}

/** Prices by id, deleted ones as well. At most a few hundred ids at a time. */
export async function listedPrices(db: Db, ids: readonly string[]): Promise<ListedPrice[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('prices')
    .innerJoin('products', 'products.id', 'prices.productId')
    .select(['prices.id', 'prices.amount', 'prices.currency', 'products.name as product'])
    .where('prices.id', 'in', ids)
    .execute();
}
