import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';

const { Point } = secp256k1;
export type CurvePoint = InstanceType<typeof Point>;

const PRIME = Point.Fp.ORDER;
/** Bits of a scalar that one addition settles; digits run from -HALF to HALF. */
const WINDOW = 10;
const HALF = 1 << (WINDOW - 1);
const WINDOWS = Math.ceil(257 / WINDOW);

/** Coordinates of 1 to HALF times 2^(WINDOW·w)·G, one window after the other. */
interface Table {
  readonly x: readonly bigint[];
  readonly y: readonly bigint[];
}

let table: Table | null = null;

/**
 * start + scalar·G for each scalar. Every scalar takes one addition per window, and all of them the same
 * windows together: so they share the one division that adding points in plain coordinates needs, which
 * leaves half the multiplications of coordinates that do without. Takes variable time: for public data.
 */
export function addMultiples(start: CurvePoint, scalars: readonly bigint[]): CurvePoint[] {
  const { x, y } = start.toAffine();
  const sums = scalars.map((scalar) => ({ x, y, digits: digitsOf(scalar), isLost: false }));
  const from = (table ??= createTable());
  for (let window = 0; window < WINDOWS; window += 1) addWindow(sums, from, window);
  return sums.map((sum, at) => {
    const isPlain = !sum.isLost;
    // Not once in the life of the universe by chance: a sum met a point of the table, or its opposite.
    if (!isPlain) return start.add(Point.BASE.multiplyUnsafe(scalars[at] ?? 0n));
    const point = Point.fromAffine({ x: sum.x, y: sum.y < 0n ? sum.y + PRIME : sum.y });
    point.assertValidity();
    return point;
  });
}

interface Sum {
  x: bigint;
  y: bigint;
  readonly digits: readonly number[];
  isLost: boolean;
}

/** A pending addition: the other point, and the product of all differences before this one. */
interface Addition {
  readonly sum: Sum;
  readonly x: bigint;
  readonly y: bigint;
  readonly difference: bigint;
  readonly before: bigint;
}

function addWindow(sums: readonly Sum[], { x: xs, y: ys }: Table, window: number): void {
  const additions: Addition[] = [];
  let product = 1n;
  for (const sum of sums) {
    const digit = sum.digits[window] ?? 0;
    if (digit === 0 || sum.isLost) continue;
    const at = window * HALF + Math.abs(digit) - 1;
    const x = xs[at] ?? 0n;
    const y = ys[at] ?? 0n;
    const difference = x - sum.x;
    if (difference === 0n) {
      sum.isLost = true;
      continue;
    }
    additions.push({ sum, x, y: digit < 0 ? -y : y, difference, before: product });
    product = (product * difference) % PRIME;
  }
  let inverse = Point.Fp.inv(Point.Fp.create(product));
  for (const { sum, x, y, difference, before } of additions.toReversed()) {
    const slope = ((((y - sum.y) * inverse) % PRIME) * before) % PRIME;
    inverse = (inverse * difference) % PRIME;
    const x3 = (slope * slope - sum.x - x) % PRIME;
    sum.y = (slope * (sum.x - x3) - sum.y) % PRIME;
    sum.x = x3 < 0n ? x3 + PRIME : x3;
  }
}

/** The scalar in base 2^WINDOW with digits from -HALF to HALF, lowest first. */
function digitsOf(scalar: bigint): number[] {
  const digits: number[] = [];
  let rest = scalar;
  let carry = 0;
  for (let window = 0; window < WINDOWS; window += 1) {
    const digit = Number(BigInt.asUintN(WINDOW, rest)) + carry;
    rest >>= BigInt(WINDOW);
    carry = digit > HALF ? 1 : 0;
    digits.push(carry === 1 ? digit - 2 * HALF : digit);
  }
  return digits;
}

function createTable(): Table {
  const points: CurvePoint[] = [];
  let base = Point.BASE;
  for (let window = 0; window < WINDOWS; window += 1) {
    let multiple = base;
    for (let times = 1; times <= HALF; times += 1) {
      points.push(multiple);
      if (times < HALF) multiple = multiple.add(base);
    }
    base = multiple.double();
  }
  const plain = normalizeZ(Point, points).map((point) => point.toAffine());
  return { x: plain.map(({ x }) => x), y: plain.map(({ y }) => y) };
}
