/** Forgets what came first, of a set or a map that holds too much. */
export function forgetOldest<K>(all: { keys(): IterableIterator<K>; delete(key: K): boolean }): void {
  for (const oldest of all.keys()) {
    all.delete(oldest);
    return;
  }
}
