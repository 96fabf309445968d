import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AmountError } from '../../../src/domain/money.ts';
import { atomsFor, coinAmountFor, valueOf, worthAt } from '../../../src/domain/price.ts';

describe('coinAmountFor', () => {
  test.each([
    ['100.00 USD at 100,000 in BTC', 10_000n, 2, '100000', 8, 100_000n],
    ['1 cent at 100,000 in BTC', 1n, 2, '100000', 8, 10n],
    ['10 USD at 3 USD in BTC, rounded up', 1000n, 2, '3', 8, 333_333_334n],
    ['10 JPY at 15,000,000 in BTC, rounded up from 66.67', 10n, 0, '15000000', 8, 67n],
    ['1.000 KWD at 30,769.230769 in BTC, rounded up', 1000n, 3, '30769.230769', 8, 3251n],
    ['49.99 EUR at 3,680.55 in ETH', 4999n, 2, '3680.55', 18, 13582209180693103n],
    ['nothing', 0n, 2, '100000', 8, 0n],
  ] as const)('%s', (_, minor, digits, rate, decimals, expected) => {
    expect(coinAmountFor(minor, digits, rate, decimals)).toBe(expected);
  });

  const rate = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 8n - 1n }))
    .map(([whole, fraction]) => `${whole}.${fraction.toString().padStart(8, '0')}`);

  test('is never less than the price, and less than one atom more, whatever the numbers', () => {
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

  test('a higher price never costs fewer atoms', () => {
    const property = fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), rate, (minor, rate) => {
      expect(coinAmountFor(minor + 1n, 2, rate, 8)).toBeGreaterThanOrEqual(coinAmountFor(minor, 2, rate, 8));
    });
    fc.assert(property);
  });

  test.each(['0', '0.000', '', '-1', '1e5', 'abc', '1.', '.5', ' 1', '1,000', '9'.repeat(65)])(
    'refuses the rate "%s"',
    (wrong) => expect(() => coinAmountFor(1n, 2, wrong, 8)).toThrow(AmountError),
  );

  test('refuses a negative price', () => {
    expect(() => coinAmountFor(-1n, 2, '1', 8)).toThrow(AmountError);
  });
});

describe('worthAt', () => {
  test('buys no more atoms than the money is worth, and shows no more money than the atoms are', () => {
    const property = fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 14n }),
      fc.constantFrom(0, 2, 3),
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      fc.constantFrom(8, 9, 18),
      (minor, digits, cents, decimals) => {
        const rate = `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`;
        fc.pre(/[1-9]/.test(rate));
        const worth = worthAt(rate, digits, decimals);
        const atoms = atomsFor(minor, worth);
        expect(atoms).toBeLessThanOrEqual(coinAmountFor(minor, digits, rate, decimals));
        expect(atoms + 1n).toBeGreaterThanOrEqual(coinAmountFor(minor, digits, rate, decimals));
        expect(valueOf(atoms, worth)).toBeLessThanOrEqual(minor);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test('takes no rate of nothing', () => {
    expect(() => worthAt('0', 2, 8)).toThrow(AmountError);
  });
});
