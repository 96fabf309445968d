import type { Actor } from '../../domain/actor.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import type { PaymentLinkRow, OpenAmount } from '../../store/schema/payment-links.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { findOwnPrice, recordSale, parsePrice } from '../catalog/index.ts';

/** The price of a link: a price of the catalog, an amount, or an amount chosen by the payer. */
export type LinkTerms =
  | { readonly kind: 'price'; readonly priceId: string }
  | { readonly kind: 'amount'; readonly amount: string; readonly currency: string }
  | { readonly kind: 'open'; readonly openAmount: OpenAmount; readonly currency: string };

export type TermColumns = Pick<PaymentLinkRow, 'priceId' | 'amount' | 'currency' | 'openAmountJson'>;

/**
 * The columns of the terms, after validation. The shop becomes a seller of the product whose catalog price it
 * uses.
 * @throws {AppError} PRICE_NOT_FOUND, VALIDATION_INVALID naming the field
 */
export async function termColumns(
  tx: Tx,
  { merchant, actor }: { readonly merchant: MerchantRow; readonly actor: Actor },
  terms: LinkTerms,
): Promise<TermColumns> {
  const none: TermColumns = { priceId: null, amount: null, currency: null, openAmountJson: null };
  if (terms.kind === 'price') {
    const price = await findOwnPrice(tx, merchant.userId, terms.priceId);
    await recordSale(tx, { productId: price.productId, merchantId: merchant.id, actor });
    return { ...none, priceId: price.id };
  }
  const { currency } = terms;
  if (terms.kind === 'amount') {
    parsePrice(terms);
    return { ...none, amount: terms.amount, currency };
  }
  checkOpenAmount(terms.openAmount, currency);
  return { ...none, currency, openAmountJson: JSON.stringify(terms.openAmount) };
}

function checkOpenAmount({ min, max, suggested = [] }: OpenAmount, currency: string): void {
  const least = min === undefined ? 0n : toMinor('openAmount.min', min, currency);
  const most = max === undefined ? null : toMinor('openAmount.max', max, currency);
  if (most !== null && most < least) throw invalidField('openAmount.max', 'must not be below min');
  for (const [index, amount] of suggested.entries()) {
    const field = `openAmount.suggested[${index}]`;
    const minor = toMinor(field, amount, currency);
    if (minor < least || (most !== null && minor > most)) {
      throw invalidField(field, 'must lie between min and max');
    }
  }
}

function toMinor(field: string, amount: string, currency: string): bigint {
  try {
    return parsePrice({ amount, currency }).minor;
  } catch (error) {
    const [problem] = error instanceof AppError ? error.details : [];
    if (problem?.field !== 'amount') throw error;
    throw invalidField(field, problem.message, problem.code);
  }
}
