import { updatePrice } from '../../store/catalog/prices.ts';
import type { PriceRow } from '../../store/schema/catalog.ts';
import { parsePrice } from './parse-price.ts';
import { auditCatalogChange, type CatalogActor, type CatalogDeps } from './audit-catalog-change.ts';
import { requireEditablePrice } from './selling-shops.ts';

/** Omitted fields stay unchanged. Existing payments keep their amount. */
export interface EditPriceInput {
  readonly by: CatalogActor;
  readonly priceId: string;
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  readonly active?: boolean | undefined;
}

/**
 * @throws {AppError} PRICE_NOT_FOUND, VALIDATION_INVALID when the amount does not fit the currency; FORBIDDEN
 * like requireEditablePrice.
 */
export async function editPrice(deps: CatalogDeps, input: EditPriceInput): Promise<PriceRow> {
  return deps.db.transaction(async (tx) => {
    const { price, shops } = await requireEditablePrice(tx, input.by, input.priceId);
    await auditCatalogChange(tx, deps, input.by, {
      action: 'PATCH /merchant/price/edit',
      objectId: price.id,
      shops,
    });
    const amount = input.amount ?? price.amount;
    const currency = input.currency ?? price.currency;
    parsePrice({ amount, currency }, input.amount === undefined ? 'currency' : 'amount');
    return updatePrice(tx, price.id, {
      amount,
      currency,
      active: input.active ?? price.active,
      updatedAt: deps.clock.now(),
    });
  });
}
