import { formatLocale } from '../../i18n/languages.ts';

const INTEGER_DIGITS = 12;

/** A currency as the daemon counts it. */
export interface Currency {
  readonly code: string;
  /** Decimals of its minor unit. */
  readonly fractionDigits: number;
}

/** Digits of minor units, such as `1250` for 12.50, after a key was pressed. */
export function typeDigit(digits: string, key: string, { fractionDigits }: Currency): string {
  if (key === 'clear') return '';
  if (key === 'erase') return digits.slice(0, -1);
  const next = (digits + key).replace(/^0+/, '');
  return next.length > INTEGER_DIGITS + fractionDigits ? digits : next;
}

export function toMinor(digits: string): bigint {
  return BigInt(digits === '' ? '0' : digits);
}

/** Minor units as the decimal string that the daemon reads. */
export function toDecimal(minor: bigint, { fractionDigits }: Currency): string {
  if (fractionDigits === 0) return minor.toString();
  const text = minor.toString().padStart(fractionDigits + 1, '0');
  return `${text.slice(0, -fractionDigits)}.${text.slice(-fractionDigits)}`;
}

/** The minor units of a decimal string of the daemon. */
export function fromDecimal(amount: string, { fractionDigits }: Currency): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(fractionDigits, '0').slice(0, fractionDigits));
}

/** A share of an amount, to the nearest minor unit. @param percent a whole number */
export function percentage(minor: bigint, percent: number): bigint {
  return (minor * BigInt(percent) + 50n) / 100n;
}

/** An amount as people of a language read it. */
export function formatMoney(minor: bigint, currency: Currency, language: string): string {
  const { code, fractionDigits } = currency;
  const format = new Intl.NumberFormat(formatLocale(language), {
    style: 'currency',
    currency: code,
    minimumFractionDigits: fractionDigits,
    maximumFractionDigits: fractionDigits,
  });
  // Not as a number, which is exact to fifteen digits only.
  return format.format(toDecimal(minor, currency) as Intl.StringNumericLiteral);
}
