import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';
import { isDiskFull, isLocked } from './errors.ts';

const PROBE_MS = 1_000;
const RETRY_AFTER_MS = 5_000;

/** Why writes fail at present. */
export type WriteProblem = 'locked by another process' | 'disk full';

/** A write failed without effect: another process holds the write lock of the database. */
class DatabaseLockedError extends AppError {
  constructor(cause: unknown) {
    super('DATABASE_UNAVAILABLE', 'The database cannot be written now: try again later', {
      cause,
      retryAfterMs: RETRY_AFTER_MS,
    });
    this.name = 'DatabaseLockedError';
  }
}

interface WriteHealthOptions {
  /** Tries to write, without waiting for another process. @throws SQLite's error when it fails */
  readonly probe: () => void;
  /** Sets how long a write waits for another process; it blocks the event loop meanwhile. */
  readonly setBusyTimeout: (ms: number) => void;
  readonly busyTimeoutMs: number;
  /** Path of the database, for the operator. */
  readonly path: string;
  readonly logger?: Pick<Logger, 'info' | 'warn' | 'error'> | undefined;
}

/**
 * Tracks why the database cannot be written. The caller of a write gets an error; this informs the operator, who would
 * otherwise learn of it from customers: reads continue, and nothing else looks wrong.
 */
export class WriteHealth {
  readonly #options: WriteHealthOptions;
  #trouble: WriteProblem | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: WriteHealthOptions) {
    this.#options = options;
  }

  get trouble(): WriteProblem | null {
    return this.#trouble;
  }

  /** Records a failed write. @returns the error to report to the caller */
  failed(error: unknown): unknown {
    const problem = findProblem(error);
    if (problem === null) return error;
    if (problem !== this.#trouble) this.#begin(problem);
    return problem === 'disk full' ? error : new DatabaseLockedError(error);
  }

  /** To be called after each write. */
  succeeded(): void {
    if (this.#trouble === 'locked by another process') this.#end();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #begin(problem: WriteProblem): void {
    const { logger, path } = this.#options;
    this.#trouble = problem;
    this.#timer ??= setInterval(() => this.#probe(), PROBE_MS).unref();
    if (problem === 'disk full') {
      const message =
        'the disk of the database is full: free disk space; until then no payment is created or recorded';
      logger?.error({ path }, message);
    } else {
      // The first write has waited; until writes work again, waiting would only block the event loop.
      this.#options.setBusyTimeout(0);
      const message =
        'another process holds the write lock of the database, perhaps a shell with an open transaction: until it ends, nothing can be written';
      logger?.warn({ path }, message);
    }
  }

  #end(): void {
    const ended = this.#trouble;
    this.close();
    this.#trouble = null;
    this.#options.setBusyTimeout(this.#options.busyTimeoutMs);
    const message =
      ended === 'disk full'
        ? 'the disk of the database is no longer full; writes succeed again'
        : 'the write lock of the database was released; writes succeed again';
    this.#options.logger?.info({}, message);
  }

  #probe(): void {
    try {
      this.#options.probe();
    } catch (error) {
      const problem = findProblem(error);
      if (problem !== null && problem !== this.#trouble) this.#begin(problem);
      return;
    }
    this.#end();
  }
}

function findProblem(error: unknown): WriteProblem | null {
  if (isLocked(error)) return 'locked by another process';
  return isDiskFull(error) ? 'disk full' : null;
}
