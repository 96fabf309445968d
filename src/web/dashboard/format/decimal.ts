import { toLatinDigits } from '../../../i18n/latin-digits.ts';
import { locale } from '../i18n/language.ts';

/** Exact sums of decimal texts ("12.50"): money never passes through floating point. */
export function add(amounts: readonly string[]): string {
  const digits = Math.max(0, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0));
  const total = amounts.reduce((sum, amount) => {
    const [whole = '0', fraction = ''] = amount.split('.');
    return sum + BigInt(whole + fraction.padEnd(digits, '0'));
  }, 0n);
  const text = total.toString().padStart(digits + 1, '0');
  const at = text.length - digits;
  return digits === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`;
}

const COMMA = new Intl.NumberFormat(locale).format(1.5).includes(',');

/** Converts a typed amount such as "€12,50", in the reader's format, to the format of the API. */
export function plainAmount(text: string): string {
  const amount = toLatinDigits(text).replaceAll(/[\p{Sc}\s]/gu, '');
  // Also in locales with a decimal point: a comma that does not group thousands must be a decimal comma.
  const isDecimal = COMMA || /^\d+,(\d{1,2}|\d{4,})$/.test(amount);
  const plain = isDecimal ? amount.replace(',', '.') : amount;
  return /^\d+(\.\d*)?$/.test(plain) ? plain : text;
}

/** Whether a decimal text is greater than another. */
export function isMore(amount: string, than: string): boolean {
  const digits = Math.max(...[amount, than].map((text) => text.split('.')[1]?.length ?? 0));
  const [a = 0n, b = 0n] = [amount, than].map((text) => {
    const [whole = '0', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(digits, '0'));
  });
  return a > b;
}

/** The exact product of two decimal texts. */
export function multiply(first: string, second: string): string {
  const [a, b] = [first, second].map((text) => text.split('.'));
  const digits = (a?.[1]?.length ?? 0) + (b?.[1]?.length ?? 0);
  const product = BigInt((a ?? ['0']).join('')) * BigInt((b ?? ['0']).join(''));
  const text = product.toString().padStart(digits + 1, '0');
  const at = text.length - digits;
  return digits === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`;
}
