import { sql, type RawBuilder } from 'kysely';

/**
 * Exact sums of whole numbers that are kept as decimal text (wei do not fit 64 bits): the text is cut
 * into three limbs of twelve digits, each summed as an integer. 36 digits are more than any coin
 * has, and nine million rows of the largest limb still fit the 64 bits of a sum.
 */
const LIMB = 12;
const ZEROS = '0'.repeat(3 * LIMB);

/** The sums of the limbs of one column of decimal text: as text, so that no driver rounds them. */
export function limbSums(text: RawBuilder<string>) {
  return { low: limbSum(text, 1), middle: limbSum(text, 2), high: limbSum(text, 3) };
}

function limbSum(text: RawBuilder<string>, place: number): RawBuilder<string> {
  const padded = sql`(${sql.lit(ZEROS)} || ${text})`;
  const limb = sql`substr(${padded}, length(${padded}) - ${sql.lit(place * LIMB - 1)}, ${sql.lit(LIMB)})`;
  return sql<string>`cast(sum(cast(${limb} as bigint)) as text)`;
}

/** What the sums of the limbs come to. */
export function fromLimbs(sums: {
  readonly low: string;
  readonly middle: string;
  readonly high: string;
}): bigint {
  const base = 10n ** BigInt(LIMB);
  return BigInt(sums.low) + BigInt(sums.middle) * base + BigInt(sums.high) * base * base;
}
