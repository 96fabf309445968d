import { CODES_BY_DIGITS } from './currency-table.ts';

const DIGITS: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES_BY_DIGITS).flatMap(([digits, codes]) =>
    codes.split(' ').map((code): [string, number] => [code, Number(digits)]),
  ),
);
const DECIMAL = /^(\d+)(?:\.(\d+))?$/;
const MAX_LENGTH = 64;

/**
 * Decimals of a currency's minor unit (ISO 4217): EUR 2, JPY 0, KWD 3, CLF 4. Upper or lower case.
 * @throws {RangeError} for a currency that tilld does not support
 */
export function currencyDigits(currency: string): number {
  const digits = DIGITS.get(currency.toUpperCase());
  if (digits === undefined) throw new RangeError(`not a currency of tilld: ${currency}`);
  return digits;
}

/**
 * A decimal amount with exactly the decimals of its currency, rounded half up: 24.9 EUR is `24.90`, 10.005
 * EUR is `10.01`. Two amounts of a currency are equal if these texts are.
 * @throws {RangeError} for text that is not a plain decimal number, and for an unknown currency
 */
export function roundFiat(amount: string, currency: string): string {
  const digits = currencyDigits(currency);
  const { whole, fraction } = splitAmount(amount);
  const kept = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  return formatMinor((fraction[digits] ?? '0') >= '5' ? kept + 1n : kept, currency);
}

/**
 * A decimal amount in minor units of its currency: `24.9` EUR is 2490.
 * @throws {RangeError} if decimals other than zero would be lost; {@link roundFiat} rounds them
 */
export function parseMinor(amount: string, currency: string): bigint {
  const digits = currencyDigits(currency);
  const { whole, fraction } = splitAmount(amount);
  if (/[1-9]/.test(fraction.slice(digits))) {
    throw new RangeError(`more decimals than ${currency} has: ${amount}`);
  }
  return BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
}

/**
 * Minor units as the decimal text that the API accepts, with the decimals of the currency: 2490 EUR is `24.90`.
 * @throws {RangeError} for a negative number, one that is not whole, and an unknown currency
 */
export function formatMinor(minor: bigint | number, currency: string): string {
  const digits = currencyDigits(currency);
  if (typeof minor === 'number' && !Number.isSafeInteger(minor)) {
    throw new RangeError(`not a whole number of minor units: ${minor}`);
  }
  if (minor < 0) throw new RangeError(`not an amount of money: ${minor}`);
  const text = String(minor).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

function splitAmount(amount: string): { readonly whole: string; readonly fraction: string } {
  const match = amount.length > MAX_LENGTH ? null : DECIMAL.exec(amount);
  if (match === null)
    throw new RangeError(`not a decimal amount such as "12.50": ${amount.slice(0, MAX_LENGTH)}`);
  const [, whole = '', fraction = ''] = match;
  return { whole, fraction };
}
