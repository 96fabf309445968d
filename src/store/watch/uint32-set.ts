const INITIAL_SLOTS = 1_024;

/**
 * A set of 32-bit numbers by open addressing: a million need 8 to 16 MB, in a Set some 40. At least half of
 * the slots stay empty, so that runs of full ones stay short. Zero and one are the same.
 */
export class Uint32Set {
  #slots = new Uint32Array(INITIAL_SLOTS);
  #size = 0;

  add(key: number): void {
    if ((this.#size + 1) * 2 > this.#slots.length) this.#grow();
    const at = this.#slotOf(key >>> 0 || 1);
    if (this.#slots[at] === 0) this.#size += 1;
    this.#slots[at] = key >>> 0 || 1;
  }

  has(key: number): boolean {
    return this.#slots[this.#slotOf(key >>> 0 || 1)] !== 0;
  }

  /**
   * The slot of a key, or the empty one where it belongs. The multiplication spreads similar keys (Fibonacci
   * hashing).
   */
  #slotOf(key: number): number {
    const mask = this.#slots.length - 1;
    let at = Math.imul(key, 0x9e3779b1) >>> Math.clz32(mask);
    while (this.#slots[at] !== 0 && this.#slots[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const keys = this.#slots.filter((key) => key !== 0);
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (const key of keys) this.#slots[this.#slotOf(key)] = key;
  }
}
