import { Worker } from 'node:worker_threads';
import type { CheckpointDone } from './checkpoint-worker.ts';

/** From so many pages in the write-ahead log on (16 MB) it is worth two flushes to empty it. */
export const WORTHWHILE_PAGES = 4_000;
/** How often at most the log's length is looked at. */
const LOOK_MS = 50;

interface CheckpointerOptions {
  readonly path: string;
  /** Pages in the log that the database file does not have yet. */
  readonly pagesWaiting: () => number;
  /** There is no thread, or none any more: from now on somebody else must empty the log. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Copies the write-ahead log into the database file in a thread of its own. SQLite would do so within
 * the commit that makes the log long: several milliseconds, two flushes among them, in which the event
 * loop answers nobody. What is committed is as durable either way: it is in the log, flushed.
 * The thread is started when there is something to do for the first time.
 */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isBusy = false;
  /** Something was written while the thread was at work, perhaps after it had looked. */
  #isBehind = false;
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
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise<void>((resolve) => void worker.once('exit', () => resolve()));
    worker.ref();
    worker.postMessage('close');
    await ended;
  }

  #look(): void {
    this.#timer = null;
    if (this.#isClosed) return;
    try {
      if (this.#options.pagesWaiting() < WORTHWHILE_PAGES) return;
      this.#isBusy = true;
      this.#isBehind = false;
      this.#worker ??= this.#started();
      this.#worker.postMessage('checkpoint');
    } catch (error) {
      // No thread to be had, or a disk that fails: the next commit tells whoever it concerns.
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#worker = null;
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.onFailure(error);
  }

  #started(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./checkpoint-worker.${extension}`, import.meta.url), {
      workerData: this.#options.path,
    });
    worker.unref();
    worker.on('message', ({ pagesLeft }: CheckpointDone) => {
      this.#isBusy = false;
      // A writer was faster: what it left needs a look even if nothing more is written.
      if (this.#isBehind || pagesLeft >= WORTHWHILE_PAGES) this.written();
    });
    worker.on('error', (error) => this.#failed(error));
    worker.on('exit', (code) => this.#failed(new Error(`the thread ended with code ${code}`)));
    return worker;
  }
}
