import { Kysely, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** The open database, or a transaction on it: what every store function takes first. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

const waiting = new WeakMap<Tx, (() => void)[]>();

/**
 * Runs work in one transaction and returns its result; any error rolls everything back.
 * The work must not wait for the network: it holds the only writer.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (db.isTransaction) throw new Error('already in a transaction: pass the transaction on instead');
  const tell: (() => void)[] = [];
  const result = await db.transaction().execute(async (tx) => {
    waiting.set(tx, tell);
    return work(tx);
  });
  for (const each of tell) each();
  return result;
}

/** Has something done as soon as the transaction is committed; never, when it is rolled back. It must not throw. */
export function afterCommit(tx: Tx, then: () => void): void {
  const tell = waiting.get(tx);
  if (tell === undefined) throw new Error('afterCommit needs a transaction of inTransaction');
  tell.push(then);
}
