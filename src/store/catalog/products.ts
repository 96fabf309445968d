import type { Db, Tx } from '../sqlite/database.ts';
import type { ProductRow } from '../schema/catalog.ts';

export async function insertProduct(tx: Tx, row: ProductRow): Promise<void> {
  await tx.insertInto('products').values(row).execute();
}

/** A product of this user; deleted ones, and those of other users, are not found. */
export async function findUserProduct(db: Db, userId: string, id: string): Promise<ProductRow | undefined> {
  return db
    .selectFrom('products')
    .selectAll()
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

export async function updateProduct(
  tx: Tx,
  id: string,
  changes: Partial<Pick<ProductRow, 'name' | 'description' | 'active' | 'deletedAt'>> & {
    updatedAt: number;
  },
): Promise<ProductRow> {
  return tx
    .updateTable('products')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export interface ProductFilter {
  readonly userId: string;
  readonly active?: boolean | undefined;
}

/** One page of a user's products, newest first, with the exact total. */
export async function listProducts(
  db: Db,
  filter: ProductFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: ProductRow[]; total: number }> {
  let query = db.selectFrom('products').where('userId', '=', filter.userId).where('deletedAt', 'is', null);
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
