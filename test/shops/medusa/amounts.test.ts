import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { installShop } from '../_helpers/install.ts';

interface Money {
  fiat(amount: number | string, currency: string): string;
  exactFiat(amount: number | string, currency: string): string;
  isForAmount(payment: object, amount: number | string, currency: string): boolean;
}

/** As they are installed: Medusa keeps decimals, and computes taxes and discounts beyond those of a currency. */
let money: Money;
beforeAll(async () => {
  await installShop('medusa', '@tilld/medusa-payment');
  const file = 'node_modules/@tilld/medusa-payment/.medusa/server/src/money.js';
  money = createRequire(import.meta.url)(join(import.meta.dirname, file)) as Money;
});

describe('fiat amounts of the Medusa plugin', () => {
  it.each([
    [24.9, 'eur', '24.90'],
    [24.905, 'eur', '24.91'],
    ['24.904', 'EUR', '24.90'],
    [2490, 'jpy', '2490'],
    [2490.5, 'jpy', '2491'],
    ['24.9051', 'kwd', '24.905'],
    [24.9, 'clf', '24.9000'],
    [1e21, 'jpy', '1000000000000000000000'],
  ])('formats %s %s as %s', (amount, currency, text) => {
    expect(money.fiat(amount, currency)).toBe(text);
  });

  it('rejects a currency that tilld does not support', () => {
    expect(() => money.fiat(1, 'xxx')).toThrow(RangeError);
  });
});

it('exactFiat throws instead of rounding a refund', () => {
  expect(money.exactFiat('5.50', 'eur')).toBe('5.50');
  expect(money.exactFiat(550, 'jpy')).toBe('550');
  expect(() => money.exactFiat(5.5, 'jpy')).toThrow(RangeError);
});

it('isForAmount compares amounts after formatting them in their currency', () => {
  expect(money.isForAmount({ amount: '2491', currency: 'JPY' }, 2490.5, 'jpy')).toBe(true);
  expect(money.isForAmount({ amount: '24.90', currency: 'EUR' }, 24.9, 'eur')).toBe(true);
  expect(money.isForAmount({ amount: '24.90', currency: 'EUR' }, 24.9, 'usd')).toBe(false);
  expect(money.isForAmount({ amount: '24.90', currency: 'EUR' }, 24.91, 'eur')).toBe(false);
});
