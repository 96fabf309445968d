import type { Kysely } from 'kysely';
import type { ChangeWatch } from './change-watch.ts';
import type { FlushAside } from './flush-aside.ts';
import type { FullDisk } from './full-disk.ts';
import type { OutsideLock } from './outside-lock.ts';
import type { Tables } from './tables.ts';

/** Runs SQL at once, without waiting for its turn; rows of what returns none are an empty list. */
export interface Runner {
  all(text: string, parameters: readonly unknown[]): unknown[];
}

/** Runs what only reads, and shows what is committed at one moment until it moves on to a later one. */
export interface SnapshotRunner extends Runner {
  /** That moment's number: another one once anybody, this process or another, has committed anything. */
  version(): number;
}

/** Ways past Kysely's queue to an open database. */
export interface Runners {
  /** A connection that only reads, and only what is committed. */
  readonly reader: SnapshotRunner;
  /** The connection of transactions: for whoever has the one that is open. */
  readonly writer: Runner;
  readonly flushAside: FlushAside;
  readonly outsideLock: OutsideLock;
  readonly fullDisk: FullDisk;
  readonly changes: ChangeWatch;
}

const runners = new WeakMap<Kysely<Tables>, Runners>();
/** Those of open transactions, by these. */
const running = new WeakMap<Kysely<Tables>, Runners>();

/** Lets prepared statements of this database run by themselves. */
export function setRunners(db: Kysely<Tables>, all: Runners): void {
  runners.set(db, all);
}

/** Null for a database in memory. */
export function runnersOf(db: Kysely<Tables>): Runners | null {
  return runners.get(db) ?? null;
}

/** Lets prepared statements run within this transaction of the database. */
export function enterTransaction(db: Kysely<Tables>, tx: Kysely<Tables>): void {
  const both = runners.get(db);
  if (both !== undefined) running.set(tx, both);
}

/** Once it has ended, whoever still uses it must hear so from Kysely. */
export function leaveTransaction(tx: Kysely<Tables>): void {
  running.delete(tx);
}

/**
 * The writer within a transaction, the reader outside of one; null where Kysely must do it: in a
 * database in memory, and in transactions that inTransaction did not open.
 */
export function runnerOf(db: Kysely<Tables>): Runner | null {
  return running.get(db)?.writer ?? runners.get(db)?.reader ?? null;
}

/** Null for a database in memory, which is never flushed. */
export function flushAsideOf(db: Kysely<Tables>): FlushAside | null {
  return runners.get(db)?.flushAside ?? null;
}

/** Null for a database in memory, which no other process has. */
export function outsideLockOf(db: Kysely<Tables>): OutsideLock | null {
  return runners.get(db)?.outsideLock ?? null;
}

/** Null for a database in memory. */
export function fullDiskOf(db: Kysely<Tables>): FullDisk | null {
  return runners.get(db)?.fullDisk ?? null;
}

/**
 * The number of the state that reads outside of transactions now see: as long as it stays the same, so does
 * everything in the database. Null in transactions, and where there is none.
 */
export function versionOf(db: Kysely<Tables>): number | null {
  return runners.get(db)?.reader.version() ?? null;
}

/** Also in a transaction. Null for a database in memory, of which nothing needs to be kept there once more. */
export function changeWatchOf(db: Kysely<Tables>): ChangeWatch | null {
  return (running.get(db) ?? runners.get(db))?.changes ?? null;
}
