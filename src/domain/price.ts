import { AmountError } from './money.ts';

const RATE = /^(\d+)(?:\.(\d+))?$/;

/**
 * Atoms of a coin that cover a fiat amount, rounded UP to the atom: never less than the price, and
 * less than one atom more. Exact integer arithmetic.
 * @param fiatMinor amount in minor units of the currency (cents), not negative
 * @param fiatDigits digits of that minor unit (ISO 4217)
 * @param rate units of the currency per whole coin, as a decimal string
 * @param coinDecimals digits between the coin and its atom
 * @throws {AmountError} when the rate is not a positive decimal or the amount is negative.
 */
export function coinAmountFor(
  fiatMinor: bigint,
  fiatDigits: number,
  rate: string,
  coinDecimals: number,
): bigint {
  if (fiatMinor < 0n) throw new AmountError('must not be negative');
  const { numerator, denominator } = parseRatio(rate);
  const atoms = fiatMinor * denominator * 10n ** BigInt(coinDecimals);
  return ceilDivide(atoms, numerator * 10n ** BigInt(fiatDigits));
}

/** Amounts with at most this many decimals are easy to read and type, so they are requested to the atom. */
const MOST_DECIMALS_TYPED = 8;
/** Minimum number of decimals after rounding. */
const FEWEST_DECIMALS = 6;
/** Maximum part of the amount that rounding adds: 1/10,000. */
const NEGLIGIBLE = 10_000n;

/**
 * The amount requested from a payer: for coins with many decimals it is rounded UP to six, or to as many more
 * as keep the addition within 1/10,000. Never less than the amount; monotonic in the amount.
 * @param atoms the exact amount, not negative
 * @param coinDecimals digits between the coin and its atom
 */
export function roundUpForPayer(atoms: bigint, coinDecimals: number): bigint {
  if (coinDecimals <= MOST_DECIMALS_TYPED) return atoms;
  for (let decimals = FEWEST_DECIMALS; decimals < coinDecimals; decimals += 1) {
    const step = 10n ** BigInt(coinDecimals - decimals);
    if (step * NEGLIGIBLE <= atoms) return ceilDivide(atoms, step) * step;
  }
  return atoms;
}

/** An exact price: atoms of a coin and the minor units of a currency (cents) they are worth. */
export interface ExchangeRate {
  readonly atoms: bigint;
  readonly minorUnits: bigint;
}

/** Converts a rate. @param rate units of the currency per whole coin. @throws {AmountError} unless positive */
export function exchangeRateFrom(rate: string, fiatDigits: number, coinDecimals: number): ExchangeRate {
  const { numerator, denominator } = parseRatio(rate);
  return {
    atoms: denominator * 10n ** BigInt(coinDecimals),
    minorUnits: numerator * 10n ** BigInt(fiatDigits),
  };
}

/** Whole atoms that minor units buy, rounded down. */
export function atomsFor(minorUnits: bigint, worth: ExchangeRate): bigint {
  return (minorUnits * worth.atoms) / worth.minorUnits;
}

/** Whole minor units that atoms are worth, rounded down. */
export function convertToMinor(atoms: bigint, worth: ExchangeRate): bigint {
  return (atoms * worth.minorUnits) / worth.atoms;
}

/** Compares two rates by value. @throws {AmountError} unless both are positive decimals */
export function compareRates(left: string, right: string): -1 | 0 | 1 {
  const [a, b] = [parseRatio(left), parseRatio(right)];
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

function parseRatio(rate: string): { numerator: bigint; denominator: bigint } {
  const match = rate.length > 64 ? null : RATE.exec(rate);
  if (match === null) throw new AmountError('the rate must be a decimal number');
  const [, whole = '0', fraction = ''] = match;
  const numerator = BigInt(whole + fraction);
  if (numerator === 0n) throw new AmountError('the rate must be above zero');
  return { numerator, denominator: 10n ** BigInt(fraction.length) };
}

function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
