import { sql } from 'kysely';

/**
 * Exact sums of atoms in SQL: sums of wei do not fit 64 bits, so amounts are added up in three parts. A query selects
 * `sumParts` over rows with `digits`, an amount without its sign, and `sign`, 1 or -1.
 */

/** Digits of a part of an amount: a sum of parts fits 64 bits. */
const PART = 1_000_000_000n;

export interface PartSums {
  readonly high: string;
  readonly middle: string;
  readonly low: string;
}

export const sumParts = sql.raw(
  `CAST(SUM(sign * CAST(substr(digits, 1, max(length(digits) - 18, 0)) AS INTEGER)) AS TEXT) AS high,
   CAST(SUM(sign * CAST(substr(digits, -18, 9) AS INTEGER)) AS TEXT) AS middle,
   CAST(SUM(sign * CAST(substr(digits, -9) AS INTEGER)) AS TEXT) AS low`,
);

export function joinParts({ high, middle, low }: PartSums): bigint {
  return (BigInt(high) * PART + BigInt(middle)) * PART + BigInt(low);
}
