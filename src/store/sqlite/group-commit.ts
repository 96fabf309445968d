import type { Connection } from './connection.ts';

/** Settles the caller's promise with the result of its work; called once the group is on disk. */
type Outcome = () => void;

interface Job {
  readonly isRelaxed: boolean;
  /** Throws only when the whole group is rolled back; a job that runs alone is the whole group. */
  readonly run: (isAlone: boolean) => Promise<Outcome>;
  readonly reject: (error: unknown) => void;
}

/** Maximum jobs in one group, which bounds how long the next caller waits for the writer. */
const GROUP_MAX = 32;

/**
 * Group commit: concurrent transactions share one flush to the disk, which costs more than most transactions do. The
 * jobs run one after the other, each in a savepoint, and one that fails is rolled back alone. No caller learns its
 * result before the group is committed.
 */
export class GroupCommit {
  readonly #writer: Connection;
  readonly #inTransaction: (isRelaxed: boolean, work: () => Promise<void>) => Promise<void>;
  #waiting: Job[] = [];
  #isScheduled = false;

  /**
   * @param writer the connection that the work writes to
   * @param inTransaction runs work in a transaction of this connection
   */
  constructor(
    writer: Connection,
    inTransaction: (isRelaxed: boolean, work: () => Promise<void>) => Promise<void>,
  ) {
    this.#writer = writer;
    this.#inTransaction = inTransaction;
  }

  /** @param isRelaxed whether a group of only such jobs needs no flush */
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
      // After the requests that have already arrived were read, so that they share the commit.
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
      for (const settle of outcomes) settle();
    } catch (error) {
      // The database is locked, or the disk full or failing: SQLite rolled everything back, successful jobs included.
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

  /** @throws the cause when the whole transaction is already rolled back, so that no savepoint is left. */
  #rollBack(cause: unknown): void {
    try {
      this.#writer.all('rollback to savepoint work', []);
      this.#writer.all('release savepoint work', []);
    } catch {
      throw cause;
    }
  }
}
