/** Cache of the most recently used entries, bounded; calls back on eviction. */
export class LruCache<V> {
  readonly #entries = new Map<string, V>();
  readonly #capacity: number;
  readonly #onEvict: (value: V) => void;

  constructor(capacity: number, onEvict: (value: V) => void = () => undefined) {
    this.#capacity = capacity;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, made by `create` on a miss. */
  get(key: string, create: () => V): V {
    const cached = this.#entries.get(key);
    const value = cached ?? create();
    if (cached !== undefined) this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#capacity) this.#evictOldest();
    return value;
  }

  #evictOldest(): void {
    const [oldest] = this.#entries;
    if (oldest === undefined) return;
    this.#entries.delete(oldest[0]);
    this.#onEvict(oldest[1]);
  }
}
