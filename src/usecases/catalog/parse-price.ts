import { currencyDigits } from '../../domain/currencies.ts';
import { invalidField } from '../../domain/errors.ts';
import { parseFiat, type Fiat } from '../../domain/fiat.ts';
import { AmountError } from '../../domain/money.ts';

/**
 * Parses a positive amount of an active currency exactly.
 * @param blamed the field that the error names when the amount does not fit its currency
 * @throws {AppError} VALIDATION_INVALID naming `currency` for an unknown code, else `blamed`
 */
export function parsePrice(
  price: { readonly amount: string; readonly currency: string },
  blamed: 'amount' | 'currency' = 'amount',
): Fiat {
  if (currencyDigits(price.currency) === null)
    throw invalidField('currency', 'must be an ISO 4217 currency code such as USD');
  const fiat = parsed(price, blamed);
  if (fiat.minor <= 0n) throw invalidField('amount', 'must be greater than zero');
  return fiat;
}

function parsed(
  price: { readonly amount: string; readonly currency: string },
  blamed: 'amount' | 'currency',
): Fiat {
  try {
    return parseFiat(price.amount, price.currency);
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    const message =
      blamed === 'amount'
        ? `${error.message} in ${price.currency}`
        : `does not fit the amount ${price.amount}, which ${error.message} in ${price.currency}`;
    throw invalidField(blamed, message, 'too_many_decimals');
  }
}
