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
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

export async function updatePrice(
  tx: Tx,
  id: string,
  changes: Partial<Pick<PriceRow, 'amount' | 'currency' | 'active' | 'deleted_at'>> & { updated_at: number },
): Promise<PriceRow> {
  return tx.updateTable('prices').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** Deletes every price of a product that is being deleted. */
export async function deletePricesOfProduct(tx: Tx, productId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('prices')
    .set({ deleted_at: nowMs, updated_at: nowMs })
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
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
  let query = db.selectFrom('prices').where('user_id', '=', filter.userId).where('deleted_at', 'is', null);
  if (filter.productId !== undefined) query = query.where('product_id', '=', filter.productId);
  if (filter.active !== undefined) query = query.where('active', '=', filter.active ? 1 : 0);
  const rows = await query
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const counted = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: counted.total };
}
