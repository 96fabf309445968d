import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const flushFile = promisify(fdatasync);

/** What was committed may not outlive a power cut; until one happens it is there, and doing it again would do it twice. */
export class NotFlushedError extends Error {
  constructor(cause: unknown) {
    super('the disk could not be flushed', { cause });
    this.name = 'NotFlushedError';
  }
}

/**
 * Flushes the write-ahead log in a thread, for commits that nobody waits for by name: SQLite would flush
 * within the commit, and the event loop would answer nobody for as long as the disk takes. It is the same
 * flush of the same file, so that after it what was committed before it is as durable.
 */
export class FlushAside {
  readonly #leaveOut: (isLeftOut: boolean) => void;
  readonly #logPath: string;
  #fd: number | null = null;
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  /**
   * @param logPath the write-ahead log
   * @param leaveOut tells SQLite whether commits are to be flushed by itself; the log's new beginning, and the
   *   log before it is copied into the database, always are
   */
  constructor(logPath: string, leaveOut: (isLeftOut: boolean) => void) {
    this.#leaveOut = leaveOut;
    this.#logPath = logPath;
  }

  /** Until `end`, commits are left to `flush`. Not within a transaction, and nobody else may commit meanwhile. */
  begin(): void {
    this.#leaveOut(true);
  }

  end(): void {
    this.#leaveOut(false);
  }

  /**
   * Waits until all that is committed by now is on disk.
   * @throws {NotFlushedError}
   */
  async flush(): Promise<void> {
    // The one under way may have begun before the last commit; the next one serves whoever asks meanwhile.
    this.#next ??= this.#after(this.#current);
    return this.#next;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => undefined);
    await this.#current.catch(() => undefined);
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  async #after(current: Promise<void>): Promise<void> {
    await current.catch(() => undefined);
    this.#current = this.#next ?? this.#current;
    this.#next = null;
    try {
      this.#fd ??= openSync(this.#logPath, 'r+');
      await flushFile(this.#fd);
    } catch (error) {
      throw new NotFlushedError(error);
    }
  }
}
