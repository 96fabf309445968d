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
  DIGIT_BYTES,
  DIGITS_AT,
  EXTENDED,
  HEX_STEP,
  ROW,
  ROW_HEAD_BYTES,
  VECTOR_BYTES,
} from './block-layout.ts';

/** Brings a block into the form in which it is scanned and hashed: between the thread's own memory and the block's. */

const block = accessTo(BLOCK_MEMORY);

const WORD_BYTES = 4;
/** A set bit and the length in bits, which follow every message. */
const MARK = 0x80;
const LENGTH_BYTES = 8;

const add = (local: number, value: Code): Code => set(local, i32.add(get(local), value));

/** gather(to, from, end): copies bytes of the block, at least one, and writes zeros behind them (see SLACK). */
export function gather(): WasmFunction {
  const [to, from, end] = [0, 1, 2];
  const zero = constant(Array.from({ length: VECTOR_BYTES }, () => 0));
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

/** One byte sixteen times. From memory: V8 puts a vector that is written into the code together anew each time. */
function all(byte: (typeof DIGIT_BYTES)[number]): Code {
  return load(number(DIGITS_AT + VECTOR_BYTES * DIGIT_BYTES.indexOf(byte)));
}

/** decodeHex(to, from, end): a text of steps of HEX_STEP digits to bytes of the block; 1 when all are digits. */
export function decodeHex(): WasmFunction {
  const [to, from, end] = [0, 1, 2];
  const [isHex, isLetter] = [3, 4];
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
        ...block.storeVector(get(to), i8x16.narrow(get(5), get(6))),
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
