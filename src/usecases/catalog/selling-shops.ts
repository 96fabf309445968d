import type { Actor } from '../../domain/actor.ts';
import { AppError } from '../../domain/errors.ts';
import { roleGrants } from '../../domain/roles.ts';
import { addShopOfProduct, shopsOfProducts } from '../../store/catalog/product-shops.ts';
import { listMerchants } from '../../store/merchants/merchants.ts';
import type { PriceRow, ProductRow } from '../../store/schema/catalog.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { findOwnPrice } from './find-own-price.ts';
import { findOwnProduct } from './find-own-product.ts';

/**
 * The account whose catalog the caller acts on, and the only shop if restricted to one; null for the owner of
 * the account.
 */
export interface CatalogReach {
  readonly userId: string;
  readonly onlyMerchantId: string | null;
}

/** The shops that sell a product: those it names, or all of its account. */
export async function sellingShops(db: Db, { id, userId }: ProductRow): Promise<readonly string[]> {
  const named = (await shopsOfProducts(db, [id])).get(id);
  return named ?? (await listMerchants(db, userId)).map((merchant) => merchant.id);
}

/**
 * Whether a caller may change a product that these shops sell: a member or key of a shop may change only
 * products that this shop alone sells.
 */
export function mayChangeSoldBy({ onlyMerchantId }: CatalogReach, shops: readonly string[]): boolean {
  return onlyMerchantId === null || shops.every((shop) => shop === onlyMerchantId);
}

/** A product to change, or whose prices are to change. */
export interface ChangeableProduct {
  readonly product: ProductRow;
  /** The shops that sell it. */
  readonly shops: readonly string[];
}

/**
 * Checks every change of a product or its prices.
 * @throws {AppError} PRODUCT_NOT_FOUND; FORBIDDEN for a member or key of a shop that is not the only one to
 * sell it
 */
export async function requireEditableProduct(
  tx: Tx,
  reach: CatalogReach,
  productId: string,
): Promise<ChangeableProduct> {
  const product = await findOwnProduct(tx, reach.userId, productId);
  const shops = await sellingShops(tx, product);
  if (mayChangeSoldBy(reach, shops)) return { product, shops };
  const message = 'Other shops of the account sell this product, so only its owner can change it';
  const details = [{ field: 'productId', code: 'forbidden', message: 'is sold by other shops as well' }];
  throw new AppError('FORBIDDEN', message, { details });
}

/** A price to change. @throws {AppError} PRICE_NOT_FOUND, FORBIDDEN like requireEditableProduct */
export async function requireEditablePrice(
  tx: Tx,
  reach: CatalogReach,
  priceId: string,
): Promise<{ readonly price: PriceRow; readonly shops: readonly string[] }> {
  const price = await findOwnPrice(tx, reach.userId, priceId);
  const { shops } = await requireEditableProduct(tx, reach, price.productId);
  return { price, shops };
}

/**
 * Records that a shop sells a product whose shops are named: from then on members of the other shops cannot
 * change it alone. This never rejects a sale, and a sale by a payer, or by a caller who may not change the
 * catalog, does not restrict other shops.
 */
export async function recordSale(
  tx: Tx,
  { productId, merchantId, actor }: { productId: string; merchantId: string; actor: Actor },
): Promise<void> {
  if (!addsSeller(actor)) return;
  const named = (await shopsOfProducts(tx, [productId])).get(productId);
  if (named === undefined || named.includes(merchantId)) return;
  await addShopOfProduct(tx, productId, merchantId);
}

/** Any reader of a web page can sell with its public key, and the creator of a link has already sold. */
function addsSeller({ kind, role }: Actor): boolean {
  if (kind === 'public' || kind === 'link') return false;
  return role === null || roleGrants(role, 'catalog:write');
}
