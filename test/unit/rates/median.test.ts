import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { medianRate, type Observation } from '../../../src/rates/median.ts';

const observe = (...rates: (number | string)[]): Observation[] =>
  rates.map((rate, at) => ({ source: `s${at}`, rate: String(rate), at: 1000 + at }));

describe('medianRate', () => {
  test.each([
    ['is nothing for no sources', [], null],
    ['is the price of a single source', [100], { rate: '100', sources: ['s0'], at: 1000 }],
    ['is the mean of two that agree', [100, 101], { rate: '100.5', sources: ['s0', 's1'], at: 1000 }],
    ['is nothing for two that contradict each other', [100, 106], null],
    ['is the median of three', [99, 101, 100], { rate: '100', sources: ['s0', 's1', 's2'], at: 1000 }],
    ['ignores an outlier', [50, 100, 101], { rate: '100.5', sources: ['s1', 's2'], at: 1001 }],
    [
      'ignores one outlier among four',
      [100, 101, 102, 900],
      { rate: '101', sources: ['s0', 's1', 's2'], at: 1000 },
    ],
    ['is nothing for three that all differ', [100, 110, 121], null],
    ['is nothing for two against two', [100, 100, 200, 200], null],
  ])('%s', (_, rates, expected) => {
    expect(medianRate(observe(...rates))).toEqual(expected);
  });

  const price = fc
    .bigInt({ min: 1n, max: 10n ** 15n })
    .map((n) => new Big(n.toString()).times('0.000001').toFixed());
  const observations = fc.array(price, { maxLength: 8 }).map((rates) => observe(...rates));

  test('lies between the prices of the sources that count, which are close together', () => {
    const property = fc.property(observations, (given) => {
      const agreed = medianRate(given);
      if (agreed === null) return;
      const kept = given
        .filter(({ source }) => agreed.sources.includes(source))
        .map(({ rate }) => new Big(rate));
      const [low, high] = [
        kept.reduce((a, b) => (a.lt(b) ? a : b)),
        kept.reduce((a, b) => (a.gt(b) ? a : b)),
      ];
      const slack = new Big('0.00000001');
      expect(new Big(agreed.rate).gte(low.minus(slack)) && new Big(agreed.rate).lte(high.plus(slack))).toBe(
        true,
      );
      expect(high.div(low).lte('1.051')).toBe(true);
      expect(agreed.rate).toMatch(/^\d+(\.\d{1,8})?$/);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test('does not depend on the order of the sources', () => {
    const property = fc.property(observations, (given) => {
      expect(medianRate(given.toReversed())?.rate).toBe(medianRate(given)?.rate);
    });
    fc.assert(property);
  });

  test('changes because of one wrong source among four by no more than the other sources differ', () => {
    const near = fc.integer({ min: 99_900, max: 100_100 });
    const property = fc.property(fc.tuple(near, near, near), price, ([a, b, c], lie) => {
      const agreed = medianRate(observe(a, b, c, lie));
      expect(Number(agreed?.rate)).toBeGreaterThanOrEqual(99_900);
      expect(Number(agreed?.rate)).toBeLessThanOrEqual(100_100);
    });
    fc.assert(property, { numRuns: 300 });
  });
});
