import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { installShop } from '../_helpers/install.ts';

interface Priced {
  readonly totalWithTax: number;
  readonly currencyCode: string;
}
interface Amounts {
  formatPrice(minor: number, precision: number, currency: string): string;
  formatExactPrice(minor: number, precision: number, currency: string): string;
  parseDecimal(decimal: string, precision: number): number;
  isForTotal(payment: object, order: Priced, precision: number): boolean;
  countedAmount(payment: object, order: Priced, precision: number): number;
  paymentLines(order: object, precision: number): { readonly amount: string }[];
}

const line = (price: number): object => ({
  quantity: 1,
  proratedLinePriceWithTax: price,
  productVariant: { name: 'Mug', sku: 'MUG' },
});
const orderOf = (lines: object[], totalWithTax: number): object => ({
  lines,
  totalWithTax,
  shippingWithTax: 0,
  currencyCode: 'JPY',
});

const order = (totalWithTax: number, currencyCode: string): Priced => ({ totalWithTax, currencyCode });
const payment = (amount: string, currency: string): object => ({ amount, currency });

/**
 * The installed module. Vendure stores every currency with the decimals of its MoneyStrategy: 2 unless a shop changes it.
 */
let amounts: Amounts;
beforeAll(async () => {
  await installShop('vendure', '@tilld/vendure-plugin');
  amounts = createRequire(import.meta.url)('@tilld/vendure-plugin/dist/amounts.js') as Amounts;
});

describe('formatPrice', () => {
  it.each([
    [2490, 2, 'EUR', '24.90'],
    [249_000, 2, 'JPY', '2490'],
    [249_050, 2, 'JPY', '2491'],
    [2490, 0, 'JPY', '2490'],
    [24_905, 3, 'EUR', '24.91'],
    [249_044, 4, 'EUR', '24.90'],
    [24_905, 3, 'KWD', '24.905'],
    [2490, 2, 'KWD', '24.900'],
    [2490, 2, 'CLF', '24.9000'],
    [5, 2, 'EUR', '0.05'],
  ])('formats the integer %d of %d decimals in %s as %s', (minor, precision, currency, text) => {
    expect(amounts.formatPrice(minor, precision, currency)).toBe(text);
  });

  it('throws for a currency that tilld does not know', () => {
    expect(() => amounts.formatPrice(100, 2, 'XXX')).toThrow(RangeError);
  });
});

describe('formatExactPrice', () => {
  it('formats amounts that the currency can express', () => {
    expect(amounts.formatExactPrice(55_000, 2, 'JPY')).toBe('550');
    expect(amounts.formatExactPrice(550, 2, 'KWD')).toBe('5.500');
  });

  it('throws instead of rounding a refund', () => {
    expect(() => amounts.formatExactPrice(550, 2, 'JPY')).toThrow(RangeError);
    expect(() => amounts.formatExactPrice(5505, 3, 'EUR')).toThrow(RangeError);
  });
});

describe('countedAmount (the part of an order that a payment covers)', () => {
  it('returns the whole total of an order when the payment has its rounded total', () => {
    expect(amounts.countedAmount(payment('2491', 'JPY'), order(249_050, 'JPY'), 2)).toBe(249_050);
    expect(amounts.countedAmount(payment('24.90', 'EUR'), order(24_904, 'EUR'), 3)).toBe(24_904);
  });

  it('returns only the amount of the payment when the order costs more', () => {
    expect(amounts.countedAmount(payment('25.00', 'EUR'), order(4500, 'EUR'), 2)).toBe(2500);
    expect(amounts.countedAmount(payment('24.905', 'KWD'), order(4500, 'KWD'), 2)).toBe(2490);
  });

  it('returns zero for a payment in another currency', () => {
    expect(amounts.countedAmount(payment('25.00', 'USD'), order(2500, 'EUR'), 2)).toBe(0);
    expect(amounts.isForTotal(payment('25.00', 'USD'), order(2500, 'EUR'), 2)).toBe(false);
  });
});

it('paymentLines returns no lines when their rounded sum exceeds the total', () => {
  expect(amounts.paymentLines(orderOf([line(10_000), line(5000)], 15_000), 2)).toMatchObject([
    { amount: '100' },
    { amount: '50' },
  ]);
  expect(amounts.paymentLines(orderOf([line(10_050), line(4950)], 15_000), 2)).toEqual([]);
});
