import { AppError } from '../../domain/errors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findUserPrice } from '../../store/catalog/prices.ts';
import type { PriceRow } from '../../store/schema/catalog.ts';

/** @throws {AppError} PRICE_NOT_FOUND, also for a deleted price and one of another account. */
export async function findOwnPrice(db: Db, userId: string, priceId: string): Promise<PriceRow> {
  const price = await findUserPrice(db, userId, priceId);
  if (price === undefined) throw new AppError('PRICE_NOT_FOUND', 'Price not found');
  return price;
}
