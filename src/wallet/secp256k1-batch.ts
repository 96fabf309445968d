import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { PointMemory } from './secp256k1-memory.ts';

const { Point } = secp256k1;
export type CurvePoint = InstanceType<typeof Point>;

/** A point to be written down. */
export interface EncodablePoint {
  /** As SEC 1 writes it. */
  toBytes(isCompressed: boolean): Uint8Array;
}

/** Bits of a scalar that one addition settles. */
const WINDOW = 10;
const DIGITS = 1 << WINDOW;
/** Half of them are kept, the others are their opposites. */
const HALF = DIGITS / 2;
const WINDOWS = Math.ceil(256 / WINDOW);
/** Digits that fit into a plain number: handling large ones takes longer. */
const AT_ONCE = 5;
/** What is added up for each scalar: the start and a point of each window. */
const TERMS = WINDOWS + 1;
/** Scalars taken together at most. */
const BATCH = 64;
const SCALAR_BYTES = 32;

/** Numbers of the points: those of the table, then those that doublings of the generator are put into, then terms. */
const DOUBLINGS_FROM = WINDOWS * HALF;
const TERMS_FROM = DOUBLINGS_FROM + WINDOW;
const POINTS = TERMS_FROM + BATCH * TERMS;

/**
 * A digit d of window w stands for (2d + 1 - DIGITS) times half of 2^(WINDOW·w): an odd multiple, never
 * none. So a scalar's digits are those of the sum of itself and this.
 */
const BIAS = Point.Fn.create(
  Array.from({ length: WINDOWS }, (_, window) => 1n << BigInt(WINDOW * window)).reduce(
    (sum, each) => sum + each,
  ) *
    BigInt(DIGITS - 1) *
    Point.Fn.inv(2n),
);

let memory: PointMemory | null = null;

/**
 * start + scalar·G for each scalar. Each is a sum of 27 points, 26 of them from a table; they are added up
 * in five rounds, in each of which all scalars share the one division that adding points in plain
 * coordinates needs. No two of a sum's terms are ever equal or opposite but by way of `start`, or of a
 * total beyond the group's order. Takes variable time: for public data.
 */
export function addMultiples(start: CurvePoint, scalars: readonly bigint[]): EncodablePoint[] {
  const points = (memory ??= createTable());
  const sums: EncodablePoint[] = [];
  for (let from = 0; from < scalars.length; from += BATCH) {
    const some = scalars.slice(from, from + BATCH);
    sums.push(...(addTogether(points, start, some) ?? addOneByOne(start, some)));
  }
  return sums;
}

/** Null when two points that had to be added had the same x. */
function addTogether(
  points: PointMemory,
  start: CurvePoint,
  scalars: readonly bigint[],
): EncodablePoint[] | null {
  if (start.is0()) return null;
  points.write(TERMS_FROM, start.toBytes(false));
  for (const [at, scalar] of scalars.entries()) {
    const first = TERMS_FROM + at * TERMS;
    points.copy(TERMS_FROM, first);
    putTerms(points, first + 1, scalar);
  }
  for (let left = TERMS; left > 1; left = Math.ceil(left / 2)) {
    const kept = Math.ceil(left / 2);
    for (let at = 0; at < scalars.length; at += 1) {
      const first = TERMS_FROM + at * TERMS;
      for (let term = 0; term + kept < left; term += 1) points.plan(first + term, first + term + kept);
    }
    if (!points.addPlanned()) return null;
  }
  return scalars.map((_, at) => encodable(points.read(TERMS_FROM + at * TERMS)));
}

/** What points add up to. */
export function sumOfPoints(points: readonly EncodablePoint[]): CurvePoint {
  const some = points.flatMap((point) => (point instanceof Point ? [] : [point.toBytes(false)]));
  const sum = some.length === points.length ? sumTogether(some) : null;
  if (sum !== null) return Point.fromBytes(sum);
  return points
    .map((point) => (point instanceof Point ? point : Point.fromBytes(point.toBytes(false))))
    .reduce((total, point) => total.add(point), Point.ZERO);
}

/** Null when two points that had to be added had the same x, or when there are too many or none. */
function sumTogether(uncompressed: readonly Uint8Array[]): Uint8Array | null {
  const points = (memory ??= createTable());
  if (uncompressed.length === 0 || uncompressed.length > BATCH * TERMS) return null;
  for (const [at, bytes] of uncompressed.entries()) points.write(TERMS_FROM + at, bytes);
  for (let left = uncompressed.length; left > 1; left = Math.ceil(left / 2)) {
    const kept = Math.ceil(left / 2);
    for (let at = 0; at + kept < left; at += 1) points.plan(TERMS_FROM + at, TERMS_FROM + at + kept);
    if (!points.addPlanned()) return null;
  }
  return points.read(TERMS_FROM);
}

/** Not once in the life of the universe by chance. */
function addOneByOne(start: CurvePoint, scalars: readonly bigint[]): CurvePoint[] {
  return scalars.map((scalar) => start.add(Point.BASE.multiplyUnsafe(scalar)));
}

function putTerms(points: PointMemory, first: number, scalar: bigint): void {
  let rest = scalar + BIAS;
  let digits = 0;
  for (let window = 0; window < WINDOWS; window += 1) {
    if (window % AT_ONCE === 0) {
      digits = Number(BigInt.asUintN(WINDOW * AT_ONCE, rest));
      rest >>= BigInt(WINDOW * AT_ONCE);
    }
    const digit = digits % DIGITS;
    digits = (digits - digit) / DIGITS;
    const from = window * HALF;
    if (digit >= HALF) points.copy(from + digit - HALF, first + window);
    else points.copyOpposite(from + HALF - 1 - digit, first + window);
  }
}

/** The odd multiples of half of 2^(WINDOW·w)·G, 1 to DIGITS - 1 times, one window after the other. */
function createTable(): PointMemory {
  const points = new PointMemory({ points: POINTS, pairs: Math.ceil(TERMS / 2) * BATCH });
  const doubled: CurvePoint[] = [];
  let next = Point.BASE.multiplyUnsafe(Point.Fn.inv(2n));
  for (let count = 0; count < WINDOW * WINDOWS; count += 1) {
    doubled.push(next);
    next = next.double();
  }
  const plain = normalizeZ(Point, doubled).map((point) => point.toBytes(false));
  for (let window = 0; window < WINDOWS; window += 1) {
    const first = window * HALF;
    const ofWindow = plain.slice(window * WINDOW, (window + 1) * WINDOW);
    for (const [at, bytes] of ofWindow.entries()) points.write(DOUBLINGS_FROM + at, bytes);
    points.copy(DOUBLINGS_FROM, first);
    // The first `count` odd multiples are there: each of them plus 2·count is one of the next.
    for (let count = 1, doubling = 1; count < HALF; count *= 2, doubling += 1) {
      for (let at = 0; at < count; at += 1) {
        points.copy(first + at, first + count + at);
        points.plan(first + count + at, DOUBLINGS_FROM + doubling);
      }
      if (!points.addPlanned()) throw new Error('the table of multiples is wrong');
    }
  }
  return points;
}

function encodable(uncompressed: Uint8Array): EncodablePoint {
  return {
    toBytes: (isCompressed) => {
      if (!isCompressed) return uncompressed;
      const bytes = uncompressed.slice(0, 1 + SCALAR_BYTES);
      bytes[0] = 0x02 + ((uncompressed.at(-1) ?? 0) & 1);
      return bytes;
    },
  };
}
