import { formatMinor, parseMinor, roundFiat, type Payment } from '@tilld/sdk';
import type { Order } from '@vendure/core';

/** Vendure's integer as decimal text: 1990 at precision 2 is `19.90`. The precision is the same for all currencies. */
export function formatDecimal(minor: number, precision: number): string {
  if (!Number.isSafeInteger(minor) || minor < 0) throw new RangeError(`not an amount of money: ${minor}`);
  const digits = String(minor).padStart(precision + 1, '0');
  return precision === 0 ? digits : `${digits.slice(0, -precision)}.${digits.slice(-precision)}`;
}

/**
 * The price in tilld: rounded half up to the decimals of its currency. JPY has none, regardless of Vendure's decimals.
 * @throws {RangeError} for a currency that tilld cannot price a payment in
 */
export function formatPrice(minor: number, precision: number, currency: string): string {
  return roundFiat(formatDecimal(minor, precision), currency);
}

/**
 * The refunded amount: never rounded.
 * @throws {RangeError} for an amount that the currency cannot express
 */
export function formatExactPrice(minor: number, precision: number, currency: string): string {
  return formatMinor(parseMinor(formatDecimal(minor, precision), currency), currency);
}

/** Decimal text as Vendure's integer; further decimals are cut off. */
export function parseDecimal(decimal: string, precision: number): number {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(decimal);
  if (match === null) throw new RangeError(`not a decimal amount: ${decimal}`);
  const fraction = (match[2] ?? '').slice(0, precision).padEnd(precision, '0');
  const minor = Number(`${match[1]}${fraction}`);
  if (!Number.isSafeInteger(minor)) throw new RangeError(`too large an amount: ${decimal}`);
  return minor;
}

type Priced = Pick<Order, 'totalWithTax' | 'currencyCode'>;

/** Whether a payment is for the total of an order. */
export function isForTotal({ amount, currency }: Payment, order: Priced, precision: number): boolean {
  if (currency !== order.currencyCode) return false;
  return roundFiat(amount, currency) === formatPrice(order.totalWithTax, precision, currency);
}

/** The part of a payment that counts for an order: all if it is for the total, nothing in another currency. */
export function countedAmount(payment: Payment, order: Priced, precision: number): number {
  if (payment.currency !== order.currencyCode) return 0;
  return isForTotal(payment, order, precision) ? order.totalWithTax : parseDecimal(payment.amount, precision);
}

export interface Line {
  readonly name: string;
  readonly quantity: number;
  readonly amount: string;
}

const LINES_MAX = 100;
const NAME_MAX = 200;

/** The order lines that the payer sees. None if they exceed the total, which tilld rejects. */
export function paymentLines(order: Order, precision: number): Line[] {
  const { currencyCode } = order;
  const goods = order.lines
    .filter((line) => line.quantity > 0)
    .map((line) => ({
      name: line.productVariant.name.slice(0, NAME_MAX) || line.productVariant.sku,
      quantity: line.quantity,
      minor: line.proratedLinePriceWithTax,
    }));
  const shipping = order.shippingWithTax;
  const all = shipping > 0 ? [...goods, { name: 'Shipping', quantity: 1, minor: shipping }] : goods;
  if (all.length > LINES_MAX || all.some(({ minor }) => minor < 0)) return [];
  const lines = all.map(({ name, quantity, minor }) => ({
    name,
    quantity,
    amount: formatPrice(minor, precision, currencyCode),
  }));
  const sum = lines.reduce((total, { amount }) => total + parseMinor(amount, currencyCode), 0n);
  return sum > parseMinor(formatPrice(order.totalWithTax, precision, currencyCode), currencyCode)
    ? []
    : lines;
}
