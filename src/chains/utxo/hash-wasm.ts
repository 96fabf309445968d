import {
  type Code,
  call,
  choose,
  get,
  i32,
  i32x4,
  load,
  loop,
  number,
  set,
  store,
  v128,
  type WasmFunction,
} from '../../wasm/wasm-code.ts';
import {
  CHUNK_BYTES,
  CONSTANTS_AT,
  DIGEST_BYTES,
  ENDING_AT,
  INITIAL_AT,
  LANES,
  ROUNDS,
  ROW_OF_LANES,
  SECONDS_AT,
  SPARE_AT,
  STATE_AT,
  VECTOR_BYTES,
  WORDS_AT,
  WORDS_OF_CHUNK,
} from './block-layout.ts';
import { digestsTo, wordsFrom } from './lanes-wasm.ts';

/**
 * SHA-256 (FIPS 180-4) of eight messages at a time, and the double one of a block's transactions and their tree:
 * node:crypto hashes fast, but a call costs more than a short hash, and a block has thousands.
 *
 * Everything is done to two vectors in turn. V8 makes one of twice the size of them where the processor has such, going
 * by pairs of stores to neighbouring places, between which nothing may be loaded.
 */

const WORD_BYTES = 4;
const WORDS = 8;
/** Vectors that a word of all lanes takes. */
const HALVES = 2;
const halves = [0, 1] as const;

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

/** The locals of both compressions: two addresses, the constants' address, then words of all lanes. */
const AT = 2;
const A = 3;
const T = A + HALVES * WORDS;
/** Where a and b of this round differ, and of the one before: there these were b and c. */
const DIFFER = T + HALVES;
const W = DIFFER + HALVES * 2;

const both = (work: (half: number) => Code): Code => halves.flatMap((half) => work(half));
/** The place of a half of a word in a row of them. */
const placeOf = (word: number, half: number): number => ROW_OF_LANES * word + VECTOR_BYTES * half;

/** One round (6.2.2): the names of the eight variables move on instead of their values. */
function round(step: number, hasWord: boolean): Code {
  const variable = (name: number, half: number): number => A + HALVES * ((name - step + 64) % 8) + half;
  const [ab, bc] = step % 2 === 0 ? [DIFFER, DIFFER + HALVES] : [DIFFER + HALVES, DIFFER];
  return both((half) => {
    const [a, b, d] = [variable(0, half), variable(1, half), variable(3, half)];
    const [e, f, g, h] = [variable(4, half), variable(5, half), variable(6, half), variable(7, half)];
    const added = [load(get(AT), placeOf(step, half)), ...(hasWord ? [get(W + HALVES * step + half)] : [])];
    return [
      ...set(T + half, sum(get(h), ...added, choice(get(e), get(f), get(g)), bigSigma1(get(e)))),
      ...set(d, sum(get(d), get(T + half))),
      ...set(ab + half, v128.xor(get(a), get(b))),
      ...set(h, sum(get(T + half), majority(get(b), get(ab + half), get(bc + half)), bigSigma0(get(a)))),
    ];
  });
}

/** The message schedule, sixteen words on. */
function scheduled(step: number): Code {
  return both((half) => {
    const word = (ahead: number): Code => get(W + HALVES * ((step + ahead) % WORDS_OF_CHUNK) + half);
    return set(W + HALVES * step + half, sum(word(0), smallSigma0(word(1)), word(9), smallSigma1(word(14))));
  });
}

const steps = Array.from({ length: WORDS_OF_CHUNK }, (_, step) => step);
const variables = [0, 1, 2, 3, 4, 5, 6, 7];
const advance = set(AT, i32.add(get(AT), number(ROW_OF_LANES * WORDS_OF_CHUNK)));
const beginning = (from: Code): Code => [
  ...variables.flatMap((at) => both((half) => set(A + HALVES * at + half, load(from, placeOf(at, half))))),
  ...both((half) =>
    set(DIFFER + HALVES + half, v128.xor(get(A + HALVES + half), get(A + HALVES * 2 + half))),
  ),
];
const ending = (from: Code, to: Code): Code =>
  variables.flatMap((at) => [
    ...both((half) => set(T + half, sum(get(A + HALVES * at + half), load(from, placeOf(at, half))))),
    ...both((half) => store(to, get(T + half), placeOf(at, half))),
  ]);

/** compress(words, from): takes a chunk of each lane, given as words, into the hashes at an address; to STATE_AT. */
function compress(): WasmFunction {
  const [taken, from] = [0, 1];
  const code = [
    ...steps.flatMap((step) =>
      both((half) => set(W + HALVES * step + half, load(get(taken), placeOf(step, half)))),
    ),
    ...beginning(get(from)),
    ...set(AT, number(CONSTANTS_AT)),
    ...steps.flatMap((step) => round(step, true)),
    ...advance,
    ...loop(
      [...steps.flatMap((step) => [...scheduled(step), ...round(step, true)]), ...advance],
      i32.isBelow(get(AT), number(CONSTANTS_AT + ROW_OF_LANES * ROUNDS)),
    ),
    ...ending(get(from), number(STATE_AT)),
  ];
  return {
    name: 'compress',
    parameters: 2,
    answers: false,
    numbers: 1,
    vectors: HALVES * (WORDS + 3 + WORDS_OF_CHUNK),
    code,
  };
}

/** end(from, to): takes the chunk that follows a message of one chunk, of which everything is known, into the hashes. */
function end(): WasmFunction {
  const [from, to] = [0, 1];
  const code = [
    ...beginning(get(from)),
    ...set(AT, number(ENDING_AT)),
    ...loop(
      [...steps.flatMap((step) => round(step, false)), ...advance],
      i32.isBelow(get(AT), number(ENDING_AT + ROW_OF_LANES * ROUNDS)),
    ),
    ...ending(get(from), get(to)),
  ];
  return { name: 'end', parameters: 2, answers: false, numbers: 1, vectors: HALVES * (WORDS + 3), code };
}

const laneNumbers = Array.from({ length: LANES }, (_, lane) => lane);

/** Their numbers in the module, whose first functions these are. */
const COMPRESS = 0;
const END = 1;

/** Leaves a digest's words, in the machine's order, of one lane at an address, and begins a new hash there. */
function takeDigest(lane: number, to: Code): Code {
  return variables.flatMap((at) => {
    const place = ROW_OF_LANES * at + WORD_BYTES * lane;
    return [
      ...i32.store(to, i32.load(number(STATE_AT), place), WORD_BYTES * at),
      ...i32.store(number(STATE_AT), i32.load(number(INITIAL_AT), place), place),
    ];
  });
}

/**
 * hashAll(list, end, to): hashes messages of whole chunks, whose begins and ends are listed; each of the lanes
 * takes the next as soon as it is through with one. To: digests in a row, as words in the machine's order.
 */
function hashAll(): WasmFunction {
  const [list, listEnd, to, busy] = [0, 1, 2, 3];
  const lanes = laneNumbers.map((lane) => ({ lane, at: 4 + 3 * lane, end: 5 + 3 * lane, to: 6 + 3 * lane }));
  const scratch = 4 + 3 * LANES;
  type Lane = (typeof lanes)[number];
  const take = (lane: Lane): Code =>
    choose(
      i32.isBelow(get(list), get(listEnd)),
      [
        ...set(lane.at, i32.load(get(list))),
        ...set(lane.end, i32.load(get(list), WORD_BYTES)),
        ...set(lane.to, get(to)),
        ...set(list, i32.add(get(list), number(2 * WORD_BYTES))),
        ...set(to, i32.add(get(to), number(DIGEST_BYTES))),
        ...set(busy, i32.add(get(busy), number(1))),
      ],
      [...set(lane.at, number(SPARE_AT)), ...set(lane.end, number(0))],
    );
  const through = (lane: Lane): Code => [
    ...takeDigest(lane.lane, get(lane.to)),
    ...set(busy, i32.sub(get(busy), number(1))),
    ...take(lane),
  ];
  const code = [
    ...set(busy, number(0)),
    ...variables.flatMap((at) =>
      both((half) => store(number(STATE_AT), load(number(INITIAL_AT), placeOf(at, half)), placeOf(at, half))),
    ),
    ...lanes.flatMap(take),
    ...loop(
      [
        ...wordsFrom(
          lanes.map(({ at }) => get(at)),
          WORDS_AT,
          { quarters: 4, scratch, order: 'big-endian' },
        ),
        ...call(COMPRESS, number(WORDS_AT), number(STATE_AT)),
        ...lanes.flatMap((lane) =>
          choose(get(lane.end), [
            ...set(lane.at, i32.add(get(lane.at), number(CHUNK_BYTES))),
            ...choose(i32.isEqual(get(lane.at), get(lane.end)), through(lane)),
          ]),
        ),
      ],
      get(busy),
    ),
  ];
  return { name: 'hashAll', parameters: 3, answers: false, numbers: 1 + 3 * LANES, vectors: 4, code };
}

/** hashDigests(at, end): hashes digests in a row, words in the machine's order, once more in their places, as many in each step as there are lanes. */
function hashDigests(): WasmFunction {
  const [at, last] = [0, 1];
  const rows = laneNumbers.map((lane) => i32.add(get(at), number(DIGEST_BYTES * lane)));
  const code = loop(
    [
      ...wordsFrom(rows, SECONDS_AT, { quarters: 2, scratch: 2, order: 'as they are' }),
      ...call(COMPRESS, number(SECONDS_AT), number(INITIAL_AT)),
      ...digestsTo(get(at), 2),
      ...set(at, i32.add(get(at), number(LANES * DIGEST_BYTES))),
    ],
    i32.isBelow(get(at), get(last)),
  );
  return { name: 'hashDigests', parameters: 2, answers: false, numbers: 0, vectors: 4, code };
}

/** hashPairs(from, end, to): one level of the tree from pairs of digests in a row, as many in each step as there are lanes. */
function hashPairs(): WasmFunction {
  const [from, last, to] = [0, 1, 2];
  const rows = laneNumbers.map((lane) => i32.add(get(from), number(CHUNK_BYTES * lane)));
  const code = loop(
    [
      ...wordsFrom(rows, WORDS_AT, { quarters: 4, scratch: 3, order: 'big-endian' }),
      ...call(COMPRESS, number(WORDS_AT), number(INITIAL_AT)),
      ...call(END, number(STATE_AT), number(SECONDS_AT)),
      ...call(COMPRESS, number(SECONDS_AT), number(INITIAL_AT)),
      ...digestsTo(get(to), 3),
      ...set(from, i32.add(get(from), number(LANES * CHUNK_BYTES))),
      ...set(to, i32.add(get(to), number(LANES * DIGEST_BYTES))),
    ],
    i32.isBelow(get(from), get(last)),
  );
  return { name: 'hashPairs', parameters: 3, answers: false, numbers: 0, vectors: 4, code };
}

/** In the order of their numbers: they call each other. */
export const HASHING: readonly WasmFunction[] = [compress(), end(), hashAll(), hashDigests(), hashPairs()];
