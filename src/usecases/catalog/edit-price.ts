import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { updatePrice } from '../../store/catalog/prices.ts';
import type { PriceRow } from '../../store/schema/catalog.ts';
import { fiatMinorUnits } from './fiat-minor-units.ts';
import { findOwnPrice } from './find-own-price.ts';

/** What is left out stays as it is. Payments made already keep the amount they were made for. */
export interface EditPriceInput {
  readonly userId: string;
  readonly priceId: string;
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  readonly active?: boolean | undefined;
}

/** @throws {AppError} PRICE_NOT_FOUND, VALIDATION_INVALID when amount and currency do not fit each other. */
export async function editPrice(
  deps: { readonly db: Db; readonly clock: Clock },
  input: EditPriceInput,
): Promise<PriceRow> {
  return deps.db.transaction(async (tx) => {
    const price = await findOwnPrice(tx, input.userId, input.priceId);
    const amount = input.amount ?? price.amount;
    const currency = input.currency ?? price.currency;
    fiatMinorUnits({ amount, currency }, input.amount === undefined ? 'currency' : 'amount');
    return updatePrice(tx, price.id, {
      amount,
      currency,
      active: input.active === undefined ? price.active : input.active ? 1 : 0,
      updated_at: deps.clock.now(),
    });
  });
}
