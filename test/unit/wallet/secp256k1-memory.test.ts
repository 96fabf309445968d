import { secp256k1 } from '@noble/curves/secp256k1.js';
import { expect, test } from 'vitest';
import { PointMemory } from '../../../src/wallet/secp256k1-memory.ts';

const { Point } = secp256k1;
const PRIME = Point.Fp.ORDER;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const near = (value: bigint): bigint[] => Array.from({ length: 6 }, (_, by) => value + BigInt(by) - 3n);

/** Points at both ends of the field and where limbs are full or empty, each of them and its opposite. */
function extremePoints(): InstanceType<typeof Point>[] {
  const edges = [3n, PRIME - 4n, ...Array.from({ length: 9 }, (_, limb) => 1n << BigInt(29 * (limb + 1)))];
  const xs = [...edges, PRIME - (1n << 232n), (PRIME >> 1n) + 1n]
    .flatMap(near)
    .filter((x) => x >= 0n && x < PRIME);
  return [...new Set(xs)].flatMap((x) => {
    const bytes = Buffer.from(`02${x.toString(16).padStart(64, '0')}`, 'hex');
    try {
      const point = Point.fromBytes(bytes);
      return [point, point.negate()];
    } catch {
      // About half of all numbers are the x of no point.
      return [];
    }
  });
}

test('sums at the edges of the field are those of the library, to the bit', () => {
  const points = extremePoints();
  expect(points.length).toBeGreaterThan(40);
  const memory = new PointMemory({ points: 2 * points.length, pairs: points.length });
  for (let shift = 1; shift < points.length; shift += 1) {
    const expected: string[] = [];
    const sums: number[] = [];
    for (const [at, point] of points.entries()) {
      const other = points[(at + shift) % points.length] ?? point;
      if (point.x === other.x) continue;
      const slot = 2 * sums.length;
      memory.write(slot, point.toBytes(false));
      memory.write(slot + 1, other.toBytes(false));
      memory.plan(slot, slot + 1);
      sums.push(slot);
      expected.push(hex(point.add(other).toBytes(false)));
    }
    expect(memory.addPlanned()).toBe(true);
    expect(sums.map((slot) => hex(memory.read(slot)))).toEqual(expected);
  }
});

test('what is written is read back, an opposite too', () => {
  const memory = new PointMemory({ points: 3, pairs: 1 });
  for (const point of extremePoints()) {
    memory.write(0, point.toBytes(false));
    memory.copy(0, 1);
    memory.copyOpposite(1, 2);
    expect(hex(memory.read(1))).toBe(hex(point.toBytes(false)));
    expect(hex(memory.read(2))).toBe(hex(point.negate().toBytes(false)));
  }
});

test('two points that share their x are not added, and others can be afterwards', () => {
  const memory = new PointMemory({ points: 4, pairs: 2 });
  const [one, two] = [Point.BASE, Point.BASE.double()];
  for (const twin of [two, two.negate()]) {
    memory.write(0, one.toBytes(false));
    memory.write(1, two.toBytes(false));
    memory.write(2, twin.toBytes(false));
    memory.write(3, two.toBytes(false));
    memory.plan(0, 1);
    memory.plan(2, 3);
    expect(memory.addPlanned()).toBe(false);
    memory.write(0, one.toBytes(false));
    memory.plan(0, 1);
    expect(memory.addPlanned()).toBe(true);
    expect(hex(memory.read(0))).toBe(hex(one.add(two).toBytes(false)));
  }
});

test('a point that is on no curve is never handed out', () => {
  const memory = new PointMemory({ points: 1, pairs: 1 });
  const bytes = Point.BASE.toBytes(false);
  bytes[64] = (bytes[64] ?? 0) ^ 1;
  memory.write(0, bytes);
  expect(() => memory.read(0)).toThrow('does not lie on its curve');
});

test('more additions than there is room for are refused', () => {
  const memory = new PointMemory({ points: 2, pairs: 1 });
  memory.plan(0, 1);
  expect(() => memory.plan(0, 1)).toThrow(RangeError);
});
