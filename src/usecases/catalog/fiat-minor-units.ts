import { currencyDigits } from '../../domain/currencies.ts';
import { invalidField } from '../../domain/errors.ts';
import { AmountError, parseDecimal } from '../../domain/money.ts';

export interface MinorUnits {
  /** The amount in the currency's minor unit (cents for USD). */
  readonly minor: bigint;
  /** Decimal digits of that unit. */
  readonly digits: number;
}

/**
 * Parses a positive fiat amount exactly.
 * @param blamed the field that the error names when the amount does not fit its currency
 * @throws {AppError} VALIDATION_INVALID naming `currency` for an unknown code, else `blamed`
 */
export function fiatMinorUnits(
  price: { readonly amount: string; readonly currency: string },
  blamed: 'amount' | 'currency' = 'amount',
): MinorUnits {
  const digits = currencyDigits(price.currency);
  if (digits === null) throw invalidField('currency', 'must be an ISO 4217 currency code such as USD');
  const minor = parsed(price, digits, blamed);
  if (minor <= 0n) throw invalidField('amount', 'must be greater than zero');
  return { minor, digits };
}

function parsed(
  price: { readonly amount: string; readonly currency: string },
  digits: number,
  blamed: 'amount' | 'currency',
): bigint {
  try {
    return parseDecimal(price.amount, digits);
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    const message =
      blamed === 'amount'
        ? `${error.message} in ${price.currency}`
        : `does not fit the amount ${price.amount}, which ${error.message} in ${price.currency}`;
    throw invalidField(blamed, message, 'too_many_decimals');
  }
}
