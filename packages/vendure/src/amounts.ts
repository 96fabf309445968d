import type { Order } from '@vendure/core';

/** Vendure's integer as the decimal text that the API takes: 1990 with two places is `19.90`. */
export function decimalOf(minor: number, precision: number): string {
  if (!Number.isSafeInteger(minor) || minor < 0) throw new RangeError(`no amount of money: ${minor}`);
  const digits = String(minor).padStart(precision + 1, '0');
  if (precision === 0) return digits;
  const fraction = digits.slice(-precision);
  const whole = digits.slice(0, -precision);
  // Currencies without cents: Vendure keeps them with places all the same.
  return /^0+$/.test(fraction) ? whole : `${whole}.${fraction}`;
}

/** The other way round. @returns null for what has more places than Vendure keeps */
export function minorOf(decimal: string, precision: number): number | null {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(decimal);
  const fraction = (match?.[2] ?? '').replace(/0+$/, '');
  if (match === null || fraction.length > precision) return null;
  const minor = Number(`${match[1]}${fraction.padEnd(precision, '0')}`);
  return Number.isSafeInteger(minor) ? minor : null;
}

export interface Line {
  readonly name: string;
  readonly quantity: number;
  readonly amount: string;
}

const LINES_MAX = 100;
const NAME_MAX = 200;

/** What the payer sees of an order. None when they could not be shown truthfully: they may not exceed the total. */
export function linesOf(order: Order, precision: number): Line[] {
  const goods = order.lines
    .filter((line) => line.quantity > 0)
    .map((line) => ({
      name: line.productVariant.name.slice(0, NAME_MAX) || line.productVariant.sku,
      quantity: line.quantity,
      minor: line.proratedLinePriceWithTax,
    }));
  const shipping = order.shippingWithTax;
  const all = shipping > 0 ? [...goods, { name: 'Shipping', quantity: 1, minor: shipping }] : goods;
  const sum = all.reduce((total, { minor }) => total + minor, 0);
  if (all.length > LINES_MAX || sum > order.totalWithTax || all.some(({ minor }) => minor < 0)) return [];
  return all.map(({ name, quantity, minor }) => ({ name, quantity, amount: decimalOf(minor, precision) }));
}
