import { currencyDigits } from '../../../../packages/sdk/src/index.ts';
import type { Payment } from '../contract/types.ts';
import { markSymbol } from '../../../i18n/currency-symbol.ts';
import { locale } from '../i18n/language.ts';

const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: 18 });
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });

/** Decimal text in the reader's format; exact, because Intl formats the text itself. */
export function formatCoins(amount: string): string {
  return plain.format(amount as `${number}`);
}

const cents = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 });

/** Decimal text in the usual form of prices: "49,90". */
export function twoDecimals(amount: string): string {
  return cents.format(amount as `${number}`);
}

const eightDigits = new Intl.NumberFormat(locale, { maximumSignificantDigits: 8, roundingMode: 'trunc' });

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0, roundingMode: 'trunc' });

/** At most eight significant digits, never rounded up; whole coins are never cut. */
export function coinsShort(amount: string): string {
  const isLong = (amount.split('.')[0] ?? '').length > 8;
  return (isLong ? whole : eightDigits).format(amount as `${number}`);
}

export function fiat(amount: string, currency: string): string {
  try {
    const options = { style: 'currency', currency, ...isoDecimals(currency) } as const;
    return markSymbol(new Intl.NumberFormat(locale, options).format(amount as `${number}`));
  } catch {
    return `${amount} ${currency}`;
  }
}

/**
 * The decimals of ISO 4217: Intl has fewer for some currencies, and would round 1234.50 HUF to 1235. None for a
 * currency that has left ISO 4217.
 */
function isoDecimals(currency: string): { minimumFractionDigits?: number } {
  try {
    return { minimumFractionDigits: currencyDigits(currency) };
  } catch {
    return {};
  }
}

/** For the axis of a chart: "€1.2K". */
export function fiatCompact(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumFractionDigits: 2,
    minimumFractionDigits: 0,
  });
  return markSymbol(format.format(amount));
}

export function when(iso: string): string {
  return moment.format(new Date(iso));
}

/** The label of an order, else its id. */
export function orderName({ orderId, orderLabel }: Pick<Payment, 'orderId' | 'orderLabel'>): string {
  return orderLabel ?? orderId;
}

export function short(text: string, start = 8, end = 6): string {
  return text.length <= start + end + 1 ? text : `${text.slice(0, start)}…${text.slice(-end)}`;
}

const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric', timeZone: 'UTC' });
const longDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

/** `2026-01-31` in the reader's format: a calendar day, which no time zone shifts. */
export function dayName(day: string, isShort = false): string {
  return (isShort ? shortDay : longDay).format(Date.parse(`${day}T00:00:00Z`));
}

const month = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' });

/** "Jan" for a day in January. */
export function monthName(day: string): string {
  return month.format(Date.parse(`${day}T00:00:00Z`));
}

const monthAndYear = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** A month `2026-01` in words. */
export function fullMonth(text: string): string {
  return monthAndYear.format(Date.parse(`${text}-01`));
}

/** The current day in a time zone, `2026-01-31`. */
export function today(timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
    .formatToParts(new Date())
    .map(({ type, value }): [string, string] => [type, value]);
  const { year, month, day } = Object.fromEntries(parts);
  return `${year}-${month}-${day}`;
}

/** The calendar day a number of days before another one. */
export function daysBefore(day: string, count: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - count);
  return at.toISOString().slice(0, 10);
}

export const readersZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
