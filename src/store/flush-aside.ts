import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Logger } from '../domain/ports.ts';
import type { SlowFlushes } from './slow-flushes.ts';

const flushFile = promisify(fdatasync);

/** What was committed may not outlive a power cut; until one happens it is there, and doing it again would do it twice. */
export class NotFlushedError extends Error {
  constructor(cause: unknown) {
    super('the disk could not be flushed', { cause });
    this.name = 'NotFlushedError';
  }
}

/** So often the log is copied into the database anew, until it can be, where nobody has anything to write. */
const MEND_MS = 1_000;

const COMMIT = /^\s*commit\b/i;

interface FlushAsideOptions {
  /** Tells SQLite whether commits are to be flushed by itself; the log's new beginning, and the log before it is
   * copied into the database, always are. */
  readonly leaveOut: (isLeftOut: boolean) => void;
  /** Copies all of the log into the database, flushed, and begins it anew; false when it is in use. */
  readonly copyLog: () => boolean;
  readonly flushes?: SlowFlushes | undefined;
  readonly logger?: Pick<Logger, 'warn' | 'error'> | undefined;
}

/**
 * Flushes the write-ahead log in a thread, for commits that nobody waits for by name: SQLite would flush
 * within the commit, and the event loop would answer nobody for as long as the disk takes. It is the same
 * flush of the same file, so that after it what was committed before it is as durable. A disk tells only once of what
 * it lost: after a flush that failed nothing is committed behind it before all of the log is in the database.
 */
export class FlushAside {
  readonly #options: FlushAsideOptions;
  readonly #logPath: string;
  /** Why the log may have a hole, behind which a power cut would leave nothing. */
  #failure: NotFlushedError | null = null;
  #mending: NodeJS.Timeout | null = null;
  #fd: number | null = null;
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(logPath: string, options: FlushAsideOptions) {
    this.#options = options;
    this.#logPath = logPath;
  }

  /** Whether nothing is committed for now. */
  get isFailed(): boolean {
    return this.#failure !== null;
  }

  /** Until `end`, commits are left to `flush`. Not within a transaction, and nobody else may commit meanwhile. */
  begin(): void {
    this.#options.leaveOut(true);
  }

  end(): void {
    this.#options.leaveOut(false);
  }

  /**
   * To be called before each statement that may write.
   * @throws {NotFlushedError} when what it would commit may stand behind a hole that cannot be mended now
   */
  check(statement: string, isInTransaction: boolean): void {
    if (this.#failure === null) return;
    if (!isInTransaction) this.#mend(this.#failure);
    else if (COMMIT.test(statement)) throw this.#failure;
  }

  #mend(failure: NotFlushedError): void {
    if (!this.#options.copyLog()) throw failure;
    this.#failure = null;
    this.#endMending();
    this.#options.logger?.warn({}, 'what the disk may have lost was written to the database once more');
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
    this.#endMending();
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  async #after(current: Promise<void>): Promise<void> {
    await current.catch(() => undefined);
    this.#current = this.#next ?? this.#current;
    this.#next = null;
    if (this.#failure !== null) throw this.#failure;
    try {
      this.#fd ??= openSync(this.#logPath, 'r+');
      const began = performance.now();
      await flushFile(this.#fd);
      this.#options.flushes?.flushedAside(began);
    } catch (error) {
      this.#failure = new NotFlushedError(error);
      this.#options.logger?.error({ err: error }, 'the disk could not be flushed');
      this.#mending ??= setInterval(() => this.#tryToMend(), MEND_MS).unref();
      throw this.#failure;
    }
  }

  #tryToMend(): void {
    try {
      if (this.#failure !== null) this.#mend(this.#failure);
    } catch {
      // The disk fails still, as was told; whoever writes meanwhile is told why.
    }
  }

  #endMending(): void {
    if (this.#mending !== null) clearInterval(this.#mending);
    this.#mending = null;
  }
}
