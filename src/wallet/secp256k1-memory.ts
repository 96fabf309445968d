import {
  FIELD_BYTES,
  FREE_AT,
  INVERSE_AT,
  LIMB_BITS,
  LIMB_BYTES,
  LIMBS,
  PAIR,
  POINT_BYTES,
  secp256k1Wasm,
  ZERO_AT,
} from './secp256k1-wasm.ts';

const PAGE_BYTES = 65_536;
const LIMB_MASK = 2 ** LIMB_BITS - 1;
const TOP_BITS = 256 - LIMB_BITS * (LIMBS - 1);
const TOP_MASK = 2 ** TOP_BITS - 1;
const ELEMENT_BYTES = 32;
/** 2^256 minus the prime: 2^32 + 977, in limbs. */
const FOLD_LOW = 977;
const FOLD_HIGH = 8;

/** Elements that this file works with, behind those of the module. */
const [SCRATCH_AT, POWER_AT, CUBE_AT] = [FREE_AT, FREE_AT + FIELD_BYTES, FREE_AT + 2 * FIELD_BYTES];
const SEVEN_AT = FREE_AT + 3 * FIELD_BYTES;
/** Powers of which an inversion is made. */
const chainAt = (which: number): number => FREE_AT + (4 + which) * FIELD_BYTES;
const CHAIN_AT = [chainAt(0), chainAt(1), chainAt(2), chainAt(3), chainAt(4), chainAt(5)] as const;
/** Where the additions of a batch stand; before the first a pair whose product is one. */
const PAIRS_AT = chainAt(CHAIN_AT.length) + PAIR.bytes;

/** See secp256k1-wasm.ts. */
interface Functions {
  readonly multiply: (to: number, a: number, b: number, c: number, d: number) => void;
  readonly prepare: (pair: number, end: number) => void;
  readonly add: (pair: number, end: number) => void;
}

/** Points of secp256k1 in plain coordinates, by their numbers, and additions of many of them at once. */
export class PointMemory {
  readonly #run: Functions;
  readonly #words: Int32Array;
  readonly #pointsAt: number;
  readonly #maxPairs: number;
  #pairs = 0;

  /** @param sizes how many points there are, and how many additions are done at once at most */
  constructor(sizes: { readonly points: number; readonly pairs: number }) {
    this.#pointsAt = PAIRS_AT + sizes.pairs * PAIR.bytes;
    this.#maxPairs = sizes.pairs;
    const size = this.#pointsAt + sizes.points * POINT_BYTES;
    const memory = new WebAssembly.Memory({ initial: Math.ceil(size / PAGE_BYTES) });
    const module = new WebAssembly.Module(secp256k1Wasm());
    const instance = new WebAssembly.Instance(module, { env: { memory } });
    this.#run = instance.exports as unknown as Functions;
    this.#words = new Int32Array(memory.buffer);
    this.#words[SEVEN_AT / LIMB_BYTES] = 7;
    this.#words[(PAIRS_AT - PAIR.bytes + PAIR.productAt) / LIMB_BYTES] = 1;
  }

  /** @param uncompressed 0x04, then x and y in 32 bytes each, as SEC 1 writes them */
  write(point: number, uncompressed: Uint8Array): void {
    this.#writeElement(this.#at(point), uncompressed, 1);
    this.#writeElement(this.#at(point) + FIELD_BYTES, uncompressed, 1 + ELEMENT_BYTES);
  }

  /**
   * @returns the point as SEC 1 writes it, uncompressed
   * @throws {Error} when it does not lie on the curve, which only an error of this program explains
   */
  read(point: number): Uint8Array {
    const { multiply } = this.#run;
    const [x, y] = [this.#at(point), this.#at(point) + FIELD_BYTES];
    multiply(SCRATCH_AT, x, x, ZERO_AT, ZERO_AT);
    multiply(CUBE_AT, SCRATCH_AT, x, ZERO_AT, ZERO_AT);
    multiply(SCRATCH_AT, y, y, CUBE_AT, SEVEN_AT);
    if (!this.#isZero(SCRATCH_AT)) throw new Error('a derived point does not lie on its curve');
    const bytes = new Uint8Array(1 + 2 * ELEMENT_BYTES);
    bytes[0] = 0x04;
    this.#readElement(x, bytes, 1);
    this.#readElement(y, bytes, 1 + ELEMENT_BYTES);
    return bytes;
  }

  copy(from: number, to: number): void {
    // Word by word: for so few, a call of copyWithin takes longer.
    const words = this.#words;
    const [source, target] = [this.#at(from) / LIMB_BYTES, this.#at(to) / LIMB_BYTES];
    for (let word = 0; word < 2 * LIMBS; word += 1) words[target + word] = words[source + word] ?? 0;
  }

  /** Copies the point that is opposite to one. */
  copyOpposite(from: number, to: number): void {
    const words = this.#words;
    const [source, target] = [this.#at(from) / LIMB_BYTES, this.#at(to) / LIMB_BYTES];
    for (let word = 0; word < LIMBS; word += 1) words[target + word] = words[source + word] ?? 0;
    for (let word = LIMBS; word < 2 * LIMBS; word += 1) words[target + word] = -(words[source + word] ?? 0);
  }

  /** Asks for `to` to become the sum of itself and another point; no two of a batch to the same. */
  plan(to: number, other: number): void {
    if (this.#pairs === this.#maxPairs) throw new RangeError('too many additions at once');
    const pair = (PAIRS_AT + this.#pairs * PAIR.bytes) / LIMB_BYTES;
    this.#words[pair + PAIR.firstAt / LIMB_BYTES] = this.#at(to);
    this.#words[pair + PAIR.secondAt / LIMB_BYTES] = this.#at(other);
    this.#pairs += 1;
  }

  /**
   * Does what was planned: additions in plain coordinates need a division each, of which all together
   * take one. False, with sums that are worth nothing, when two points shared their x.
   */
  addPlanned(): boolean {
    const end = PAIRS_AT + this.#pairs * PAIR.bytes;
    if (this.#pairs === 0) return true;
    this.#pairs = 0;
    this.#run.prepare(PAIRS_AT, end);
    const last = end - PAIR.bytes;
    if (this.#isZero(last + PAIR.productAt)) return false;
    this.#invert(last + PAIR.productAt);
    this.#run.add(last, PAIRS_AT - PAIR.bytes);
    return true;
  }

  #at(point: number): number {
    return this.#pointsAt + point * POINT_BYTES;
  }

  /** To INVERSE_AT: the power p - 2 (Fermat), whose bits are runs of 223 and 22 ones, then 0000101101. */
  #invert(element: number): void {
    const ones1 = element;
    const [ones2, ones3, ones11, ones22, ones44, ones88] = CHAIN_AT;
    this.#raise(ones2, ones1, 1, ones1);
    this.#raise(ones3, ones2, 1, ones1);
    this.#raise(POWER_AT, ones3, 3, ones3);
    this.#raise(POWER_AT, POWER_AT, 3, ones3);
    this.#raise(ones11, POWER_AT, 2, ones2);
    this.#raise(ones22, ones11, 11, ones11);
    this.#raise(ones44, ones22, 22, ones22);
    this.#raise(ones88, ones44, 44, ones44);
    this.#raise(POWER_AT, ones88, 88, ones88);
    this.#raise(POWER_AT, POWER_AT, 44, ones44);
    this.#raise(POWER_AT, POWER_AT, 3, ones3);
    this.#raise(POWER_AT, POWER_AT, 23, ones22);
    this.#raise(POWER_AT, POWER_AT, 5, ones1);
    this.#raise(POWER_AT, POWER_AT, 3, ones2);
    this.#raise(INVERSE_AT, POWER_AT, 2, ones1);
  }

  /** Squares an element so many times, then multiplies by another. */
  #raise(to: number, from: number, squarings: number, factor: number): void {
    const { multiply } = this.#run;
    multiply(SCRATCH_AT, from, from, ZERO_AT, ZERO_AT);
    for (let done = 1; done < squarings; done += 1) {
      multiply(SCRATCH_AT, SCRATCH_AT, SCRATCH_AT, ZERO_AT, ZERO_AT);
    }
    multiply(to, SCRATCH_AT, factor, ZERO_AT, ZERO_AT);
  }

  #writeElement(at: number, bytes: Uint8Array, from: number): void {
    let word = at / LIMB_BYTES;
    let held = 0;
    let bits = 0;
    for (let byte = ELEMENT_BYTES - 1; byte >= 0; byte -= 1) {
      const next = bytes[from + byte] ?? 0;
      // Up to 36 bits: those that do not belong to this limb are taken from the byte again.
      held |= next << bits;
      bits += 8;
      if (bits < LIMB_BITS) continue;
      bits -= LIMB_BITS;
      this.#words[word] = held & LIMB_MASK;
      word += 1;
      held = next >>> (8 - bits);
    }
    this.#words[word] = held;
  }

  #readElement(at: number, bytes: Uint8Array, to: number): void {
    const limbs = this.#reduced(at);
    let held = 0;
    let bits = 0;
    let next = 0;
    for (let byte = ELEMENT_BYTES - 1; byte >= 0; byte -= 1) {
      if (bits < 8) {
        // Up to 36 bits: the upper ones wait in the limb.
        const limb = limbs[next] ?? 0;
        bytes[to + byte] = (held | (limb << bits)) & 0xff;
        held = limb >>> (8 - bits);
        bits += LIMB_BITS - 8;
        next += 1;
      } else {
        bytes[to + byte] = held & 0xff;
        held >>>= 8;
        bits -= 8;
      }
    }
  }

  #isZero(at: number): boolean {
    return this.#reduced(at).every((limb) => limb === 0);
  }

  /** The one form of an element that is neither negative nor as large as the prime. */
  #reduced(at: number): readonly number[] {
    const limbs: number[] = [];
    const word = at / LIMB_BYTES;
    for (let limb = 0; limb < LIMBS; limb += 1) limbs.push(this.#words[word + limb] ?? 0);
    // Twice, as what the first adds may reach the top once more.
    fold(limbs, carry(limbs));
    fold(limbs, carry(limbs));
    carry(limbs);
    const above = [...limbs];
    fold(above, 1);
    return carry(above) === 1 ? above : limbs;
  }
}

/** Brings every limb into its range, and returns what is left above the highest. */
function carry(limbs: number[]): number {
  let over = 0;
  for (let limb = 0; limb < LIMBS - 1; limb += 1) {
    const value = (limbs[limb] ?? 0) + over;
    over = value >> LIMB_BITS;
    limbs[limb] = value & LIMB_MASK;
  }
  const top = (limbs[LIMBS - 1] ?? 0) + over;
  limbs[LIMBS - 1] = top & TOP_MASK;
  return top >> TOP_BITS;
}

/** Adds what stands above the highest limb, `over` times 2^256, as what it is worth in the field. */
function fold(limbs: number[], over: number): void {
  limbs[0] = (limbs[0] ?? 0) + over * FOLD_LOW;
  limbs[1] = (limbs[1] ?? 0) + over * FOLD_HIGH;
}
