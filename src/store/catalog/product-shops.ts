import type { Db, Tx } from '../sqlite/database.ts';

/** The shops that sell each of these products; absent for a product sold by all shops of its account. */
export async function shopsOfProducts(
  db: Db,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (productIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('product_shops')
    .selectAll()
    .where('productId', 'in', productIds)
    .orderBy('merchantId')
    .execute();
  const byProduct = Map.groupBy(rows, (row) => row.productId);
  return new Map([...byProduct].map(([id, shops]) => [id, shops.map((shop) => shop.merchantId)]));
}

/** Replaces the shops that sell a product. @param merchantIds null for all of the account */
export async function setShopsOfProduct(
  tx: Tx,
  productId: string,
  merchantIds: readonly string[] | null,
): Promise<void> {
  await tx.deleteFrom('product_shops').where('productId', '=', productId).execute();
  if (merchantIds === null) return;
  const rows = merchantIds.map((merchantId) => ({ productId, merchantId }));
  await tx.insertInto('product_shops').values(rows).execute();
}

/** Adds a seller of a product. */
export async function addShopOfProduct(tx: Tx, productId: string, merchantId: string): Promise<void> {
  await tx
    .insertInto('product_shops')
    .values({ productId, merchantId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
