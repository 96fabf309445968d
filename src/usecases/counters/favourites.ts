import { AppError, invalidField } from '../../domain/errors.ts';
import { findUserPrice } from '../../store/catalog/prices.ts';
import { findUserProduct } from '../../store/catalog/products.ts';
import type { PriceRow, ProductRow } from '../../store/schema/catalog.ts';
import type { CounterRow } from '../../store/schema/counters.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** A price of the catalog that a counter offers as a key. */
export interface Favourite {
  readonly priceId: string;
  readonly name: string;
  readonly amount: string;
}

type Counter = Pick<CounterRow, 'currency' | 'favouritesJson'>;

/** The favourites of a counter that can be sold now, in their order. @param userId owner of the shop */
export async function listFavourites(db: Db, userId: string, counter: Counter): Promise<Favourite[]> {
  const favourites: Favourite[] = [];
  for (const id of parseFavourites(counter)) {
    const found = await findSale(db, userId, id);
    if (found === null || describeProblem(found, counter.currency) !== null) continue;
    favourites.push({ priceId: id, name: found.product.name, amount: found.price.amount });
  }
  return favourites;
}

export function parseFavourites({ favouritesJson }: Pick<Counter, 'favouritesJson'>): string[] {
  return JSON.parse(favouritesJson) as string[];
}

/** @throws {AppError} PRICE_NOT_FOUND, VALIDATION_INVALID naming the favourite */
export async function assertFavourites(
  db: Db,
  userId: string,
  { currency, priceIds }: { readonly currency: string; readonly priceIds: readonly string[] },
): Promise<void> {
  for (const [index, id] of priceIds.entries()) {
    const found = await findSale(db, userId, id);
    if (found === null) throw new AppError('PRICE_NOT_FOUND', `favourites[${index}]: no such price`);
    const problem = describeProblem(found, currency);
    if (problem !== null) throw invalidField(`favourites[${index}]`, problem);
  }
}

interface Sale {
  readonly price: PriceRow;
  readonly product: ProductRow;
}

async function findSale(db: Db, userId: string, priceId: string): Promise<Sale | null> {
  const price = await findUserPrice(db, userId, priceId);
  const product = price === undefined ? undefined : await findUserProduct(db, userId, price.productId);
  return price === undefined || product === undefined ? null : { price, product };
}

/** Why a counter cannot sell it; null if it can. */
function describeProblem({ price, product }: Sale, currency: string): string | null {
  if (!price.active || !product.active) return 'is not active';
  if (product.recurring) return 'is the price of a subscription';
  return price.currency === currency ? null : `is in ${price.currency}, and the counter in ${currency}`;
}
