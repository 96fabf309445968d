import { type Code, get, load, number, set, shuffle, store } from '../../wasm/wasm-code.ts';
import { DIGEST_BYTES, STATE_AT, VECTOR_BYTES } from './block-layout.ts';

/** Four messages or digests side by side: what stands in rows in memory becomes the lanes of vectors, and back. */

const HALF_BYTES = 16;

const REVERSED_WORDS = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
const LOW_WORDS = words(0, 4, 1, 5);
const HIGH_WORDS = words(2, 6, 3, 7);
const LOW_PAIRS = words(0, 1, 4, 5);
const HIGH_PAIRS = words(2, 3, 6, 7);

function words(...numbers: readonly number[]): number[] {
  return numbers.flatMap((word) => [4 * word, 4 * word + 1, 4 * word + 2, 4 * word + 3]);
}

/** Turns four rows of four words into four columns; big-endian words into the machine's, and back, if they are. */
function transposed(
  rows: readonly Code[],
  scratch: number,
  order: 'big-endian' | 'as they are',
): { before: Code; columns: Code[] } {
  const [a = [], b = [], c = [], d = []] = rows;
  const [low01, low23, high01, high23] = [scratch, scratch + 1, scratch + 2, scratch + 3];
  const before = [
    ...set(low01, shuffle(a, b, LOW_WORDS)),
    ...set(low23, shuffle(c, d, LOW_WORDS)),
    ...set(high01, shuffle(a, b, HIGH_WORDS)),
    ...set(high23, shuffle(c, d, HIGH_WORDS)),
  ];
  const columns = [
    shuffle(get(low01), get(low23), LOW_PAIRS),
    shuffle(get(low01), get(low23), HIGH_PAIRS),
    shuffle(get(high01), get(high23), LOW_PAIRS),
    shuffle(get(high01), get(high23), HIGH_PAIRS),
  ];
  if (order === 'as they are') return { before, columns };
  return { before, columns: columns.map((column) => shuffle(column, column, REVERSED_WORDS)) };
}

/** Four vectors from each of four addresses, as columns to where words stand. */
export function wordsFrom(
  addresses: readonly Code[],
  to: number,
  parts: {
    readonly quarters: number;
    readonly scratch: number;
    readonly order: 'big-endian' | 'as they are';
  },
): Code {
  return Array.from({ length: parts.quarters }, (_, quarter) => {
    const rows = addresses.map((address) => load(address, VECTOR_BYTES * quarter));
    const { before, columns } = transposed(rows, parts.scratch, parts.order);
    return [
      ...before,
      ...columns.flatMap((column, at) => store(number(to), column, VECTOR_BYTES * (4 * quarter + at))),
    ];
  }).flat();
}

/** The four hashes, as digests in a row. */
export function digestsTo(address: Code, scratch: number): Code {
  return [0, 1].flatMap((half) => {
    const rows = [0, 1, 2, 3].map((at) => load(number(STATE_AT), VECTOR_BYTES * (4 * half + at)));
    const { before, columns } = transposed(rows, scratch, 'big-endian');
    return [
      ...before,
      ...columns.flatMap((column, lane) => store(address, column, DIGEST_BYTES * lane + HALF_BYTES * half)),
    ];
  });
}
