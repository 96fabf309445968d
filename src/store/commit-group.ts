import { sql, type Kysely, type Transaction } from 'kysely';
import { DatabaseLockedError, type OutsideLock } from './outside-lock.ts';
import { prepared } from './prepared.ts';
import { enterTransaction, flushAsideOf, fullDiskOf, leaveTransaction, outsideLockOf } from './runners.ts';
import type { Tables } from './tables.ts';

type Work<T> = (tx: Transaction<Tables>) => Promise<T>;

/** Tells a caller what became of its work: to be called once the group is on disk. */
type Outcome = () => void;

/** One piece of work that waits for its commit; `run` throws only when the whole group is lost: alone, it is the group. */
interface Job {
  /** By performance.now. */
  readonly askedAt: number;
  /** Whether the flush may be left to a thread. */
  readonly isPatient: boolean;
  readonly run: (tx: Transaction<Tables>, isAlone: boolean) => Promise<Outcome>;
  readonly reject: (error: unknown) => void;
}

/**
 * `usual` work waits for company; what is wanted `at once` does not, unless somebody else has the writer. What is
 * `patient` lets others read what it wrote a moment before it is durable, and is told so.
 */
export type Haste = 'usual' | 'at once' | 'patient';

/** So many at most hold the writer together: nobody else waits longer for it than they take. */
const GROUP_MAX = 32;

/**
 * Commits together what is asked for together: one flush to the disk, which costs more than most
 * transactions do, serves all of a group. Each piece of work runs alone, one after the other, and is
 * taken back alone when it fails. Nobody is told anything, be it success or failure, before what it
 * builds on is durable.
 */
export class CommitGroup {
  readonly #db: Kysely<Tables>;
  #waiting: Job[] = [];
  #scheduled = false;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async run<T>(work: Work<T>, haste: Haste = 'usual'): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({
      askedAt: performance.now(),
      isPatient: haste === 'patient',
      run: async (tx, isAlone) =>
        isAlone ? outright(tx, work, resolve) : attempt(tx, work, resolve, reject),
      reject,
    });
    if (!this.#scheduled) {
      this.#scheduled = true;
      if (haste === 'at once') void this.#drain();
      // After the requests that have arrived by now were read: they share the commit.
      else setImmediate(() => void this.#drain());
    }
    return promise;
  }

  async #drain(): Promise<void> {
    const isLocked = await this.#commitSome();
    if (isLocked) await outsideLockOf(this.#db)?.pause();
    if (this.#waiting.length > 0) setImmediate(() => void this.#drain());
    else this.#scheduled = false;
  }

  /** @returns whether another process kept them from being begun: then those wait on that still may */
  async #commitSome(): Promise<boolean> {
    const taken = this.#waiting.splice(0, GROUP_MAX);
    const aside = taken.every(({ isPatient }) => isPatient) ? flushAsideOf(this.#db) : null;
    const lock = outsideLockOf(this.#db);
    const giveUp = (error: unknown): void => {
      for (const job of taken) job.reject(error);
    };
    let hasBegun = false;
    const begun = (): void => {
      hasBegun = true;
      lock?.passed();
    };
    let outcomes: readonly Outcome[];
    try {
      if (aside === null) outcomes = await this.#commit(this.#db, taken, begun);
      else {
        outcomes = await this.#db.connection().execute(async (one) => {
          aside.begin();
          try {
            return await this.#commit(one, taken, begun);
          } finally {
            aside.end();
          }
        });
      }
    } catch (error) {
      if (!hasBegun && lock?.refused(error) === true) {
        this.#waitOn(taken, lock, error);
        return true;
      }
      // The disk is full or failed: SQLite took everything back, also what had been done before.
      fullDiskOf(this.#db)?.failed(error);
      giveUp(error);
      return false;
    }
    const tell = (): void => {
      for (const each of outcomes) each();
    };
    if (aside === null) tell();
    else void aside.flush().then(tell, giveUp);
    return false;
  }

  /** Puts back what was taken, in its place; whoever has waited too long is told so. */
  #waitOn(taken: readonly Job[], lock: OutsideLock, cause: unknown): void {
    const all = [...taken, ...this.#waiting];
    // In the order in which they were asked for. Time goes on meanwhile: who comes after one in time is not looked at.
    const inTime = all.findIndex(({ askedAt }) => !lock.isTooLate(askedAt));
    this.#waiting = inTime === -1 ? [] : all.splice(inTime);
    for (const late of all) late.reject(new DatabaseLockedError(cause));
  }

  async #commit(db: Kysely<Tables>, jobs: readonly Job[], begun: () => void): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    await db.transaction().execute(async (tx) => {
      begun();
      enterTransaction(this.#db, tx);
      try {
        for (const job of jobs) outcomes.push(await job.run(tx, jobs.length === 1));
      } finally {
        leaveTransaction(tx);
      }
    });
    return outcomes;
  }
}

const savepoint = prepared((db) => ({ compile: () => sql`savepoint work`.compile(db) }));
const release = prepared((db) => ({ compile: () => sql`release savepoint work`.compile(db) }));

/** Needs no way back of its own: the transaction has nothing else in it, and SQLite no copies of its pages to keep. */
async function outright<T>(
  tx: Transaction<Tables>,
  work: Work<T>,
  resolve: (value: T) => void,
): Promise<Outcome> {
  const value = await work(tx);
  return () => resolve(value);
}

async function attempt<T>(
  tx: Transaction<Tables>,
  work: Work<T>,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): Promise<Outcome> {
  await savepoint(tx, {});
  try {
    const value = await work(tx);
    await release(tx, {});
    return () => resolve(value);
  } catch (error) {
    await takeBack(tx, error);
    return () => reject(error);
  }
}

/** @throws the cause when the whole transaction is gone already, so that there is nothing to go back to. */
async function takeBack(tx: Transaction<Tables>, cause: unknown): Promise<void> {
  try {
    await sql`rollback to savepoint work`.execute(tx);
    await sql`release savepoint work`.execute(tx);
  } catch {
    throw cause;
  }
}
