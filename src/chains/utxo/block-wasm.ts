import {
  type Code,
  constant,
  get,
  i16x8,
  i32,
  i32x4,
  i8x16,
  load,
  loop,
  moduleOf,
  number,
  set,
  shuffle,
  store,
  v128,
  type WasmFunction,
} from '../../wasm/wasm-code.ts';

/**
 * SHA-256 (FIPS 180-4) of four messages at a time, and what a block needs around it, as a WebAssembly
 * module: node:crypto hashes fast, but a call costs more than a short hash, and a block has thousands.
 */

/** Where the running hashes of four messages stand: eight words, each of them four lanes. */
export const STATE_AT = 0;
/** The round constants, each four times; whoever makes the memory puts them there. */
export const CONSTANTS_AT = 128;
/** Bytes that the decoder of hex calculates with, sixteen of each, put there likewise: V8 puts written ones together anew each time. */
export const DIGITS_AT = 1_152;
export const DIGIT_BYTES = [0x20, 0x1f, 0x86, 0x50, 0x8a, 0x0f, 0x09] as const;
/** The first address that is free. */
export const FREE_AT = 2_048;
/** What the copy of a message may write beyond its end. */
export const GATHER_SLACK = 96;
/** The text that one step of the decoder takes. */
export const HEX_STEP = 32;

const LANES = 4;
const WORDS = 16;
const VECTOR_BYTES = 16;

/** The first 32 bits of the fractions of the square (2) or cube (3) roots of the first primes. */
function rootsOfPrimes(count: number, degree: 2 | 3): number[] {
  const primes: bigint[] = [];
  for (let candidate = 2n; primes.length < count; candidate += 1n) {
    if (primes.every((prime) => candidate % prime !== 0n)) primes.push(candidate);
  }
  return primes.map((prime) => {
    const wanted = prime << BigInt(32 * degree);
    let low = 0n;
    let high = prime << 32n;
    while (low < high) {
      const middle = (low + high + 1n) / 2n;
      if (middle ** BigInt(degree) <= wanted) low = middle;
      else high = middle - 1n;
    }
    return Number(low & 0xffff_ffffn);
  });
}

export const INITIAL_STATE: readonly number[] = rootsOfPrimes(8, 2);
export const ROUND_CONSTANTS: readonly number[] = rootsOfPrimes(64, 3);

const REVERSED_WORDS = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
const LOW_WORDS = words(0, 4, 1, 5);
const HIGH_WORDS = words(2, 6, 3, 7);
const LOW_PAIRS = words(0, 1, 4, 5);
const HIGH_PAIRS = words(2, 3, 6, 7);

function words(...numbers: readonly number[]): number[] {
  return numbers.flatMap((word) => [4 * word, 4 * word + 1, 4 * word + 2, 4 * word + 3]);
}

/** Turns four rows of four words into four columns; big-endian words into the machine's, and back. */
function transposed(rows: readonly Code[], scratch: readonly number[]): { before: Code; columns: Code[] } {
  const [a = [], b = [], c = [], d = []] = rows;
  const [low01 = 0, low23 = 0, high01 = 0, high23 = 0] = scratch;
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
  return { before, columns: columns.map((column) => shuffle(column, column, REVERSED_WORDS)) };
}

const rotated = (value: Code, bits: number): Code =>
  v128.or(i32x4.shr(value, bits), i32x4.shl(value, 32 - bits));
const xor3 = (a: Code, b: Code, c: Code): Code => v128.xor(v128.xor(a, b), c);
const sum = (first: Code, ...others: readonly Code[]): Code =>
  others.reduce((total, each) => i32x4.add(total, each), first);

/** FIPS 180-4, 4.1.2. */
const bigSigma0 = (x: Code): Code => xor3(rotated(x, 2), rotated(x, 13), rotated(x, 22));
const bigSigma1 = (x: Code): Code => xor3(rotated(x, 6), rotated(x, 11), rotated(x, 25));
const smallSigma0 = (x: Code): Code => xor3(rotated(x, 7), rotated(x, 18), i32x4.shr(x, 3));
const smallSigma1 = (x: Code): Code => xor3(rotated(x, 17), rotated(x, 19), i32x4.shr(x, 10));
const choice = (x: Code, y: Code, z: Code): Code => v128.xor(v128.and(v128.xor(y, z), x), z);
/** Of x, y and z, given where x and y differ, and where y and z do: what differs from neither of both is y. */
const majority = (y: Code, xy: Code, yz: Code): Code => v128.xor(y, v128.and(xy, yz));

/** The locals of `compress`: four block addresses, the constants' address, then vectors. */
const AT = 4;
const A = 5;
const W = A + 8;
const T = W + WORDS;
/** Where a and b of this round differ, and of the one before: there these were b and c. */
const DIFFER = T + 1;
const SCRATCH = DIFFER + 2;

/** One round (6.2.2): the names of the eight variables move on instead of their values. */
function round(step: number): Code {
  const variable = (name: number): number => A + ((name - step + 64) % 8);
  const [a, b, d] = [variable(0), variable(1), variable(3)];
  const [ab, bc] = step % 2 === 0 ? [DIFFER, DIFFER + 1] : [DIFFER + 1, DIFFER];
  const [e, f, g, h] = [variable(4), variable(5), variable(6), variable(7)];
  const constantOfRound = load(get(AT), VECTOR_BYTES * step);
  return [
    ...set(T, sum(get(h), constantOfRound, get(W + step), choice(get(e), get(f), get(g)), bigSigma1(get(e)))),
    ...set(d, sum(get(d), get(T))),
    ...set(ab, v128.xor(get(a), get(b))),
    ...set(h, sum(get(T), majority(get(b), get(ab), get(bc)), bigSigma0(get(a)))),
  ];
}

/** The message schedule, sixteen words on. */
function scheduled(step: number): Code {
  const word = (ahead: number): Code => get(W + ((step + ahead) % WORDS));
  return set(W + step, sum(word(0), smallSigma0(word(1)), word(9), smallSigma1(word(14))));
}

/** compress(a, b, c, d): takes the 64 bytes at each of four addresses into the running hashes. */
function compress(): WasmFunction {
  const steps = Array.from({ length: WORDS }, (_, step) => step);
  const rounds = (hasSchedule: boolean): Code =>
    steps.flatMap((step) => [...(hasSchedule ? scheduled(step) : []), ...round(step)]);
  const variables = [0, 1, 2, 3, 4, 5, 6, 7];
  const advance = set(AT, i32.add(get(AT), number(VECTOR_BYTES * WORDS)));
  const taken = [0, 1, 2, 3].flatMap((quarter) => {
    const rows = [0, 1, 2, 3].map((lane) => load(get(lane), VECTOR_BYTES * quarter));
    const { before, columns } = transposed(rows, [SCRATCH, SCRATCH + 1, SCRATCH + 2, SCRATCH + 3]);
    return [...before, ...columns.flatMap((column, at) => set(W + 4 * quarter + at, column))];
  });
  const code = [
    ...taken,
    ...variables.flatMap((at) => set(A + at, load(number(STATE_AT), VECTOR_BYTES * at))),
    ...set(DIFFER + 1, v128.xor(get(A + 1), get(A + 2))),
    ...set(AT, number(CONSTANTS_AT)),
    ...rounds(false),
    ...advance,
    ...loop(
      [...rounds(true), ...advance],
      i32.isBelow(get(AT), number(CONSTANTS_AT + VECTOR_BYTES * ROUND_CONSTANTS.length)),
    ),
    ...variables.flatMap((at) =>
      store(number(STATE_AT), sum(get(A + at), load(number(STATE_AT), VECTOR_BYTES * at)), VECTOR_BYTES * at),
    ),
  ];
  return { name: 'compress', parameters: LANES, answers: false, numbers: 1, vectors: 8 + WORDS + 7, code };
}

/** begin(): four new hashes. */
function begin(): WasmFunction {
  const code = INITIAL_STATE.flatMap((word, at) => {
    const bytes = [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24];
    return store(number(STATE_AT), constant([...bytes, ...bytes, ...bytes, ...bytes]), VECTOR_BYTES * at);
  });
  return { name: 'begin', parameters: 0, answers: false, numbers: 0, vectors: 0, code };
}

/** digests(a, b, c, d): writes the four hashes, 32 bytes each. */
function digests(): WasmFunction {
  const code = [0, 1].flatMap((half) => {
    const rows = [0, 1, 2, 3].map((at) => load(number(STATE_AT), VECTOR_BYTES * (4 * half + at)));
    const { before, columns } = transposed(rows, [4, 5, 6, 7]);
    return [...before, ...columns.flatMap((column, lane) => store(get(lane), column, VECTOR_BYTES * half))];
  });
  return { name: 'digests', parameters: LANES, answers: false, numbers: 0, vectors: 4, code };
}

/** gather(to, from, end): copies bytes, at least one, and writes zeros behind them (GATHER_SLACK). */
function gather(): WasmFunction {
  const [to, from, end] = [0, 1, 2];
  const zero = constant(Array.from({ length: VECTOR_BYTES }, () => 0));
  const code = [
    ...loop(
      [
        ...store(get(to), load(get(from))),
        ...set(to, i32.add(get(to), number(VECTOR_BYTES))),
        ...set(from, i32.add(get(from), number(VECTOR_BYTES))),
      ],
      i32.isBelow(get(from), get(end)),
    ),
    // Back to the end of what was asked for.
    ...set(to, i32.add(get(to), [...get(end), ...get(from), 0x6b])),
    ...[0, 1, 2, 3, 4].flatMap((at) => store(get(to), zero, VECTOR_BYTES * at)),
  ];
  return { name: 'gather', parameters: 3, answers: false, numbers: 0, vectors: 0, code };
}

/** decodeHex(to, from, end): a text of steps of HEX_STEP digits to bytes; 1 when all are digits. `to` may be `from`. */
function decodeHex(): WasmFunction {
  const [to, from, end] = [0, 1, 2];
  const [isHex, isLetter] = [3, 4];
  const all = (byte: (typeof DIGIT_BYTES)[number]): Code =>
    load(number(DIGITS_AT + VECTOR_BYTES * DIGIT_BYTES.indexOf(byte)));
  const nibbles = (offset: number, into: number): Code => [
    ...set(into, load(get(from), offset)),
    // Moved so that the six letters, or the ten digits, are the lowest of all signed bytes: one comparison finds them.
    ...set(isLetter, i8x16.isBelowSigned(i8x16.add(v128.or(get(into), all(0x20)), all(0x1f)), all(0x86))),
    ...set(
      isHex,
      v128.and(
        get(isHex),
        v128.or(get(isLetter), i8x16.isBelowSigned(i8x16.add(get(into), all(0x50)), all(0x8a))),
      ),
    ),
    // The low half of a letter is one less than nine below its value.
    ...set(into, i8x16.add(v128.and(get(into), all(0x0f)), v128.and(get(isLetter), all(0x09)))),
    // The first digit of each pair is the low byte of a word: high nibble.
    ...set(into, v128.and(v128.or(i16x8.shl(get(into), 4), i16x8.shr(get(into), 8)), evenBytes())),
  ];
  const code = [
    ...set(isHex, constant(Array.from({ length: VECTOR_BYTES }, () => 0xff))),
    ...loop(
      [
        ...nibbles(0, 5),
        ...nibbles(VECTOR_BYTES, 6),
        ...store(get(to), i8x16.narrow(get(5), get(6))),
        ...set(to, i32.add(get(to), number(VECTOR_BYTES))),
        ...set(from, i32.add(get(from), number(HEX_STEP))),
      ],
      i32.isBelow(get(from), get(end)),
    ),
    ...v128.isAllSetI8(get(isHex)),
  ];
  return { name: 'decodeHex', parameters: 3, answers: true, numbers: 0, vectors: 4, code };
}

function evenBytes(): Code {
  return constant(Array.from({ length: VECTOR_BYTES }, (_, at) => (at % 2 === 0 ? 0xff : 0)));
}

/** The module's bytes. */
export function blockWasm(): Uint8Array<ArrayBuffer> {
  return moduleOf([compress(), begin(), digests(), gather(), decodeHex()]);
}
