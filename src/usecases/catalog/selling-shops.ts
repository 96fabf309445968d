import type { Actor } from '../../domain/actor.ts';
import { AppError } from '../../domain/errors.ts';
import { roleGrants } from '../../domain/roles.ts';
import { addShopOfProduct, shopsOfProducts } from '../../store/catalog/product-shops.ts';
import { listMerchants } from '../../store/merchants/merchants.ts';
import type { PriceRow, ProductRow } from '../../store/schema/catalog.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { findOwnPrice } from './find-own-price.ts';
import { findOwnProduct } from './find-own-product.ts';

/** In whose account somebody acts on the catalog, and for which shop alone; null for the owner of the account. */
export interface CatalogReach {
  readonly userId: string;
  readonly onlyMerchantId: string | null;
}

/** The shops that sell a product: those it names, or all of its account. */
export async function sellingShops(db: Db, { id, user_id: userId }: ProductRow): Promise<readonly string[]> {
  const named = (await shopsOfProducts(db, [id])).get(id);
  return named ?? (await listMerchants(db, userId)).map((merchant) => merchant.id);
}

/** Whether somebody may change a product that these shops sell: a member or key of a shop only what it alone sells. */
export function mayChangeSoldBy({ onlyMerchantId }: CatalogReach, shops: readonly string[]): boolean {
  return onlyMerchantId === null || shops.every((shop) => shop === onlyMerchantId);
}

/** A product of the catalog that is about to be changed, or whose prices are. */
export interface ChangeableProduct {
  readonly product: ProductRow;
  /** The shops that sell it. */
  readonly shops: readonly string[];
}

/**
 * Every change of a product or its prices begins here.
 * @throws {AppError} PRODUCT_NOT_FOUND; FORBIDDEN for a member or key of a shop that is not the only one to sell it
 */
export async function changeableProduct(
  tx: Tx,
  reach: CatalogReach,
  productId: string,
): Promise<ChangeableProduct> {
  const product = await findOwnProduct(tx, reach.userId, productId);
  const shops = await sellingShops(tx, product);
  if (mayChangeSoldBy(reach, shops)) return { product, shops };
  const message = 'Other shops of the account sell this product: only its owner changes it';
  const details = [{ field: 'productId', code: 'forbidden', message: 'is sold by other shops as well' }];
  throw new AppError('FORBIDDEN', message, { details });
}

/** A price that is about to be changed. @throws {AppError} PRICE_NOT_FOUND, FORBIDDEN as changeableProduct does */
export async function changeablePrice(
  tx: Tx,
  reach: CatalogReach,
  priceId: string,
): Promise<{ readonly price: PriceRow; readonly shops: readonly string[] }> {
  const price = await findOwnPrice(tx, reach.userId, priceId);
  const { shops } = await changeableProduct(tx, reach, price.product_id);
  return { price, shops };
}

/**
 * Notes that a shop sells a product, where its shops are named: from then on the members of the others do not change
 * it alone any more. A sale is never refused for it, and one by a payer, or by somebody who may not change the catalog,
 * takes nothing from others.
 */
export async function noteSale(
  tx: Tx,
  { productId, merchantId, actor }: { productId: string; merchantId: string; actor: Actor },
): Promise<void> {
  if (!addsSeller(actor)) return;
  const named = (await shopsOfProducts(tx, [productId])).get(productId);
  if (named === undefined || named.includes(merchantId)) return;
  await addShopOfProduct(tx, productId, merchantId);
}

/** Whoever has read a public key in a web page may sell by it, and a link's maker has sold already. */
function addsSeller({ kind, role }: Actor): boolean {
  if (kind === 'public' || kind === 'link') return false;
  return role === null || roleGrants(role, 'catalog:write');
}
