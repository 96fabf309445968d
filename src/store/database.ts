import { Kysely, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** The open database, or a transaction on it: what every store function takes first. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

/**
 * Runs work in one transaction and returns its result; any error rolls everything back.
 * The work must not wait for the network: it holds the only writer.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (db.isTransaction) throw new Error('already in a transaction: pass the transaction on instead');
  return db.transaction().execute(work);
}
