import type { Kysely, Transaction } from 'kysely';
import { CommitGroup, type Haste } from './commit-group.ts';
import { flushAsideOf, fullDiskOf, outsideLockOf } from './runners.ts';
import type { Tables } from './tables.ts';

/** The open database, or a transaction on it: what every store function takes first. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

const groups = new WeakMap<Db, CommitGroup>();
const waiting = new WeakMap<Tx, (() => void)[]>();

/**
 * Runs work in a transaction of its own and returns its result once it is durable; any error rolls
 * all of the work back. Pieces of work asked for at the same time may share one commit.
 * The work must not wait for the network: it holds the only writer.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return committed(db, work, 'usual');
}

/** As inTransaction, but without waiting for others to share its commit: for what seldom comes, and alone. */
export async function inTransactionAtOnce<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return committed(db, work, 'at once');
}

/**
 * As inTransaction, and its result as durable; but the disk is flushed beside the event loop, which goes
 * on meanwhile. For work of the program itself, such as records of webhooks: others may read what was
 * written some milliseconds before it would outlive a power cut.
 */
export async function inPatientTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return committed(db, work, 'patient');
}

async function committed<T>(db: Db, work: (tx: Tx) => Promise<T>, haste: Haste): Promise<T> {
  if (db.isTransaction) throw new Error('already in a transaction: pass the transaction on instead');
  let group = groups.get(db);
  if (group === undefined) groups.set(db, (group = new CommitGroup(db)));
  const tell: (() => void)[] = [];
  const result = await group.run(async (tx) => {
    // Works that share a commit share its transaction, too, but have it one after the other.
    waiting.set(tx, tell);
    return work(tx);
  }, haste);
  for (const each of tell) each();
  return result;
}

/** Runs reads that must all see the same moment; also beside a daemon, whose writes go on meanwhile. */
export async function inSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().setAccessMode('read only').execute(work);
}

/** Has something done as soon as the transaction is committed; never, when it is rolled back. It must not throw. */
export function afterCommit(tx: Tx, then: () => void): void {
  const tell = waiting.get(tx);
  if (tell === undefined) throw new Error('afterCommit needs a transaction of inTransaction');
  tell.push(then);
}

/** Why nothing may be written for now, although there would be room. */
export const WRITE_TROUBLES = ['locked by another process', 'not flushed by the disk'] as const;
export type WriteTrouble = (typeof WRITE_TROUBLES)[number] | 'disk full';

/** Why nothing can be written for now; null when it can. */
export function writeTroubleOf(db: Db): WriteTrouble | null {
  if (outsideLockOf(db)?.isInTheWay === true) return 'locked by another process';
  if (flushAsideOf(db)?.isFailed === true) return 'not flushed by the disk';
  return fullDiskOf(db)?.isFull === true ? 'disk full' : null;
}
