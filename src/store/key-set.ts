/**
 * A set of 32-bit numbers in flat arrays: 5 to 18 bytes each, a million in 9 MB. Zero is not told from one.
 *
 * Most questions are about strangers. A filter of three bits for each key, all in one word, answers for nearly all of
 * those: it takes an eighth of the memory of the keys, so that far more of it is in the processor's caches.
 */
export class KeySet {
  #slots = new Uint32Array(INITIAL_SLOTS);
  #filter = new Uint32Array(INITIAL_SLOTS * FILTER_WORDS_PER_SLOT);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(key: number): void {
    if ((this.#size + 1) * MAX_LOAD > this.#slots.length) this.#grow();
    const wanted = stored(key);
    if (!put(this.#slots, wanted)) return;
    mark(this.#filter, wanted);
    this.#size += 1;
  }

  has(key: number): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const wanted = stored(key);
    for (let at = scattered(wanted) & mask; ; at = (at + 1) & mask) {
      const found = slots[at];
      if (found === wanted) return true;
      if (found === 0) return false;
    }
  }

  /**
   * Where in a row those stand that are in the set: many times as fast as asking about each. Of many at a time, the words
   * of the filter are looked at before any key is, without a branch, so that the processor waits for several at once.
   */
  positionsIn(keys: Uint32Array): number[] {
    const filter = this.#filter;
    const shift = shiftOf(filter);
    const positions: number[] = [];
    if (filter.length < keys.length * WORTHWHILE_WORDS) fetch(filter);
    for (let from = 0; from < keys.length; from += AT_ONCE) {
      const end = Math.min(keys.length, from + AT_ONCE);
      let count = 0;
      for (let at = from; at < end; at += 1) {
        const key = stored(keys[at] ?? 0);
        const word = filter[spread(key) >>> shift] ?? 0;
        maybe[count] = at;
        count += (word >>> key) & (word >>> (key >>> 5)) & (word >>> (key >>> 10)) & 1;
      }
      count = this.#keepNonEmpty(keys, count);
      for (let index = 0; index < count; index += 1) {
        const at = maybe[index] ?? 0;
        if (this.has(keys[at] ?? 0)) positions.push(at);
      }
    }
    return positions;
  }

  /** Of the positions that may be, leaves those whose first slot holds anything. @returns how many */
  #keepNonEmpty(keys: Uint32Array, count: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let kept = 0;
    for (let index = 0; index < count; index += 1) {
      const at = maybe[index] ?? 0;
      const first = slots[scattered(stored(keys[at] ?? 0)) & mask] ?? 0;
      maybe[kept] = at;
      kept += Math.min(first, 1);
    }
    return kept;
  }

  #grow(): void {
    const { length } = this.#slots;
    const wider = new Uint32Array(length * 2);
    const filter = new Uint32Array(length * 2 * FILTER_WORDS_PER_SLOT);
    for (const key of this.#slots) {
      if (key === 0) continue;
      put(wider, key);
      mark(filter, key);
    }
    this.#slots = wider;
    this.#filter = filter;
  }
}

const INITIAL_SLOTS = 1_024;
/** Four bits for each slot, eight at least for each key: of strangers it lets one in some twenty through, at the most. */
const FILTER_WORDS_PER_SLOT = 1 / 8;
/** Keys that are looked at together. */
const AT_ONCE = 1_024;
const maybe = new Uint32Array(AT_ONCE);
/** The processor fetches so many words together. */
const WORDS_PER_LINE = 16;
/** Fetching a whole filter is worth its while up to so many words of it for each key that is asked for. */
const WORTHWHILE_WORDS = 3 * WORDS_PER_LINE;
/** At least half of the slots stay empty: runs of full ones stay short. */
const MAX_LOAD = 2;

/** Whether it was new. There is always an empty slot. */
function put(slots: Uint32Array, key: number): boolean {
  const mask = slots.length - 1;
  let at = scattered(key) & mask;
  while (slots[at] !== 0) {
    if (slots[at] === key) return false;
    at = (at + 1) & mask;
  }
  slots[at] = key;
  return true;
}

/** Sets the bits of a key in a filter. Shifts go by the lowest five bits of their distance. */
function mark(filter: Uint32Array, key: number): void {
  const at = spread(key) >>> shiftOf(filter);
  filter[at] = (filter[at] ?? 0) | (1 << key) | (1 << (key >>> 5)) | (1 << (key >>> 10));
}

/** Reads all of a filter, from its beginning to its end: so it comes several times as fast as from here and there. */
function fetch(filter: Uint32Array): void {
  let found = 0;
  for (let at = 0; at < filter.length; at += WORDS_PER_LINE) found |= filter[at] ?? 0;
  // Nobody looks at that; but what comes to nothing is not read.
  maybe[0] = found;
}

/** By how much a hash is shifted for the number of its word: its highest bits are. */
function shiftOf(filter: Uint32Array): number {
  return 1 + Math.clz32(filter.length);
}

/** Zero marks an empty slot. */
function stored(key: number): number {
  return key >>> 0 || 1;
}

/** Fibonacci hashing: its highest bits depend upon all of the key. */
function spread(key: number): number {
  return Math.imul(key, 0x9e3779b1);
}

/** MurmurHash3's last step: keys that look alike come to lie far apart. */
function scattered(key: number): number {
  let hash = Math.imul(key ^ (key >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
