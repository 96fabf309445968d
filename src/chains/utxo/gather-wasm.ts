import {
  accessTo,
  type Code,
  call,
  constant,
  get,
  i16x8,
  i32,
  i8x16,
  load,
  loadFour,
  loop,
  number,
  set,
  store,
  v128,
  type WasmFunction,
} from '../../wasm/wasm-code.ts';
import {
  BLOCK_MEMORY,
  CHUNK_BYTES,
  DIGIT_NUMBERS,
  DIGITS_AT,
  EXTENDED,
  HEX_STEP,
  ROW,
  ROW_HEAD_BYTES,
  VECTOR_BYTES,
  WORDS_AT,
} from './block-layout.ts';

/** Brings a block into the form in which it is scanned and hashed: between the thread's own memory and the block's. */

const block = accessTo(BLOCK_MEMORY);

const WORD_BYTES = 4;
/** A set bit and the length in bits, which follow every message. */
const MARK = 0x80;
const LENGTH_BYTES = 8;

const zeros = Array.from({ length: VECTOR_BYTES }, () => 0);
const add = (local: number, value: Code): Code => set(local, i32.add(get(local), value));

/** gather(to, from, end): copies bytes of the block, at least one, and writes zeros behind them (see SLACK). */
export function gather(): WasmFunction {
  const [to, from, end] = [0, 1, 2];
  const zero = constant(zeros);
  const code = [
    ...loop(
      [
        ...store(get(to), block.loadVector(get(from))),
        ...add(to, number(VECTOR_BYTES)),
        ...add(from, number(VECTOR_BYTES)),
      ],
      i32.isBelow(get(from), get(end)),
    ),
    // Back to the end of what was asked for.
    ...add(to, i32.sub(get(end), get(from))),
    ...[0, 1, 2, 3, 4].flatMap((at) => store(get(to), zero, VECTOR_BYTES * at)),
  ];
  return { name: 'gather', parameters: 3, answers: false, numbers: 0, vectors: 0, code };
}

/**
 * gatherAll(row, rowsEnd, base, to, list): what each id of a block's rows is the hash of (version, inputs and outputs,
 * lock time) as messages of whole chunks, and the list of where they begin and end. Answers where the last one ends.
 */
export function gatherAll(gatherNumber: number): WasmFunction {
  const [row, rowsEnd, base, to, list] = [0, 1, 2, 3, 4];
  const [from, end, bits, next] = [5, 6, 7, 8];
  const of = (field: number): Code => i32.add(get(base), block.load(get(row), field));
  const body: Code = [
    // EXTENDED is the two bytes of marker and flag, too.
    ...set(
      from,
      i32.add(i32.add(of(ROW.start), number(4)), i32.and(block.load(get(row), ROW.flags), number(EXTENDED))),
    ),
    ...set(end, of(ROW.bodyEnd)),
    ...i32.store(get(list), get(to)),
    ...i32.store(get(to), block.load(of(ROW.start))),
    ...call(gatherNumber, i32.add(get(to), number(4)), get(from), get(end)),
    // From here on `end` is where the message ends, lock time and all.
    ...set(end, i32.add(i32.add(get(to), number(8)), i32.sub(get(end), get(from)))),
    ...i32.store(i32.sub(get(end), number(4)), block.load(i32.sub(of(ROW.end), number(4)))),
    ...i32.storeByte(get(end), number(MARK)),
    ...set(bits, i32.shl(i32.sub(get(end), get(to)), number(3))),
    ...set(next, i32.and(i32.add(get(end), number(LENGTH_BYTES + CHUNK_BYTES)), number(-CHUNK_BYTES))),
    ...[0, 8, 16, 24].flatMap((shift, at) =>
      i32.storeByte(i32.sub(get(next), number(at + 1)), i32.shr(get(bits), number(shift))),
    ),
    ...i32.store(get(list), get(next), WORD_BYTES),
    ...add(list, number(2 * WORD_BYTES)),
    ...set(to, get(next)),
    ...add(
      row,
      i32.add(
        number(ROW_HEAD_BYTES),
        i32.shl(i32.add(block.load(get(row), ROW.inputs), block.load(get(row), ROW.outputs)), number(2)),
      ),
    ),
  ];
  const code = [...loop(body, i32.isBelow(get(row), get(rowsEnd))), ...get(to)];
  return { name: 'gatherAll', parameters: 5, answers: true, numbers: 4, vectors: 0, code };
}

type Named = keyof typeof DIGIT_NUMBERS;
const NAMES = Object.keys(DIGIT_NUMBERS) as Named[];

/** The locals of decodeHex: three addresses, then vectors. */
const WRONG = 3;
const TEXT = WRONG + 2;
const NUMBERS = TEXT + 4;
const halves = [0, 1] as const;
/** Two vectors of the text, each of which becomes half of one of bytes. */
const texts = (half: number): readonly number[] => [TEXT + 2 * half, TEXT + 2 * half + 1];
const of = (name: Named): Code => get(NUMBERS + NAMES.indexOf(name));

/**
 * Digits to the numbers that they stand for; what is no digit to a number above fifteen. Either way of looking at a
 * character leaves another one so far above.
 */
function valuesOf(text: Code): Code {
  const figures = i8x16.sub(
    i8x16.subDownTo(i8x16.add(text, of('aboveNine')), of('six')),
    of('fifteenTimesSixteen'),
  );
  const letters = i8x16.addUpTo(i8x16.sub(v128.and(text, of('capitals')), of('letterA')), of('ten'));
  return i8x16.lower(figures, letters);
}

/**
 * decodeHex(to, from, end): a text of steps of HEX_STEP digits to bytes of the block; 1 when all are digits. Written so
 * that V8 makes one vector of the two that are stored side by side (see compileWide).
 */
export function decodeHex(): WasmFunction {
  const [to, from, end] = [0, 1, 2];
  const code = [
    ...NAMES.flatMap((_, at) => set(NUMBERS + at, loadFour(number(DIGITS_AT), WORD_BYTES * at))),
    ...halves.flatMap((half) => set(WRONG + half, constant(zeros))),
    ...loop(
      [
        ...halves.flatMap((half) =>
          texts(half).flatMap((text) => set(text, load(get(from), VECTOR_BYTES * (text - TEXT)))),
        ),
        ...halves.flatMap((half) => texts(half).flatMap((text) => set(text, valuesOf(get(text))))),
        ...halves.flatMap((half) =>
          texts(half).flatMap((text) => set(WRONG + half, v128.or(get(WRONG + half), get(text)))),
        ),
        // The first digit of each pair is the low byte of a word: it goes to the top, and the other one below it.
        ...halves.flatMap((half) =>
          texts(half).flatMap((text) => set(text, i16x8.shr(i16x8.mul(get(text), of('pairs')), 8))),
        ),
        ...halves.flatMap((half) => {
          const [first = 0, second = 0] = texts(half);
          return set(first, i8x16.narrow(get(first), get(second)));
        }),
        ...halves.flatMap((half) => block.storeVector(get(to), get(TEXT + 2 * half), VECTOR_BYTES * half)),
        ...set(to, i32.add(get(to), number(HEX_STEP / 2))),
        ...set(from, i32.add(get(from), number(HEX_STEP))),
      ],
      i32.isBelow(get(from), get(end)),
    ),
    ...halves.flatMap((half) => store(number(WORDS_AT), get(WRONG + half), VECTOR_BYTES * half)),
    ...i32.isZero(
      v128.isAnySet(
        v128.and(
          v128.or(load(number(WORDS_AT)), load(number(WORDS_AT), VECTOR_BYTES)),
          of('fifteenTimesSixteen'),
        ),
      ),
    ),
  ];
  return {
    name: 'decodeHex',
    parameters: 3,
    answers: true,
    numbers: 0,
    vectors: NUMBERS + NAMES.length - WRONG,
    code,
  };
}
