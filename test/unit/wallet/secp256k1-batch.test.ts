import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMultiples, type EncodablePoint } from '../../../src/wallet/secp256k1-batch.ts';
import { addUp } from '../../../src/wallet/secp256k1-branch.ts';

const { Point } = secp256k1;
const ORDER = Point.Fn.ORDER;
const BITS = 256;

/** Both ways to write a point down; the point at infinity has none. */
function written(point: EncodablePoint): string {
  if (point instanceof Point && point.is0()) return 'infinity';
  return [true, false].map((isCompressed) => Buffer.from(point.toBytes(isCompressed)).toString('hex')).join();
}

/** The same point by the library's own means. */
function libraryPoint(point: EncodablePoint): InstanceType<typeof Point> {
  return point instanceof Point ? point : Point.fromBytes(point.toBytes(true));
}

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
        expect(addMultiples(point, scalars).map(written)).toEqual(expected.map(written));
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
    const expected = scalars.map((each) => point.add(Point.BASE.multiplyUnsafe(each)));
    expect(sums.map(written)).toEqual(expected.map(written));
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
        const off = points.map((each, at) =>
          at === wrong ? libraryPoint(each).add(Point.BASE.multiply(by)) : each,
        );
        expect(addUp(point, scalars, off)).toBe(false);
      },
    ),
    { numRuns: 40 },
  );
});

test('more at once than one batch takes come in their order', () => {
  const point = Point.BASE.multiply(99n);
  const scalars = Array.from({ length: 150 }, (_, at) => BigInt(at + 1) ** 31n % ORDER);
  const expected = scalars.map((each) => point.add(Point.BASE.multiplyUnsafe(each)));
  expect(addMultiples(point, scalars).map(written)).toEqual(expected.map(written));
});
