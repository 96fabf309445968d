import { sql, type RawBuilder } from 'kysely';
import { COIN_DEFINITIONS, COINS } from '../domain/coins.ts';
import { parseUnits } from '../domain/money.ts';

/**
 * The possible meanings of a merchant's search text, as conditions on columns. Everything is matched
 * literally.
 */

/** Appended to a prefix, sorts after every text with that prefix. */
const HIGHEST = '\u{10FFFF}';
/** Shorter prefixes match too many hashes and addresses to be useful. */
const HASH_PREFIX = /^[0-9a-z]{6,}$/i;
const AMOUNT = /^\d{1,12}(\.\d{0,18})?$/;

/** Whether a text can be the beginning of a transaction hash or of an address. */
export function isHashPrefix(text: string): boolean {
  return HASH_PREFIX.test(text);
}

/** Whether a text can be an amount, or its first digits. */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text);
}

/** Hashes are hexadecimal in lower case, except Solana's; users copy them in either case. */
export function hashBegins(column: string, prefix: string): RawBuilder<boolean> {
  const ranges = [...new Set([prefix, prefix.toLowerCase()])].map(
    (start) => sql`(${sql.ref(column)} >= ${start} and ${sql.ref(column)} < ${start + HIGHEST})`,
  );
  return sql<boolean>`(${sql.join(ranges, sql` or `)})`;
}

/** How much of an address its index has (addresses_by_text), as few addresses of a shop share that much. */
const INDEXED_CHARACTERS = 12;

/** Case-insensitive: no two addresses of a shop differ in letter case alone. */
export function addressBegins(column: string, prefix: string): RawBuilder<boolean> {
  const address = sql.ref(column);
  const indexed = sql`substr(${address}, 1, ${sql.lit(INDEXED_CHARACTERS)})`;
  return sql<boolean>`(${beginsWith(indexed, prefix.slice(0, INDEXED_CHARACTERS))} and ${beginsWith(address, prefix)})`;
}

function beginsWith(text: RawBuilder<unknown>, start: string): RawBuilder<boolean> {
  return sql<boolean>`${text} collate nocase >= ${start} and ${text} collate nocase < ${start + HIGHEST}`;
}

/** Whether an amount in atoms equals these digits of its coin, or continues them with further decimals. */
export function coinAmountBegins(
  columns: { readonly amount: string; readonly coin: string },
  text: string,
): RawBuilder<boolean> {
  const decimals = text.split('.')[1]?.length ?? 0;
  const amount = sql.ref(columns.amount);
  // Compared as a column of the shop's rows: a lookup would read all merchants' money of that coin.
  const ranges = COINS.flatMap((coin) => {
    const more = COIN_DEFINITIONS[coin].decimals - decimals;
    if (more < 0) return [];
    const first = parseUnits(text.replace(/\.$/, ''), COIN_DEFINITIONS[coin].decimals);
    if (first === 0n) return [];
    // Texts of the same length sort like their numbers.
    const [from, last] = [first.toString(), (first + 10n ** BigInt(more) - 1n).toString()];
    return [
      sql`(length(${amount}) = ${from.length} and ${amount} between ${from} and ${last}
        and ${checked(columns.coin)} = ${coin})`,
    ];
  });
  return ranges.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(ranges, sql` or `)})`;
}

/**
 * A column for checking rows, never for looking them up: as a plain column it would lead the planner to
 * scan all of a merchant's rows instead of looking up the few hashes.
 */
export function checked(column: string): RawBuilder<string> {
  return sql<string>`${sql.ref(column)} || ''`;
}
