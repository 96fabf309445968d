import { describe, expect, it } from 'vitest';
import { addItem, EMPTY_CART, removeItem, sumCart, toCharge } from '../../../src/web/counter/cart.ts';
import {
  formatMoney,
  fromDecimal,
  percentage,
  toDecimal,
  toMinor,
  typeDigit,
} from '../../../src/web/counter/money.ts';

const EUR = { code: 'EUR', fractionDigits: 2 };
const JPY = { code: 'JPY', fractionDigits: 0 };
const TEA = { priceId: 'price_tea', name: 'Tea', amount: '3.20' };

const type = (keys: readonly string[]): string =>
  keys.reduce((digits, key) => typeDigit(digits, key, EUR), '');

describe('the money of the counter', () => {
  it('is typed from the smallest unit on, up to twelve digits before the point', () => {
    expect(type(['0', '1', '2', '5', '0'])).toBe('1250');
    expect(type(['1', '00', 'erase', '5'])).toBe('105');
    expect(type(['1', 'clear'])).toBe('');
    expect(type(Array.from({ length: 20 }, () => '9'))).toBe('9'.repeat(14));
  });

  it('is exact between minor units and the decimals of the daemon', () => {
    for (const [minor, text] of [
      [5n, '0.05'],
      [1_250n, '12.50'],
      [99_999_999_999_999n, '999999999999.99'],
    ] as const) {
      expect(toDecimal(minor, EUR)).toBe(text);
      expect(fromDecimal(text, EUR)).toBe(minor);
    }
    expect([fromDecimal('12.5', EUR), fromDecimal('7', EUR), fromDecimal('7', JPY)]).toEqual([
      1_250n,
      700n,
      7n,
    ]);
    expect([toDecimal(7n, JPY), toMinor('')]).toEqual(['7', 0n]);
  });

  it('rounds a tip to the nearest minor unit', () => {
    expect([percentage(740n, 10), percentage(745n, 10), percentage(4n, 10)]).toEqual([74n, 75n, 0n]);
  });

  it('is formatted exactly beyond the digits of a floating-point number', () => {
    expect(formatMoney(99_999_999_999_999n, EUR, 'en')).toBe('€999,999,999,999.99');
    expect(formatMoney(700n, JPY, 'en')).toBe('¥700');
  });
});

describe('the cart of the counter', () => {
  it('adds favourites to the typed amount, and charges only what is in it', () => {
    const cart = addItem(addItem({ ...EMPTY_CART, digits: '100' }, TEA.priceId), TEA.priceId);
    expect(sumCart(cart, [TEA], EUR)).toBe(740n);
    expect(toCharge(cart, [TEA], { currency: EUR, tip: 74n })).toEqual({
      amount: '1.00',
      items: [{ priceId: TEA.priceId, quantity: 2 }],
      tip: '0.74',
    });
    expect(toCharge(removeItem(cart, TEA.priceId), [TEA], { currency: EUR, tip: 0n })).toEqual({
      amount: '1.00',
    });
  });

  it('leaves out a favourite that the counter no longer offers', () => {
    const cart = addItem(EMPTY_CART, TEA.priceId);
    expect(sumCart(cart, [], EUR)).toBe(0n);
    expect(toCharge(cart, [], { currency: EUR, tip: 0n })).toEqual({});
  });
});
