import type { LineEnd, SharedThread, ThreadLine } from '../thread/shared-thread.ts';
import type { CheckpointDone } from './copy-log.ts';

/** From so many pages in the write-ahead log on (16 MB) it is worth two flushes to empty it. */
export const WORTHWHILE_PAGES = 4_000;
/** How often at most the log's length is looked at. */
const LOOK_MS = 50;
/** So long after a thread failed or could not be had, another one is tried. */
const REST_MS = 60_000;

interface CheckpointerOptions {
  readonly path: string;
  readonly thread: SharedThread;
  /** Pages in the log that the database file does not have yet. */
  readonly pagesWaiting: () => number;
  /** There is no thread: until one works again, somebody else must empty the log. */
  readonly onFailure: (error: unknown) => void;
  readonly onRecovery: () => void;
  readonly restMs?: number;
}

/**
 * Copies the write-ahead log into the database file in a thread. SQLite would do so within
 * the commit that makes the log long: several milliseconds, two flushes among them, in which the event
 * loop answers nobody. What is committed is as durable either way: it is in the log, flushed.
 */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #line: ThreadLine<'checkpoint'> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isBusy = false;
  /** Something was written while the thread was at work, perhaps after it had looked. */
  #isBehind = false;
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** Somebody else empties the log, too. */
  #hasFailed = false;
  #isClosed = false;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /** Call it whenever something is written; it costs next to nothing. */
  written(): void {
    if (this.#isBusy) this.#isBehind = true;
    if (this.#timer !== null || this.#isBusy || this.#isClosed) return;
    this.#timer = setTimeout(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Waits for what the thread is at; after it nobody else has the file open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#line?.close();
  }

  #look(): void {
    this.#timer = null;
    if (this.#isClosed || performance.now() < this.#restsUntil) return;
    try {
      // Whether a thread can be had again shows only when it is asked.
      if (!this.#hasFailed && this.#options.pagesWaiting() < WORTHWHILE_PAGES) return;
      this.#isBusy = true;
      this.#isBehind = false;
      this.#line ??= this.#opened();
      this.#line.order('checkpoint');
    } catch (error) {
      // No thread to be had, or a disk that fails: the next commit tells whoever it concerns.
      void this.#line?.close();
      this.#lose({ error, isToBlame: true });
    }
  }

  #opened(): ThreadLine<'checkpoint'> {
    const { thread, path } = this.#options;
    return thread.open<'checkpoint', CheckpointDone>('copyLog', path, {
      answered: (done) => this.#done(done),
      ended: (end) => this.#lose(end),
    });
  }

  #done({ pagesLeft }: CheckpointDone): void {
    this.#isBusy = false;
    if (this.#hasFailed) this.#options.onRecovery();
    this.#hasFailed = false;
    // A writer was faster: what it left needs a look even if nothing more is written.
    if (this.#isBehind || pagesLeft >= WORTHWHILE_PAGES) this.written();
  }

  #lose({ error, isToBlame }: LineEnd): void {
    this.#line = null;
    this.#isBusy = false;
    if (this.#isClosed) return;
    if (!isToBlame) {
      // What it was asked for is still to be done.
      this.written();
      return;
    }
    this.#restsUntil = performance.now() + (this.#options.restMs ?? REST_MS);
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.onFailure(error);
  }
}
