/** A seeded generator (mulberry32): the same seed produces the same round. Not for keys. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 included, 1 excluded. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.int(0, values.length - 1)];
    if (value === undefined) throw new Error('pick requires at least one value');
    return value;
  }

  /** Each item with this probability, in order. */
  some<T>(values: readonly T[], probability: number): T[] {
    return values.filter(() => this.chance(probability));
  }

  /** An independent generator, so that more draws in one place do not change another. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32));
  }
}
