import {
  call,
  type Code,
  get,
  i32,
  i64,
  loop,
  moduleOf,
  number,
  set,
  type WasmFunction,
} from '../wasm/wasm-code.ts';

/**
 * Arithmetic of the field of secp256k1 (SEC 2, 2.4.1) and additions of points upon it, as a WebAssembly
 * module: BigInt takes ten times as long. Takes variable time: for public data.
 *
 * A field element is nine signed limbs of 29 bits, lowest first, as 32-bit numbers in memory. Products
 * leave limbs of less than 2^29 + 2^14 either way; the difference of two such may go straight into the
 * next product: nine products of 2^30 and 2^29 stay below 2^63.
 */
export const LIMBS = 9;
export const LIMB_BITS = 29;
export const LIMB_BYTES = 4;
export const FIELD_BYTES = LIMBS * LIMB_BYTES;
/** x, then y. */
export const POINT_BYTES = 2 * FIELD_BYTES;

/** Bits of a field element in its highest limb. */
const TOP_BITS = 256 - LIMB_BITS * (LIMBS - 1);
/** 2^256 = 2^32 + 977 in this field: at limb 0, and 2^(32 - 29) at limb 1. */
const FOLD_LOW = 977;
const FOLD_HIGH = 8;
/** 2^261, the limb after the last, is 32 times that. */
const WIDE_LOW = 32 * FOLD_LOW;
const WIDE_HIGH = 32 * FOLD_HIGH;

/** What addresses stand for: fixed field elements at the start of the memory. */
export const ZERO_AT = 0;
export const INVERSE_AT = 1 * FIELD_BYTES;
const RECIPROCAL_AT = 2 * FIELD_BYTES;
const SLOPE_AT = 3 * FIELD_BYTES;
const X_AT = 4 * FIELD_BYTES;
/** Elements from here on are nobody's. */
export const FREE_AT = 5 * FIELD_BYTES;

/** One addition to be done: the address of the point that becomes the sum, that of the other, then two field elements. */
export const PAIR = {
  firstAt: 0,
  secondAt: 4,
  differenceAt: 8,
  productAt: 8 + FIELD_BYTES,
  bytes: 8 + 2 * FIELD_BYTES,
};

const limbs = Array.from({ length: LIMBS }, (_, limb) => limb);
/** Numbers of the functions below. */
const [MULTIPLY, SUBTRACT] = [0, 1];

const times = (local: number, factor: number): Code => i64.mul(get(local), i64.number(factor));
const addTo = (local: number, value: Code): Code => set(local, i64.add(get(local), value));
const sumOf = (values: readonly Code[]): Code => values.reduce((total, each) => i64.add(total, each));
/** Leaves the lower bits of a local in it and adds the others to those around. */
const carry = (from: number, bits: number, take: (over: Code) => Code): Code => [
  ...take(i64.shr(get(from), i64.number(bits))),
  ...set(from, i64.and(get(from), i64.number(2 ** bits - 1))),
];
const carryOn = (from: number): Code => carry(from, LIMB_BITS, (over) => addTo(from + 1, over));

/** multiply(to, a, b, c, d): a·b - c - d. */
function multiply(): WasmFunction {
  const [to, a, b, c, d] = [0, 1, 2, 3, 4];
  const [A, B, COLUMN] = [5, 5 + LIMBS, 5 + 2 * LIMBS];
  /** Of the product, without carries; 2·LIMBS of them, as the last carry makes one more. */
  const column = (at: number): number => COLUMN + at;
  const top = COLUMN + 2 * LIMBS;
  const product = (at: number): Code =>
    sumOf(
      limbs
        .filter((limb) => at - limb >= 0 && at - limb < LIMBS)
        .map((limb) => i64.mul(get(A + limb), get(B + at - limb))),
    );
  const last = column(2 * LIMBS - 1);
  const upper = limbs.slice(0, -1).map((limb) => LIMBS + limb);
  const folded = (at: number): Code =>
    sumOf([
      product(at),
      times(column(at + LIMBS), WIDE_LOW),
      ...(at === 0 ? [times(last, WIDE_HIGH * WIDE_LOW)] : [times(column(at + LIMBS - 1), WIDE_HIGH)]),
      ...(at === 1 ? [times(last, WIDE_HIGH * WIDE_HIGH)] : []),
    ]);
  const less = (at: number): Code =>
    [c, d].reduce((rest, from) => i64.sub(rest, i64.load32(get(from), LIMB_BYTES * at)), folded(at));
  const code = [
    ...limbs.flatMap((limb) => [
      ...set(A + limb, i64.load32(get(a), LIMB_BYTES * limb)),
      ...set(B + limb, i64.load32(get(b), LIMB_BYTES * limb)),
    ]),
    ...upper.flatMap((at) => set(column(at), product(at))),
    ...upper.flatMap((at) => carryOn(column(at))),
    ...limbs.flatMap((at) => set(column(at), less(at))),
    ...limbs.slice(0, -1).flatMap((at) => carryOn(column(at))),
    ...carry(column(LIMBS - 1), TOP_BITS, (over) => set(top, over)),
    ...addTo(column(0), times(top, FOLD_LOW)),
    ...addTo(column(1), times(top, FOLD_HIGH)),
    ...carryOn(column(0)),
    ...carryOn(column(1)),
    ...limbs.flatMap((at) => i64.store32(get(to), get(column(at)), LIMB_BYTES * at)),
  ];
  return {
    name: 'multiply',
    parameters: 5,
    answers: false,
    numbers: 0,
    longs: 4 * LIMBS + 1,
    vectors: 0,
    code,
  };
}

/** subtract(to, a, b): a - b, limb by limb. */
function subtract(): WasmFunction {
  const [to, a, b] = [0, 1, 2];
  const code = limbs.flatMap((limb) => {
    const offset = LIMB_BYTES * limb;
    return i32.store(get(to), i32.sub(i32.load(get(a), offset), i32.load(get(b), offset)), offset);
  });
  return { name: 'subtract', parameters: 3, answers: false, numbers: 0, vectors: 0, code };
}

const [pair, end] = [0, 1];
const field = (address: number): Code => number(address);
const inPair = (offset: number): Code => i32.add(get(pair), number(offset));
const firstX = i32.load(get(pair), PAIR.firstAt);
const firstY = i32.add(firstX, number(FIELD_BYTES));
const secondX = i32.load(get(pair), PAIR.secondAt);
const secondY = i32.add(secondX, number(FIELD_BYTES));
/** Of the differences of all pairs before this one. */
const productBefore = inPair(PAIR.productAt - PAIR.bytes);

/** prepare(pair, end): the differences of x of some pairs, at least one, and the products of each with all before it. */
function prepare(): WasmFunction {
  const code = loop(
    [
      ...call(SUBTRACT, inPair(PAIR.differenceAt), secondX, firstX),
      ...call(
        MULTIPLY,
        inPair(PAIR.productAt),
        productBefore,
        inPair(PAIR.differenceAt),
        field(ZERO_AT),
        field(ZERO_AT),
      ),
      ...set(pair, inPair(PAIR.bytes)),
    ],
    i32.isBelow(get(pair), get(end)),
  );
  return { name: 'prepare', parameters: 2, answers: false, numbers: 0, vectors: 0, code };
}

/**
 * add(pair, end): the sums of prepared pairs, from the last (`pair`) back to the one before which is `end`;
 * INVERSE_AT holds the inverse of the last product.
 */
function add(): WasmFunction {
  const none = field(ZERO_AT);
  const code = loop(
    [
      ...call(MULTIPLY, field(RECIPROCAL_AT), field(INVERSE_AT), productBefore, none, none),
      ...call(MULTIPLY, field(INVERSE_AT), field(INVERSE_AT), inPair(PAIR.differenceAt), none, none),
      ...call(SUBTRACT, field(SLOPE_AT), secondY, firstY),
      ...call(MULTIPLY, field(SLOPE_AT), field(SLOPE_AT), field(RECIPROCAL_AT), none, none),
      ...call(MULTIPLY, field(X_AT), field(SLOPE_AT), field(SLOPE_AT), firstX, secondX),
      ...call(SUBTRACT, field(RECIPROCAL_AT), firstX, field(X_AT)),
      ...call(MULTIPLY, firstY, field(SLOPE_AT), field(RECIPROCAL_AT), firstY, none),
      ...call(SUBTRACT, firstX, field(X_AT), none),
      ...set(pair, i32.sub(get(pair), number(PAIR.bytes))),
    ],
    i32.isBelow(get(end), get(pair)),
  );
  return { name: 'add', parameters: 2, answers: false, numbers: 0, vectors: 0, code };
}

/** The module's bytes. */
export function secp256k1Wasm(): Uint8Array<ArrayBuffer> {
  return moduleOf([multiply(), subtract(), prepare(), add()]);
}
