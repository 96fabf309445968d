import { sql, type RawBuilder } from 'kysely';

/**
 * Exact sums of whole numbers that are kept as decimal text (wei do not fit 64 bits): the text is cut
 * into three limbs of twelve digits, each summed as an integer. 36 digits are more than any coin
 * has, and nine million rows of the largest limb still fit the 64 bits of a sum.
 */
const LIMB = 12;
const MIDDLE = 10n ** BigInt(LIMB);
const HIGH = MIDDLE * MIDDLE;

/** A limb, or a sum of limbs, as text, so that no driver rounds it; null for zero, which most of them are. */
type Limb = string | null;

/** A column of limbs. */
export function limbOf(column: string): RawBuilder<Limb> {
  return sql<Limb>`cast(nullif(${sql.ref(column)}, 0) as text)`;
}

/** The sum of a column of limbs, or of sums of them. */
export function limbTotal(column: string): RawBuilder<Limb> {
  return sql<Limb>`cast(nullif(sum(${sql.ref(column)}), 0) as text)`;
}

/** What the sums of the limbs come to. */
export function fromLimbs({
  low,
  middle,
  high,
}: {
  readonly low: Limb;
  readonly middle: Limb;
  readonly high: Limb;
}): bigint {
  let sum = low === null ? 0n : BigInt(low);
  if (middle !== null) sum += BigInt(middle) * MIDDLE;
  if (high !== null) sum += BigInt(high) * HIGH;
  return sum;
}
