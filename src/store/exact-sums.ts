import { sql, type RawBuilder } from 'kysely';

/**
 * Exact sums of whole numbers that are kept as decimal text (wei do not fit 64 bits): the text is cut
 * into three limbs of twelve digits, each summed as an integer. 36 digits are more than any coin
 * has, and nine million rows of the largest limb still fit the 64 bits of a sum.
 */
const LIMB = 12;
const MIDDLE = 10n ** BigInt(LIMB);
const HIGH = MIDDLE * MIDDLE;

/** A column of limbs that may be beyond what a double holds exactly. */
export function asText(column: string): RawBuilder<string> {
  return sql<string>`cast(${sql.ref(column)} as text)`;
}

/** The sum of a column of limbs, or of sums of them: as text, so that no driver rounds it. */
export function limbTotal(column: string): RawBuilder<string> {
  return sql<string>`cast(sum(${sql.ref(column)}) as text)`;
}

/** What the sums of the limbs come to. */
export function fromLimbs(sums: {
  readonly low: string;
  readonly middle: string;
  readonly high: string;
}): bigint {
  return BigInt(sums.low) + BigInt(sums.middle) * MIDDLE + BigInt(sums.high) * HIGH;
}
