import { type Code, get, load, number, set, shuffle, store } from '../../wasm/wasm-code.ts';
import { DIGEST_BYTES, LANES, ROW_OF_LANES, STATE_AT, VECTOR_BYTES } from './block-layout.ts';

/** Messages or digests side by side: what stands in rows in memory becomes the lanes of vectors, and back. */

const WORD_BYTES = 4;
const HALF_BYTES = 16;
/** Lanes of one vector, and where the first of each stands. */
const LANES_OF_VECTOR = 4;
const firstLanes = Array.from({ length: LANES / LANES_OF_VECTOR }, (_, half) => LANES_OF_VECTOR * half);

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

/** Up to four vectors from the address of each lane, as columns to where words stand. */
export function wordsFrom(
  addresses: readonly Code[],
  to: number,
  parts: {
    readonly quarters: number;
    readonly scratch: number;
    readonly order: 'big-endian' | 'as they are';
  },
): Code {
  return Array.from({ length: parts.quarters }, (_, quarter) =>
    firstLanes.flatMap((first) => {
      const four = addresses.slice(first, first + LANES_OF_VECTOR);
      const rows = four.map((address) => load(address, VECTOR_BYTES * quarter));
      const { before, columns } = transposed(rows, parts.scratch, parts.order);
      const place = (at: number): number => ROW_OF_LANES * (4 * quarter + at) + WORD_BYTES * first;
      return [...before, ...columns.flatMap((column, at) => store(number(to), column, place(at)))];
    }),
  ).flat();
}

/** The hashes of all lanes, as digests in a row. */
export function digestsTo(address: Code, scratch: number): Code {
  return firstLanes.flatMap((first) =>
    [0, 1].flatMap((half) => {
      const place = (at: number): number => ROW_OF_LANES * (4 * half + at) + WORD_BYTES * first;
      const rows = [0, 1, 2, 3].map((at) => load(number(STATE_AT), place(at)));
      const { before, columns } = transposed(rows, scratch, 'big-endian');
      return [
        ...before,
        ...columns.flatMap((column, lane) =>
          store(address, column, DIGEST_BYTES * (first + lane) + HALF_BYTES * half),
        ),
      ];
    }),
  );
}
