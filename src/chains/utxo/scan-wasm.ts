import {
  accessTo,
  type Code,
  answer,
  choose,
  get,
  i32,
  loop,
  number,
  set,
  type WasmFunction,
} from '../../wasm/wasm-code.ts';
import { BLOCK_MEMORY, EXTENDED, HOGEX, ROW, ROW_HEAD_BYTES, SCAN_AT } from './block-layout.ts';

/**
 * Takes a block's transactions apart, several times as fast as transaction.ts does, with the same results. What it
 * finds odd it does not judge: it gives up, and transaction.ts says what is wrong.
 */

const WORD_BYTES = 4;

/**
 * The numbers at SCAN_AT: first what is told once, then what moves on with each transaction. Whoever has only the first
 * part of a block yet moves `end` on as there is more of it.
 */
export const SCAN = {
  end: 0,
  knownFlags: 1,
  base: 2,
  rows: 3,
  rowsEnd: 4,
  outputKeys: 5,
  inputTails: 6,
  at: 7,
  left: 8,
  row: 9,
  place: 10,
  key: 11,
  tail: 12,
  odd: 13,
} as const;

const block = accessTo(BLOCK_MEMORY);
const add = (local: number, value: Code): Code => set(local, i32.add(get(local), value));
const told = (which: keyof typeof SCAN): Code => block.load(number(SCAN_AT), WORD_BYTES * SCAN[which]);
const leave = (which: keyof typeof SCAN, value: Code): Code =>
  block.store(number(SCAN_AT), value, WORD_BYTES * SCAN[which]);
const giveUpIf = (condition: Code): Code => choose(condition, answer([]));

/** The locals of `scan`, none of them a parameter. */
const LOCALS = [
  'at',
  'end',
  'left',
  'base',
  'row',
  'rowsAt',
  'rowsEnd',
  'place',
  'key',
  'keysAt',
  'tail',
  'tailsAt',
  'flags',
  'inputs',
  'outputs',
  'items',
  'size',
  'next',
  'letter',
  'hash',
  'odd',
] as const;
const L = Object.fromEntries(LOCALS.map((name, at) => [name, at])) as Record<(typeof LOCALS)[number], number>;

const PLACE_BYTES = 12;
const WITNESS_FLAG = 1;
const MWEB_FLAG = 8;
const NEWEST_VERSION = 3;
/** See scriptKey. */
const MIN_SCRIPT = 4;
const MAX_SCRIPT = 42;
const TOLD_AT = 4;
const SHORT_SCRIPT = 8;

/** Moves on; `at` is never more than a few bytes beyond the end, and never further without this being noticed. */
const skip = (bytes: Code): Code => [
  ...giveUpIf(i32.isBelowSigned(i32.sub(get(L.end), get(L.at)), bytes)),
  ...add(L.at, bytes),
];
/** Bitcoin's compact size in its shortest form; none as large as a block's ever. */
const compactSize = (into: number): Code => [
  ...set(into, block.loadByte(get(L.at))),
  ...add(L.at, number(1)),
  ...choose(i32.isBelow(number(0xfc), get(into)), [
    ...choose(
      i32.isEqual(get(into), number(0xfd)),
      [
        ...set(into, block.loadShort(get(L.at))),
        ...add(L.at, number(2)),
        ...giveUpIf(i32.isBelow(get(into), number(0xfd))),
      ],
      [
        ...giveUpIf(i32.isEqual(get(into), number(0xff))),
        ...set(into, block.load(get(L.at))),
        ...add(L.at, number(4)),
        // As a number with a sign, which what is beyond any block has.
        ...giveUpIf(i32.isBelowSigned(get(into), number(0x1_0000))),
      ],
    ),
  ]),
  ...giveUpIf(i32.isBelowSigned(i32.sub(get(L.end), get(L.at)), get(into))),
];
const skipSized = (scratch: number): Code => [...compactSize(scratch), ...add(L.at, get(scratch))];
const fromBase = (local: number): Code => i32.sub(get(local), get(L.base));
/** Does something so many times, if any. */
const times = (count: number, body: Code): Code =>
  choose(get(count), loop([...body, ...set(count, i32.sub(get(count), number(1)))], get(count)));
/** Puts an offset behind the last number of the row. */
const pushOffset: Code = [...block.store(get(L.next), fromBase(L.at)), ...add(L.next, number(WORD_BYTES))];
const roomFor = (count: number): Code =>
  giveUpIf(i32.isBelowSigned(i32.sub(get(L.rowsEnd), get(L.next)), i32.shl(get(count), number(2))));

const readFlags: Code = [
  ...set(L.flags, number(0)),
  ...choose(i32.isZero(block.loadByte(get(L.at))), [
    ...set(L.flags, block.loadByte(get(L.at), 1)),
    ...choose(get(L.flags), skip(number(2))),
    ...giveUpIf(
      // All bits that are not known.
      i32.and(get(L.flags), i32.sub(number(-1), told('knownFlags'))),
    ),
  ]),
];

const readInputs: Code = [
  ...compactSize(L.inputs),
  ...giveUpIf(i32.isZero(i32.or(get(L.inputs), get(L.flags)))),
  ...roomFor(L.inputs),
  ...block.store(get(L.row), get(L.inputs), ROW.inputs),
  ...set(L.items, get(L.inputs)),
  ...times(L.items, [
    ...pushOffset,
    ...block.store(get(L.tail), block.load(get(L.at))),
    ...add(L.tail, number(WORD_BYTES)),
    ...skip(number(36)),
    ...skipSized(L.size),
    ...skip(number(4)),
  ]),
];

/** FNV-1a of a short script, as keyOfBytes has it. */
const shortKey: Code = [
  ...set(L.hash, number(0x811c9dc5 | 0)),
  ...set(L.items, get(L.size)),
  ...set(L.letter, i32.add(get(L.at), number(9))),
  ...times(L.items, [
    ...set(L.hash, i32.mul(i32.xor(get(L.hash), block.loadByte(get(L.letter))), number(0x01000193))),
    ...add(L.letter, number(1)),
  ]),
];

const readKey: Code = [
  ...set(L.size, block.loadByte(get(L.at), 8)),
  ...set(L.hash, number(0)),
  ...choose(
    i32.isBelow(i32.sub(get(L.size), number(MIN_SCRIPT)), number(MAX_SCRIPT - MIN_SCRIPT + 1)),
    choose(
      i32.isBelow(get(L.size), number(SHORT_SCRIPT)),
      shortKey,
      set(L.hash, block.load(get(L.at), 9 + TOLD_AT)),
    ),
  ),
  ...block.store(get(L.key), get(L.hash)),
  ...add(L.key, number(WORD_BYTES)),
];

const readOutputs: Code = [
  ...compactSize(L.outputs),
  ...roomFor(L.outputs),
  ...block.store(get(L.row), get(L.outputs), ROW.outputs),
  ...times(L.outputs, [...pushOffset, ...readKey, ...skip(number(8)), ...skipSized(L.size)]),
];

const skipWitnesses: Code = choose(
  i32.and(get(L.flags), number(WITNESS_FLAG)),
  times(L.inputs, [...compactSize(L.items), ...times(L.items, skipSized(L.size))]),
);

/** Whether it is Litecoin's HogEx: MWEB's flag, and no data. */
const readMweb: Code = choose(i32.and(get(L.flags), number(MWEB_FLAG)), [
  ...giveUpIf(block.loadByte(get(L.at))),
  ...skip(number(1)),
]);

const transaction: Code = [
  ...giveUpIf(i32.isBelowSigned(i32.sub(get(L.rowsEnd), get(L.row)), number(ROW_HEAD_BYTES))),
  ...block.store(get(L.row), fromBase(L.at), ROW.start),
  ...block.store(get(L.place), i32.shr(i32.sub(get(L.row), get(L.rowsAt)), number(2))),
  ...block.store(get(L.place), i32.shr(i32.sub(get(L.key), get(L.keysAt)), number(2)), WORD_BYTES),
  ...block.store(get(L.place), i32.shr(i32.sub(get(L.tail), get(L.tailsAt)), number(2)), 2 * WORD_BYTES),
  ...add(L.place, number(PLACE_BYTES)),
  ...add(L.odd, i32.isBelow(number(NEWEST_VERSION), block.load(get(L.at)))),
  ...set(L.next, i32.add(get(L.row), number(ROW_HEAD_BYTES))),
  ...skip(number(4)),
  ...readFlags,
  ...readInputs,
  ...readOutputs,
  ...block.store(get(L.row), fromBase(L.at), ROW.bodyEnd),
  ...skipWitnesses,
  ...readMweb,
  ...skip(number(4)),
  ...block.store(get(L.row), fromBase(L.at), ROW.end),
  ...set(L.size, number(0)),
  ...choose(get(L.flags), set(L.size, number(EXTENDED))),
  ...choose(i32.and(get(L.flags), number(MWEB_FLAG)), set(L.size, i32.or(get(L.size), number(HOGEX)))),
  ...block.store(get(L.row), get(L.size), ROW.flags),
  ...set(L.row, get(L.next)),
];

/** What moves on, and the local in which it does. */
const MOVING = ['at', 'left', 'row', 'place', 'key', 'tail', 'odd'] as const;

/**
 * scan(): takes the transactions apart that SCAN_AT tells of, at least one, until none is left or the next is odd, be it
 * because not all of it is there yet: then it can be called again.
 */
export function scan(): WasmFunction {
  const code = [
    ...set(L.end, told('end')),
    ...set(L.base, told('base')),
    ...set(L.rowsAt, told('rows')),
    ...set(L.rowsEnd, told('rowsEnd')),
    ...set(L.keysAt, told('outputKeys')),
    ...set(L.tailsAt, told('inputTails')),
    ...MOVING.flatMap((name) => set(L[name], told(name))),
    ...loop(
      [
        ...transaction,
        ...set(L.left, i32.sub(get(L.left), number(1))),
        ...MOVING.flatMap((name) => leave(name, get(L[name]))),
      ],
      get(L.left),
    ),
  ];
  return { name: 'scan', parameters: 0, answers: false, numbers: LOCALS.length, vectors: 0, code };
}
