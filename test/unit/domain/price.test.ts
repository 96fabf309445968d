import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AmountError } from '../../../src/domain/money.ts';
import {
  roundUpForPayer,
  atomsFor,
  coinAmountFor,
  convertToMinor,
  exchangeRateFrom,
} from '../../../src/domain/price.ts';

describe('coinAmountFor', () => {
  test.each([
    ['100.00 USD at 100,000 in BTC', 10_000n, 2, '100000', 8, 100_000n],
    ['1 cent at 100,000 in BTC', 1n, 2, '100000', 8, 10n],
    ['10 USD at 3 USD in BTC, rounded up', 1000n, 2, '3', 8, 333_333_334n],
    ['10 JPY at 15,000,000 in BTC, rounded up from 66.67', 10n, 0, '15000000', 8, 67n],
    ['1.000 KWD at 30,769.230769 in BTC, rounded up', 1000n, 3, '30769.230769', 8, 3251n],
    ['49.99 EUR at 3,680.55 in ETH', 4999n, 2, '3680.55', 18, 13582209180693103n],
    ['nothing', 0n, 2, '100000', 8, 0n],
  ] as const)('computes %s', (_, minor, digits, rate, decimals, expected) => {
    expect(coinAmountFor(minor, digits, rate, decimals)).toBe(expected);
  });

  const rate = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 8n - 1n }))
    .map(([whole, fraction]) => `${whole}.${fraction.toString().padStart(8, '0')}`);

  test('is never less than the price, and exceeds it by less than one atom, for any numbers', () => {
    const property = fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 15n }),
      fc.constantFrom(0, 2, 3, 4),
      rate,
      fc.constantFrom(8, 9, 18),
      (minor, digits, rate, decimals) => {
        const atoms = coinAmountFor(minor, digits, rate, decimals);
        const price = new Big(minor.toString()).times(new Big(10).pow(-digits));
        const worth = (amount: bigint) =>
          new Big(amount.toString()).times(new Big(10).pow(-decimals)).times(rate);
        expect(worth(atoms).gte(price)).toBe(true);
        if (atoms > 0n) expect(worth(atoms - 1n).lt(price)).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test('never returns fewer atoms for a higher price', () => {
    const property = fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), rate, (minor, rate) => {
      expect(coinAmountFor(minor + 1n, 2, rate, 8)).toBeGreaterThanOrEqual(coinAmountFor(minor, 2, rate, 8));
    });
    fc.assert(property);
  });

  test.each(['0', '0.000', '', '-1', '1e5', 'abc', '1.', '.5', ' 1', '1,000', '9'.repeat(65)])(
    'rejects the rate "%s"',
    (wrong) => expect(() => coinAmountFor(1n, 2, wrong, 8)).toThrow(AmountError),
  );

  test('rejects a negative price', () => {
    expect(() => coinAmountFor(-1n, 2, '1', 8)).toThrow(AmountError);
  });
});

describe('roundUpForPayer', () => {
  test.each([
    ['10 USD in ETH, to six decimals', 3_260_869_565_217_392n, 18, 3_260_900_000_000_000n],
    ['500 USD in ETH', 163_043_478_260_869_565n, 18, 163_044_000_000_000_000n],
    ['1 USD in ETH, to eight', 326_086_956_521_739n, 18, 326_090_000_000_000n],
    ['1 cent in ETH, to ten', 3_260_869_565_217n, 18, 3_260_900_000_000n],
    ['a few wei', 9_999n, 18, 9_999n],
    ['10,000 wei', 10_000n, 18, 10_000n],
    ['an amount that is round already', 5_000_000_000_000_000n, 18, 5_000_000_000_000_000n],
    ['20 USD in SOL', 133_333_334n, 9, 133_334_000n],
    ['1 cent in SOL', 66_667n, 9, 66_667n],
    ['BTC, to the satoshi', 123_456_789n, 8, 123_456_789n],
    ['nothing', 0n, 18, 0n],
  ] as const)('rounds %s', (_, exact, decimals, asked) => {
    expect(roundUpForPayer(exact, decimals)).toBe(asked);
  });

  const atoms = fc.oneof(fc.bigInt(0n, 10n ** 6n), fc.bigInt(0n, 10n ** 15n), fc.bigInt(0n, 10n ** 24n));
  const decimals = fc.constantFrom(8, 9, 12, 18);

  test('never rounds down, adds at most 1/10,000, and is idempotent', () => {
    const property = fc.property(atoms, decimals, (exact, decimals) => {
      const asked = roundUpForPayer(exact, decimals);
      expect(asked).toBeGreaterThanOrEqual(exact);
      expect((asked - exact) * 10_000n).toBeLessThanOrEqual(exact);
      expect(roundUpForPayer(asked, decimals)).toBe(asked);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  test('never returns less for a higher amount, also where the number of decimals changes', () => {
    const near = fc
      .tuple(fc.integer({ min: 4, max: 18 }), fc.bigInt(-1_000n, 1_000n))
      .map(([power, off]) => 10n ** BigInt(power) + off);
    const property = fc.property(
      fc.oneof(atoms, near),
      fc.oneof(fc.constant(1n), atoms),
      decimals,
      (a, more, decimals) => {
        expect(roundUpForPayer(a + more, decimals)).toBeGreaterThanOrEqual(roundUpForPayer(a, decimals));
      },
    );
    fc.assert(property, { numRuns: 2_000 });
  });

  test('returns at most eight decimals from 0.0001 coins on, and six from 0.01', () => {
    const property = fc.property(fc.bigInt(1n, 10n ** 24n), fc.constantFrom(9, 18), (exact, decimals) => {
      const asked = roundUpForPayer(exact, decimals);
      const one = 10n ** BigInt(decimals);
      if (exact * 10_000n >= one) expect(asked % (one / 10n ** 8n)).toBe(0n);
      if (exact * 100n >= one) expect(asked % (one / 10n ** 6n)).toBe(0n);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test('adds less than a cent for a coin that costs at most 10,000', () => {
    const rates = fc
      .tuple(fc.bigInt(1n, 9_999n), fc.bigInt(0n, 99n))
      .map(([whole, cents]) => `${whole}.${cents.toString().padStart(2, '0')}`);
    const property = fc.property(
      fc.bigInt(1n, 10n ** 9n),
      rates,
      fc.constantFrom(9, 18),
      (minor, rate, decimals) => {
        const asked = roundUpForPayer(coinAmountFor(minor, 2, rate, decimals), decimals);
        expect(convertToMinor(asked, exchangeRateFrom(rate, 2, decimals))).toBe(minor);
      },
    );
    fc.assert(property, { numRuns: 2_000 });
  });
});

describe('convertToMinor and atomsFor', () => {
  test('never return more atoms than the fiat amount is worth, nor more fiat than the atoms are worth', () => {
    const property = fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 14n }),
      fc.constantFrom(0, 2, 3),
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      fc.constantFrom(8, 9, 18),
      (minor, digits, cents, decimals) => {
        const rate = `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`;
        fc.pre(/[1-9]/.test(rate));
        const worth = exchangeRateFrom(rate, digits, decimals);
        const atoms = atomsFor(minor, worth);
        expect(atoms).toBeLessThanOrEqual(coinAmountFor(minor, digits, rate, decimals));
        expect(atoms + 1n).toBeGreaterThanOrEqual(coinAmountFor(minor, digits, rate, decimals));
        expect(convertToMinor(atoms, worth)).toBeLessThanOrEqual(minor);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test('reject a rate of zero', () => {
    expect(() => exchangeRateFrom('0', 2, 8)).toThrow(AmountError);
  });
});
