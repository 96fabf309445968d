import {
  choose,
  get,
  i32,
  i8x16,
  load,
  loop,
  moduleOf,
  number,
  set,
  type Code,
  type WasmFunction,
  v128,
} from '../wasm/wasm-code.ts';

/**
 * The search of text-sheet.ts as a WebAssembly module: sixteen bytes in one step. A call of
 * Buffer.indexOf for each text found would cost more than all the rest, where many are found.
 */

/** Stands behind each text: no byte of UTF-8. */
export const END_OF_TEXT = 0xff;
/** Where the part that is looked for stands, with zeros behind it. */
export const PART_AT = 0;
/** What may be read behind the end of the texts, besides the length of the part. */
export const READ_BEYOND = 128;

const STEP = 16;
const WIDE_STEP = 2 * STEP;
const LONG_STEP = 4 * STEP;
const ALL_BITS = 0xffff;
const ADDRESS_BYTES = 4;

/** The locals of `find`: its parameters, further numbers, then vectors. */
const [AT, END, LENGTH, TO] = [0, 1, 2, 3];
const [HITS, PLACE, LATEST, BETWEEN, BITS] = [4, 5, 6, 7, 8];
const [WANTED, IS_ALIKE, OFFSET] = [9, 10, 11];
const [FIRST, LAST] = [12, 13];

const lastOffset = i32.add(get(LENGTH), number(-1));
const advance = (local: number, by: Code): Code => set(local, i32.add(get(local), by));
/** Bits of 32 bytes in a row. */
const bitsOf = (low: Code, high: Code): Code =>
  i32.or(i8x16.bits(low), i32.shl(i8x16.bits(high), number(STEP)));
/** As many set bits, 31 at most. */
const lowBits = (count: Code): Code => i32.add(i32.shl(number(1), count), number(-1));

/** Places from AT on where the first and the last byte of the part stand as far apart as in the part. */
function candidates(beyond: number): Code {
  return v128.and(
    i8x16.isEqual(load(get(AT), beyond), get(FIRST)),
    i8x16.isEqual(load(i32.add(get(AT), lastOffset), beyond), get(LAST)),
  );
}

/** Of sixteen bytes there and in the part. */
const bitsAlike = (address: Code, offset: Code): Code =>
  i8x16.bits(i8x16.isEqual(load(address), load(offset, PART_AT)));

/** Whether the whole part stands at PLACE: its first bytes, then sixteen more each time; the last step ends with it. */
function compare(): Code {
  const hasMore = i32.and(get(IS_ALIKE), i32.isBelow(get(OFFSET), get(LENGTH)));
  const compareMore = [
    ...choose(
      i32.isBelow(get(LENGTH), i32.add(get(OFFSET), number(STEP))),
      set(OFFSET, i32.add(get(LENGTH), number(-STEP))),
    ),
    ...set(IS_ALIKE, i32.isEqual(bitsAlike(i32.add(get(PLACE), get(OFFSET)), get(OFFSET)), number(ALL_BITS))),
    ...advance(OFFSET, number(STEP)),
  ];
  return [
    ...set(IS_ALIKE, i32.isEqual(i32.and(bitsAlike(get(PLACE), number(0)), get(WANTED)), get(WANTED))),
    ...set(OFFSET, number(STEP)),
    ...choose(hasMore, loop(compareMore, hasMore)),
  ];
}

/** Takes PLACE when it lies in another text than the one taken last: when one ended in between. */
function take(): Code {
  const ends = (beyond: number): Code =>
    i8x16.isEqual(load(get(BETWEEN), beyond), i8x16.splat(number(END_OF_TEXT)));
  const rest = i32.sub(get(PLACE), get(BETWEEN));
  return [
    ...set(BETWEEN, get(LATEST)),
    ...loop(
      [
        ...set(BITS, bitsOf(ends(0), ends(STEP))),
        ...choose(i32.isBelow(rest, number(WIDE_STEP)), set(BITS, i32.and(get(BITS), lowBits(rest)))),
        ...advance(BETWEEN, number(WIDE_STEP)),
      ],
      i32.and(i32.isZero(get(BITS)), i32.isBelow(get(BETWEEN), get(PLACE))),
    ),
    ...choose(get(BITS), [
      ...i32.store(get(TO), get(PLACE)),
      ...advance(TO, number(ADDRESS_BYTES)),
      ...set(LATEST, get(PLACE)),
    ]),
  ];
}

/** Each candidate of this step. Where the next step begins does not hang on them: it can begin meanwhile. */
function lookHere(): Code {
  const lookAtNext = [
    ...set(PLACE, i32.add(get(AT), i32.trailingZeros(get(HITS)))),
    ...set(HITS, i32.and(get(HITS), i32.add(get(HITS), number(-1)))),
    ...compare(),
    ...choose(i32.and(get(IS_ALIKE), i32.isBelow(get(PLACE), get(END))), take()),
  ];
  return [...loop(lookAtNext, get(HITS)), ...advance(AT, number(WIDE_STEP))];
}

/** In long steps over what holds nothing. */
function skip(): Code {
  const two = (beyond: number): Code => v128.or(candidates(beyond), candidates(beyond + STEP));
  return [
    ...advance(AT, number(WIDE_STEP)),
    ...loop(
      [
        ...set(HITS, v128.isAnySet(v128.or(two(0), two(2 * STEP)))),
        ...choose(i32.isZero(get(HITS)), advance(AT, number(LONG_STEP))),
      ],
      i32.and(i32.isZero(get(HITS)), i32.isBelow(get(AT), get(END))),
    ),
  ];
}

/**
 * find(from, end, length, to): which of the texts at `from` hold the part: writes for each of them the
 * first address of the part in it (four bytes) at `to`, and answers where it stopped writing. An end of
 * text stands before `from`, too.
 */
function find(): WasmFunction {
  const code = [
    ...set(LATEST, i32.add(get(AT), number(-1))),
    ...set(FIRST, i8x16.splat(i32.loadByte(number(0), PART_AT))),
    ...set(LAST, i8x16.splat(i32.loadByte(lastOffset, PART_AT))),
    ...set(WANTED, number(ALL_BITS)),
    ...choose(i32.isBelow(get(LENGTH), number(STEP)), set(WANTED, lowBits(get(LENGTH)))),
    ...loop(
      [...set(HITS, bitsOf(candidates(0), candidates(STEP))), ...choose(get(HITS), lookHere(), skip())],
      i32.isBelow(get(AT), get(END)),
    ),
    ...get(TO),
  ];
  return { name: 'find', parameters: 4, answers: true, numbers: 8, vectors: 2, code };
}

/** The module's bytes. */
export function textSheetWasm(): Uint8Array<ArrayBuffer> {
  return moduleOf([find()]);
}
