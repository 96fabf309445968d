import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** So long after a thread failed or could not be had, another one is tried. */
const REST_MS = 60_000;
/** Closing a database that is being checkpointed takes two flushes. */
const CLOSE_MS = 5_000;

interface CheckpointerOptions {
  readonly path: string;
  /** There is no thread: until one works again, somebody else must empty the log. */
  readonly onFailure: (error: unknown) => void;
  readonly onRecovery: () => void;
  readonly restMs?: number;
  /** Another thread's program, for tests. */
  readonly script?: () => URL;
}

/**
 * Copies the write-ahead log into the database file in a thread. SQLite would do so within
 * the commit that makes the log long: several milliseconds, two flushes among them, in which the event
 * loop answers nobody. What is committed is as durable either way: it is in the log, flushed.
 */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #worker: Worker | null = null;
  #retry: NodeJS.Timeout | null = null;
  #hasFailed = false;
  #isClosed = false;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    this.#start();
  }

  /** Waits for what the thread is at; after it nobody else has the file open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    const worker = this.#worker;
    if (worker === null) return;
    const exited = new Promise((resolve) => void worker.once('exit', resolve));
    worker.ref();
    worker.postMessage('close');
    const timer = setTimeout(() => void worker.terminate(), CLOSE_MS);
    await exited;
    clearTimeout(timer);
  }

  #start(): void {
    const { path, script = threadScript } = this.#options;
    try {
      const worker = new Worker(script(), { workerData: path });
      worker.unref();
      worker.on('message', () => this.#works());
      worker.on('error', (error) => this.#fail(error));
      worker.on('exit', () => {
        if (this.#worker === worker) this.#worker = null;
      });
      this.#worker = worker;
    } catch (error) {
      // The machine gives no more threads.
      this.#fail(error);
    }
  }

  #works(): void {
    if (this.#hasFailed) this.#options.onRecovery();
    this.#hasFailed = false;
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => this.#start(), this.#options.restMs ?? REST_MS).unref();
    if (!this.#hasFailed) this.#options.onFailure(error);
    this.#hasFailed = true;
  }
}

/** The source beside this file, or the build's. */
function threadScript(): URL {
  return new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url);
}
