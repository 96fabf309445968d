import { COIN_DEFINITIONS, type Coin } from './coins.ts';
import { minorUnitDigits } from './currencies.ts';
import { formatUnits, parseUnits } from './money.ts';
import { coinAmountFor, exchangeRateFrom, roundUpForPayer, type ExchangeRate } from './price.ts';

/** An amount of a currency, in its minor units (cents for USD, ISO 4217). */
export interface Fiat {
  readonly minor: bigint;
  readonly currency: string;
}

/** Parses a stored amount ("12.5", USD). @throws {AmountError} unless it is a decimal that fits its currency */
export function parseFiat(amount: string, currency: string): Fiat {
  return { minor: parseUnits(amount, minorUnitDigits(currency)), currency };
}

/** Formats an amount as the shortest exact decimal string ("12.5"). */
export function formatFiat({ minor, currency }: Fiat): string {
  return formatUnits(minor, minorUnitDigits(currency));
}

/**
 * The exact price of a coin. @param rate units of the currency per whole coin, a decimal string
 * @throws {AmountError} unless the rate is positive
 */
export function exchangeRate(rate: string, currency: string, coin: Coin): ExchangeRate {
  return exchangeRateFrom(rate, minorUnitDigits(currency), COIN_DEFINITIONS[coin].decimals);
}

/**
 * The amount of a coin that a payer has to send for a price, in atoms: rounded up, and easy to type.
 * @throws {AmountError} unless the rate is positive
 */
export function requestedAtoms({ minor, currency }: Fiat, rate: string, coin: Coin): bigint {
  const { decimals } = COIN_DEFINITIONS[coin];
  return roundUpForPayer(coinAmountFor(minor, minorUnitDigits(currency), rate, decimals), decimals);
}
