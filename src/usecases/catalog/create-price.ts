import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { insertPrice } from '../../store/catalog/prices.ts';
import type { PriceRow } from '../../store/schema/catalog.ts';
import { newId } from '../events/new-id.ts';
import { keepNothing, type KeepMade } from '../keep-answer.ts';
import { fiatMinorUnits } from './fiat-minor-units.ts';
import { findOwnProduct } from './find-own-product.ts';

export interface CreatePriceInput {
  readonly userId: string;
  readonly productId: string;
  /** Decimal string in the currency's unit. */
  readonly amount: string;
  /** ISO 4217 code, upper case. */
  readonly currency: string;
}

/**
 * Adds an active price to a product, active or not.
 * @throws {AppError} PRODUCT_NOT_FOUND, VALIDATION_INVALID (amount or currency)
 */
export async function createPrice(
  deps: { readonly db: Db; readonly clock: Clock },
  input: CreatePriceInput,
  keep: KeepMade<PriceRow> = keepNothing,
): Promise<PriceRow> {
  fiatMinorUnits(input);
  return deps.db.transaction(async (tx) => {
    const product = await findOwnProduct(tx, input.userId, input.productId);
    const now = deps.clock.now();
    const row: PriceRow = {
      id: newId('price_'),
      user_id: input.userId,
      product_id: product.id,
      amount: input.amount,
      currency: input.currency,
      active: 1,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    };
    await insertPrice(tx, row);
    await keep(tx, row);
    return row;
  });
}
