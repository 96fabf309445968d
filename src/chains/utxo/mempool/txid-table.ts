import { randomBytes } from 'node:crypto';

const TXID_CHARS = 64;
const WORDS = 8;
const WORD_CHARS = 8;
/** Of a hash key: two multipliers for each word of an id. */
export const KEY_BYTES = WORDS * 2 * 4;

/** Values of the hex digits by character code; -1 for any other character. */
const DIGITS = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value += 1) DIGITS[value.toString(16).charCodeAt(0)] = value;

/**
 * Hashes transaction ids to 64 bits with a secret random key: an attacker without it cannot choose two ids with the same
 * fingerprint, and among a million ids some pair has the same one with a probability of 2^-25. Such a transaction
 * counts as read, so its money is seen in its block only; nothing is credited or reverted because of it.
 */
export class TxidHash {
  readonly key: Uint8Array;
  /** The fingerprint of the id hashed last, never zero. */
  high = 0;
  low = 0;
  readonly #factors: Uint32Array;
  readonly #text = Buffer.alloc(TXID_CHARS);

  constructor(key: Uint8Array = randomBytes(KEY_BYTES)) {
    this.key = key;
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
    // Multiplication by an odd number is reversible, so ids that differ in one word differ in the hash.
    this.#factors = Uint32Array.from({ length: WORDS * 2 }, (_, at) => view.getUint32(at * 4, true) | 1);
  }

  /** Hashes the 64 characters from an offset on; false if one of them is not a lower-case hex digit. */
  hash(bytes: Uint8Array, offset: number): boolean {
    let [high, low, digits] = [0, 0, 0];
    let at = offset;
    for (let index = 0; index < WORDS; index += 1) {
      let word = 0;
      for (let end = at + WORD_CHARS; at < end; at += 1) {
        const digit = DIGITS[bytes[at] ?? 0] ?? -1;
        digits |= digit;
        word = (word << 4) | digit;
      }
      high = Math.imul(high ^ word, this.#factors[index] ?? 1);
      high ^= high >>> 15;
      low = Math.imul(low ^ word, this.#factors[WORDS + index] ?? 1);
      low ^= low >>> 15;
    }
    this.high = high >>> 0;
    this.low = high === 0 && low === 0 ? 1 : low >>> 0;
    return digits >= 0;
  }

  /** As hash, for an id as a string; false if it is not an id. */
  hashText(txid: string): boolean {
    if (txid.length !== TXID_CHARS) return false;
    this.#text.write(txid, 'latin1');
    return this.hash(this.#text, 0);
  }
}

/**
 * What is known of a listed transaction. `irrelevant`: read, and it neither pays us nor spends an output of ours;
 * `withheld`: the node lists it and did not return it.
 */
export const TX_STATE = { unread: 0, irrelevant: 1, relevant: 2, withheld: 3 } as const;
export type TxState = (typeof TX_STATE)[keyof typeof TX_STATE];

/**
 * The transactions of one list of the mempool by fingerprint, each with its state: open addressing in flat
 * arrays, 34 bytes or fewer for each id, nothing for the garbage collector to walk.
 */
export class TxidTable {
  /** Two words for each slot, the high and the low half of a fingerprint; zero is free. */
  readonly #slots: Uint32Array;
  readonly #states: Uint8Array;
  readonly #mask: number;

  /** @param capacity the most ids that it will hold: at least half of the slots stay free */
  constructor(capacity: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(2, capacity * 2)));
    this.#slots = new Uint32Array(size * 2);
    this.#states = new Uint8Array(size);
    this.#mask = size - 1;
  }

  /** Undefined when it is not listed. */
  get(high: number, low: number): TxState | undefined {
    const slot = this.#find(high, low);
    return this.#isFree(slot) ? undefined : (this.#states[slot] as TxState);
  }

  set(high: number, low: number, state: TxState): void {
    const slot = this.#find(high, low);
    this.#slots[slot * 2] = high;
    this.#slots[slot * 2 + 1] = low;
    this.#states[slot] = state;
  }

  /** Calls back with every fingerprint of a state between two slots; the number of slots is `size`. */
  each(
    state: TxState,
    { from, to }: { readonly from: number; readonly to: number },
    use: (high: number, low: number) => void,
  ): void {
    for (let slot = from; slot < Math.min(to, this.size); slot += 1) {
      if (this.#states[slot] !== state || this.#isFree(slot)) continue;
      use(this.#slots[slot * 2] ?? 0, this.#slots[slot * 2 + 1] ?? 0);
    }
  }

  get size(): number {
    return this.#mask + 1;
  }

  #find(high: number, low: number): number {
    let slot = (high ^ low) & this.#mask;
    while (!this.#isFree(slot) && (this.#slots[slot * 2] !== high || this.#slots[slot * 2 + 1] !== low)) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }

  #isFree(slot: number): boolean {
    return this.#slots[slot * 2] === 0 && this.#slots[slot * 2 + 1] === 0;
  }
}
