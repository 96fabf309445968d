import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { updatePrice } from '../../store/catalog/prices.ts';
import { findOwnPrice } from './find-own-price.ts';

/**
 * Deletes a price. Payments made for it keep their reference.
 * @throws {AppError} PRICE_NOT_FOUND
 */
export async function deletePrice(
  deps: { readonly db: Db; readonly clock: Clock },
  input: { readonly userId: string; readonly priceId: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const price = await findOwnPrice(tx, input.userId, input.priceId);
    const now = deps.clock.now();
    await updatePrice(tx, price.id, { deleted_at: now, updated_at: now });
  });
}
