import type { Db } from './database.ts';
import { versionOf } from './runners.ts';

/** What was read of one state of a database. */
interface Kept<V> {
  readonly version: number;
  readonly values: Map<string, V>;
}

/**
 * Reads a value once and gives it to whoever asks again, as long as nothing at all was committed to the
 * database since: it is what reading again would give. Any commit, also one of another process, ends all
 * of it. What is not found is not kept, so that nobody can fill it with guesses.
 * @param most values kept at the same time; with one more, all are let go
 * @param read must depend on nothing but the database and the key; what it gives must not be changed
 */
export function keptWhileUnchanged<V extends object>(
  most: number,
  read: (db: Db, key: string) => Promise<V | null>,
): (db: Db, key: string) => Promise<V | null> {
  const byDatabase = new WeakMap<Db, Kept<V>>();
  return async (db, key) => {
    const version = versionOf(db);
    if (version === null) return read(db, key);
    let kept = byDatabase.get(db);
    if (kept?.version !== version) byDatabase.set(db, (kept = { version, values: new Map() }));
    const known = kept.values.get(key);
    if (known !== undefined) return known;
    // Asked for in the same breath as the version: both are of one snapshot.
    const value = await read(db, key);
    if (value === null) return null;
    if (kept.values.size >= most) kept.values.clear();
    kept.values.set(key, value);
    return value;
  };
}
