import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMultiples } from '../../../src/wallet/secp256k1-batch.ts';
import { addUp } from '../../../src/wallet/secp256k1-branch.ts';

const { Point } = secp256k1;
const ORDER = Point.Fn.ORDER;
const BITS = 256;

/** Any scalar, those at the ends of windows and of the group among them. */
const scalar = fc.oneof(
  fc.bigInt({ min: 0n, max: ORDER - 1n }),
  fc.nat(BITS - 1).map((bit) => (1n << BigInt(bit)) % ORDER),
  fc.nat(BITS - 1).map((bit) => ((1n << BigInt(bit)) - 1n) % ORDER),
  fc.nat(600).map((small) => BigInt(small)),
  fc.nat(600).map((small) => ORDER - 1n - BigInt(small)),
);

test('adds to a point the multiples that the library adds one by one', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: ORDER - 1n }),
      fc.array(scalar, { maxLength: 12 }),
      (start, scalars) => {
        const point = Point.BASE.multiply(start);
        const expected = scalars.map((each) => point.add(Point.BASE.multiplyUnsafe(each)));
        const sums = addMultiples(point, scalars);
        expect(sums.map((sum, at) => sum.equals(expected[at] ?? Point.ZERO))).toEqual(
          scalars.map(() => true),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('a sum that meets a point of the table or its opposite, the point at infinity among them, is right too', () => {
  for (const start of [1n, 2n, 512n, 1024n, 1025n, ORDER - 1n, ORDER - 512n]) {
    const point = Point.BASE.multiply(start);
    const scalars = [1n, 2n, 3n, 511n, 512n, 513n, 1024n, 1025n, ORDER - 1n, ORDER - start, ORDER - 2n].map(
      (each) => each % ORDER,
    );
    const sums = addMultiples(point, scalars);
    for (const [at, each] of scalars.entries()) {
      expect(sums[at]?.equals(point.add(Point.BASE.multiplyUnsafe(each)))).toBe(true);
    }
  }
});

test('the sum of a batch tells one wrong point among right ones', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: ORDER - 1n }),
      fc.array(scalar, { minLength: 1, maxLength: 12 }),
      fc.nat(),
      fc.bigInt({ min: 1n, max: ORDER - 1n }),
      (start, scalars, which, by) => {
        const point = Point.BASE.multiply(start);
        const points = addMultiples(point, scalars);
        expect(addUp(point, scalars, points)).toBe(true);
        const wrong = which % points.length;
        const off = points.map((each, at) => (at === wrong ? each.add(Point.BASE.multiply(by)) : each));
        expect(addUp(point, scalars, off)).toBe(false);
      },
    ),
    { numRuns: 40 },
  );
});
