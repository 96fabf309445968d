import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import type { Logger } from '../domain/ports.ts';

/** So long whatever is to be written waits for another process. */
const PATIENCE_MS = 5_000;
/** A tool beside the daemon writes for milliseconds; who takes longer than this is in the way. */
const IN_THE_WAY_MS = 1_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;

/** Nothing was done: another process did not let go of the database in time. */
export class DatabaseLockedError extends AppError {
  constructor(cause: unknown) {
    super('DATABASE_UNAVAILABLE', 'The database cannot be written now: try again later', {
      cause,
      retryAfterMs: PATIENCE_MS,
    });
    this.name = 'DatabaseLockedError';
  }
}

interface OutsideLockOptions {
  /** Whether an error says that another process is writing, and so nothing was done. */
  readonly isLocked: (error: unknown) => boolean;
  /** Whether the database could be written now; it writes nothing. */
  readonly isFree: () => boolean;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
  readonly patienceMs?: number | undefined;
}

/**
 * The right to write while another process has it, such as a shell in which somebody forgot a transaction.
 * The database would wait for it within the statement, and the event loop would answer nobody; instead each write
 * is tried again, in between which everything else goes on.
 */
export class OutsideLock {
  readonly #options: OutsideLockOptions;
  #heldSince: number | null = null;
  #isTold = false;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: OutsideLockOptions) {
    this.#options = options;
  }

  /** Whether it keeps this program from writing, and not only for a moment. */
  get isInTheWay(): boolean {
    return this.#heldSince !== null && performance.now() - this.#heldSince >= IN_THE_WAY_MS;
  }

  /** Whether an error means that nothing was done yet, and that it is to be tried again. */
  refused(error: unknown): boolean {
    if (!this.#options.isLocked(error)) return false;
    this.#heldSince ??= performance.now();
    // Also while nobody has anything to write: whoever asks is told of the end as well.
    this.#timer ??= setInterval(() => this.#look(), IN_THE_WAY_MS).unref();
    return true;
  }

  /** Whether something asked for at a time (performance.now) has waited long enough. */
  isTooLate(askedAt: number): boolean {
    return performance.now() - askedAt >= (this.#options.patienceMs ?? PATIENCE_MS);
  }

  /** Until the next try; longer each time. */
  async pause(): Promise<void> {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    await pause(pauseMs);
  }

  /** Something was written. */
  passed(): void {
    if (this.#heldSince === null) return;
    const heldMs = Math.round(performance.now() - this.#heldSince);
    this.close();
    if (this.#isTold) this.#options.logger?.warn({ heldMs }, 'the database can be written again');
    this.#isTold = false;
  }

  /**
   * Runs a statement by itself as soon as it may write.
   * @throws {DatabaseLockedError} when nothing was done in time
   */
  async outwait<T>(work: () => Promise<T>): Promise<T> {
    const askedAt = performance.now();
    for (let wasRefused = false; ; wasRefused = true) {
      try {
        const done = await work();
        if (wasRefused) this.passed();
        return done;
      } catch (error) {
        if (!this.refused(error)) throw error;
        if (this.isTooLate(askedAt)) throw new DatabaseLockedError(error);
      }
      await this.pause();
    }
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#heldSince = null;
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  #look(): void {
    if (this.#options.isFree()) this.passed();
    else if (!this.#isTold) {
      this.#isTold = true;
      this.#options.logger?.warn(
        {},
        'another process holds the write lock of the database, perhaps a shell with an open transaction: until it ends, nothing can be written',
      );
    }
  }
}
