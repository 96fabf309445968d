/**
 * Writes WebAssembly by hand: the few instructions and sections of the binary format (core
 * specification 2.0, with SIMD) that the program needs. Code is a list of bytes; operands come first.
 */
export type Code = readonly number[];

const V128 = 0x7b;
const I32 = 0x7f;
const I64 = 0x7e;
const SIMD = 0xfd;
const MAGIC_AND_VERSION: Code = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  const rest = value >> 7;
  const isLast = (rest === 0 && (value & 0x40) === 0) || (rest === -1 && (value & 0x40) !== 0);
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(rest)];
}

const simd = (opcode: number): Code => [SIMD, ...unsigned(opcode)];
const binary =
  (opcode: Code) =>
  (left: Code, right: Code): Code => [...left, ...right, ...opcode];

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];
export const number = (value: number): Code => [0x41, ...signed(value)];
/** What reads and writes one of a module's memories: numbers, and sixteen bytes. The alignment given is only a hint. */
export function accessTo(memory: number): Access {
  const read =
    (opcode: Code) =>
    (address: Code, offset = 0): Code => [...address, ...opcode, ...placeIn(memory, offset)];
  const write =
    (opcode: Code) =>
    (address: Code, value: Code, offset = 0): Code => [
      ...address,
      ...value,
      ...opcode,
      ...placeIn(memory, offset),
    ];
  return {
    loadByte: read([0x2d]),
    loadShort: read([0x2f]),
    load: read([0x28]),
    storeByte: write([0x3a]),
    store: write([0x36]),
    loadVector: read(simd(0)),
    storeVector: write(simd(11)),
  };
}

type Read = (address: Code, offset?: number) => Code;
type Write = (address: Code, value: Code, offset?: number) => Code;
interface Access {
  readonly loadByte: Read;
  readonly loadShort: Read;
  readonly load: Read;
  readonly storeByte: Write;
  readonly store: Write;
  readonly loadVector: Read;
  readonly storeVector: Write;
}

/** An offset in a memory; which one, a flag beside the alignment tells of any but the first. */
function placeIn(memory: number, offset: number): Code {
  return memory === 0 ? [0, ...unsigned(offset)] : [0x40, ...unsigned(memory), ...unsigned(offset)];
}

const { loadVector, storeVector, ...numbers } = accessTo(0);
export const i32 = {
  add: binary([0x6a]),
  isBelow: binary([0x49]),
  isBelowSigned: binary([0x48]),
  sub: binary([0x6b]),
  mul: binary([0x6c]),
  and: binary([0x71]),
  or: binary([0x72]),
  xor: binary([0x73]),
  shl: binary([0x74]),
  shr: binary([0x76]),
  isEqual: binary([0x46]),
  isZero: (value: Code): Code => [...value, 0x45],
  /** How many bits are clear below the lowest that is set. */
  trailingZeros: (value: Code): Code => [...value, 0x68],
  ...numbers,
};
/** Numbers of 64 bits with a sign; those in memory have 32. */
export const i64 = {
  number: (value: number): Code => [0x42, ...signed(value)],
  add: binary([0x7c]),
  sub: binary([0x7d]),
  mul: binary([0x7e]),
  and: binary([0x83]),
  shr: binary([0x87]),
  load32: (address: Code, offset = 0): Code => [...address, 0x34, 0, ...unsigned(offset)],
  store32: (address: Code, value: Code, offset = 0): Code => [
    ...address,
    ...value,
    0x3e,
    0,
    ...unsigned(offset),
  ],
};
/** Calls the function of that number in the module, which answers nothing. */
export const call = (which: number, ...given: readonly Code[]): Code => [
  ...given.flat(),
  0x10,
  ...unsigned(which),
];
/** Does one of two things; the second is nothing unless told. */
export const choose = (condition: Code, first: Code, second: Code = []): Code => [
  ...condition,
  0x04,
  0x40,
  ...first,
  0x05,
  ...second,
  0x0b,
];
/** Leaves the function with its answer. */
export const answer = (value: Code): Code => [...value, 0x0f];
/** Does the body again and again, at least once, while the condition at its end holds. */
export const loop = (body: Code, again: Code): Code => [0x03, 0x40, ...body, ...again, 0x0d, 0, 0x0b];

/** Sixteen bytes at an address. */
export const load = loadVector;
export const store = storeVector;
/** The four bytes at an address, four times. */
export const loadFour = (address: Code, offset = 0): Code => [...address, ...simd(9), ...placeIn(0, offset)];
export const constant = (bytes: readonly number[]): Code => [...simd(12), ...bytes];
/** Each byte of the result is the one of that number out of the thirty-two of both. */
export const shuffle = (left: Code, right: Code, bytes: readonly number[]): Code => [
  ...left,
  ...right,
  ...simd(13),
  ...bytes,
];

export const v128 = {
  and: binary(simd(78)),
  or: binary(simd(80)),
  xor: binary(simd(81)),
  isAnySet: (value: Code): Code => [...value, ...simd(83)],
};
export const i8x16 = {
  /** The lowest byte of a number, sixteen times. */
  splat: (value: Code): Code => [...value, ...simd(15)],
  isEqual: binary(simd(35)),
  /** The highest bit of each byte, as a number of sixteen bits. */
  bits: (value: Code): Code => [...value, ...simd(100)],
  add: binary(simd(110)),
  sub: binary(simd(113)),
  /** Of bytes without a sign; never above 255, or below 0. */
  addUpTo: binary(simd(112)),
  subDownTo: binary(simd(115)),
  lower: binary(simd(119)),
  /** Sixteen 16-bit numbers, none above 255, as bytes. */
  narrow: binary(simd(102)),
};
export const i16x8 = {
  shr: (value: Code, bits: number): Code => [...value, ...number(bits), ...simd(141)],
  mul: binary(simd(149)),
};
export const i32x4 = {
  shl: (value: Code, bits: number): Code => [...value, ...number(bits), ...simd(171)],
  shr: (value: Code, bits: number): Code => [...value, ...number(bits), ...simd(173)],
  add: binary(simd(174)),
};

/** A function of numbers (i32). Its locals are numbered: parameters, further numbers, long ones (i64), then vectors. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  readonly answers: boolean;
  readonly numbers: number;
  readonly longs?: number;
  readonly vectors: number;
  readonly code: Code;
}

/** Memory of any size that the program has to itself, and memory of any size that threads share. */
const OWN: Code = [0x00, 0x01];
const SHARED: Code = [0x03, 0x01, ...unsigned(65_536)];

/**
 * A module that exports these functions and works on the memory that it is given as `env.memory`; the second one, if it
 * has any, is `env.shared`.
 */
export function moduleOf(
  functions: readonly WasmFunction[],
  memories: 'one' | 'a shared one, too' = 'one',
): Uint8Array<ArrayBuffer> {
  const count = unsigned(functions.length);
  const types = functions.map(({ parameters, answers }) => [
    0x60,
    ...vector(Array.from({ length: parameters }, () => [I32])),
    ...vector(answers ? [[I32]] : []),
  ]);
  const bodies = functions.map(({ numbers, longs = 0, vectors, code }) => {
    const locals = vector([
      [...unsigned(numbers), I32],
      [...unsigned(longs), I64],
      [...unsigned(vectors), V128],
    ]);
    const body = [...locals, ...code, 0x0b];
    return [...unsigned(body.length), ...body];
  });
  const own = [...text('env'), ...text('memory'), 0x02, ...OWN];
  const shared = [...text('env'), ...text('shared'), 0x02, ...SHARED];
  const exported = functions.map(({ name }, at) => [...text(name), 0x00, ...unsigned(at)]);
  return Uint8Array.from([
    ...MAGIC_AND_VERSION,
    ...section(1, vector(types)),
    ...section(2, vector(memories === 'one' ? [own] : [own, shared])),
    ...section(3, [...count, ...functions.flatMap((_, at) => unsigned(at))]),
    ...section(7, vector(exported)),
    ...section(10, vector(bodies)),
  ]);
}

function vector(entries: readonly Code[]): Code {
  return [...unsigned(entries.length), ...entries.flat()];
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function text(value: string): Code {
  return vector([...Buffer.from(value)].map((byte) => [byte]));
}
