import type { Actor } from '../../domain/actor.ts';
import { AppError, assertNever } from '../../domain/errors.ts';
import type { Fiat } from '../../domain/fiat.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { findUserPrice } from '../../store/catalog/prices.ts';
import { findOwnPrice, findOwnProduct, recordSale, parsePrice } from '../catalog/index.ts';

/** The price of a payment: an amount, or the catalog's price of a product. */
export type PriceChoice =
  | {
      readonly kind: 'amount';
      /** Decimal string in the currency's unit. */
      readonly amount: string;
      /** ISO 4217 code, upper case. */
      readonly currency: string;
    }
  | { readonly kind: 'catalog'; readonly productId: string; readonly priceId: string };

/** The price of a payment as stored, permanently. */
export interface ResolvedPrice extends Fiat {
  readonly amount: string;
  readonly productId: string | null;
  readonly priceId: string | null;
}

interface PricedRequest {
  readonly merchant: Pick<MerchantRow, 'id' | 'userId'>;
  readonly actor: Actor;
  readonly price: PriceChoice;
}

/**
 * The current price, read in the transaction that stores the payment. The shop becomes a seller of the
 * product, as far as the creator of the payment may decide so.
 * @throws {AppError} PRODUCT_NOT_FOUND when the product is unknown, deleted or inactive; PRICE_NOT_FOUND when
 * the price is, or belongs to another product; VALIDATION_INVALID (amount or currency)
 */
export async function resolvePrice(
  tx: Tx,
  { merchant, actor, price: choice }: PricedRequest,
): Promise<ResolvedPrice> {
  const { id: merchantId, userId } = merchant;
  switch (choice.kind) {
    case 'amount': {
      const { amount } = choice;
      return { ...parsePrice(choice), amount, productId: null, priceId: null };
    }
    case 'catalog': {
      const product = await findOwnProduct(tx, userId, choice.productId);
      if (!product.active) throw new AppError('PRODUCT_NOT_FOUND', 'The product is not active');
      const price = await findOwnPrice(tx, userId, choice.priceId);
      if (price.productId !== product.id) {
        throw new AppError('PRICE_NOT_FOUND', 'The price belongs to another product');
      }
      if (!price.active) throw new AppError('PRICE_NOT_FOUND', 'The price is not active');
      await recordSale(tx, { productId: product.id, merchantId, actor });
      const { amount } = price;
      return { ...parsePrice(price), amount, productId: product.id, priceId: price.id };
    }
    default:
      return assertNever(choice);
  }
}

/**
 * The currency whose rates the payment will need, so that they can be fetched before the
 * transaction; null when there is no such price, which `resolvePrice` reports.
 */
export async function priceCurrency(db: Db, userId: string, choice: PriceChoice): Promise<string | null> {
  if (choice.kind === 'amount') return choice.currency;
  const price = await findUserPrice(db, userId, choice.priceId);
  return price?.currency ?? null;
}
