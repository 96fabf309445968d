import type { Connection } from './connection.ts';

/** Tells a caller what became of its work: to be called once the group is on disk. */
type Outcome = () => void;

interface Job {
  readonly isRelaxed: boolean;
  /** Throws only when the whole group is lost: alone, it is the group. */
  readonly run: (isAlone: boolean) => Promise<Outcome>;
  readonly reject: (error: unknown) => void;
}

/** At most so many hold the writer together: nobody else waits longer for it than they take. */
const GROUP_MAX = 32;

/**
 * Commits together what is asked for together: one flush to the disk, which costs more than most transactions do,
 * serves all of a group. Each piece of work runs by itself, one after the other, and is rolled back alone when it
 * fails. Nobody learns of success or failure before the group is committed.
 */
export class GroupCommit {
  readonly #writer: Connection;
  readonly #inTransaction: (isRelaxed: boolean, work: () => Promise<void>) => Promise<void>;
  #waiting: Job[] = [];
  #isScheduled = false;

  /**
   * @param writer what work writes to
   * @param inTransaction runs work in a transaction of this connection
   */
  constructor(
    writer: Connection,
    inTransaction: (isRelaxed: boolean, work: () => Promise<void>) => Promise<void>,
  ) {
    this.#writer = writer;
    this.#inTransaction = inTransaction;
  }

  /** @param isRelaxed whether a group of nothing else needs no flush of its own */
  async run<T>(work: () => Promise<T>, isRelaxed: boolean): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({
      isRelaxed,
      reject,
      run: async (isAlone) => {
        if (!isAlone) return this.#inSavepoint(work, resolve, reject);
        const value = await work();
        return () => resolve(value);
      },
    });
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      // After the requests that have arrived by now were read: they share the commit.
      setImmediate(() => void this.#commitNext());
    }
    return promise;
  }

  async #commitNext(): Promise<void> {
    const jobs = this.#waiting.splice(0, GROUP_MAX);
    const isRelaxed = jobs.every((job) => job.isRelaxed);
    try {
      const outcomes: Outcome[] = [];
      await this.#inTransaction(isRelaxed, async () => {
        for (const job of jobs) outcomes.push(await job.run(jobs.length === 1));
      });
      for (const tell of outcomes) tell();
    } catch (error) {
      // The database is locked, the disk full or failing: SQLite took everything back, also what had succeeded.
      for (const job of jobs) job.reject(error);
    }
    if (this.#waiting.length > 0) setImmediate(() => void this.#commitNext());
    else this.#isScheduled = false;
  }

  async #inSavepoint<T>(
    work: () => Promise<T>,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): Promise<Outcome> {
    this.#writer.all('savepoint work', []);
    try {
      const value = await work();
      this.#writer.all('release savepoint work', []);
      return () => resolve(value);
    } catch (error) {
      this.#rollBack(error);
      return () => reject(error);
    }
  }

  /** @throws the cause when the whole transaction is gone already, so that there is nothing to go back to. */
  #rollBack(cause: unknown): void {
    try {
      this.#writer.all('rollback to savepoint work', []);
      this.#writer.all('release savepoint work', []);
    } catch {
      throw cause;
    }
  }
}
