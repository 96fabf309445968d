import type { Share } from './types.ts';

export const NO_SHARE: Share = { numerator: 0n, denominator: 1n };
export const WHOLE_PRICE: Share = { numerator: 1n, denominator: 1n };

export function addShares(a: Share, b: Share): Share {
  if (a.denominator === b.denominator) {
    return { numerator: a.numerator + b.numerator, denominator: a.denominator };
  }
  return {
    numerator: a.numerator * b.denominator + b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  };
}

/** May be negative. */
export function subtractShares(a: Share, b: Share): Share {
  return addShares(a, { numerator: -b.numerator, denominator: b.denominator });
}

/** True when `a` is more than `b`. */
export function isMore(a: Share, b: Share): boolean {
  return a.numerator * b.denominator > b.numerator * a.denominator;
}

export function minShare(a: Share, b: Share): Share {
  return isMore(a, b) ? b : a;
}

/** Maximum denominator of a stored share; beyond, the share is rounded up to a multiple of 1/FINEST. */
const FINEST = 10n ** 60n;

/** In lowest terms, and short enough to be stored. */
export function reduceShare({ numerator, denominator }: Share): Share {
  const divisor = greatestDivisor(numerator, denominator);
  const least = { numerator: numerator / divisor, denominator: denominator / divisor };
  if (least.denominator <= FINEST) return least;
  return { numerator: ceilDivide(least.numerator * FINEST, least.denominator), denominator: FINEST };
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}

/** @param dividend not negative */
function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
