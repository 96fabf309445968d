import { Worker } from 'node:worker_threads';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { AppError } from '../../domain/errors.ts';

export interface ReadRequest {
  readonly id: number;
  readonly text: string;
  readonly parameters: readonly unknown[];
}

export type ReadAnswer =
  { readonly id: number; readonly rows: unknown[] } | { readonly id: number; readonly error: string };

/** How long the thread is kept without a read, ms: it takes some 10 MB, and 50 ms to start. */
const IDLE_MS = 60_000;
/** Maximum number of waiting reads; each may take seconds in a very large shop. */
const MAX_WAITING = 100;
const FILE = import.meta.url.endsWith('.ts') ? './read-worker.ts' : './read-worker.js';

/**
 * A thread with a connection of its own, for selects that read all rows of a shop: they would block the event loop.
 * Starts with the first read, and again after a failure. Each read sees all earlier commits.
 */
export class ReadThread implements DatabaseConnection {
  readonly #path: string;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown[]>>();
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async all(text: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (this.#waiting.size >= MAX_WAITING)
      throw new AppError('DATABASE_UNAVAILABLE', 'too many searches run at once; try again');
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const read = Promise.withResolvers<unknown[]>();
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, read);
    const request: ReadRequest = { id: this.#lastId, text, parameters };
    this.#worker.postMessage(request);
    return read.promise;
  }

  /** For Kysely. */
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return { rows: (await this.all(sql, parameters)) as R[] };
  }

  streamQuery(): never {
    throw new Error('rows are read in pages, not streamed');
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    this.#failAll(new Error('the database was closed'));
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL(FILE, import.meta.url), { workerData: this.#path });
    worker.unref();
    worker.on('message', (answer: ReadAnswer) => this.#answered(answer));
    const lost = (error: Error): void => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#failAll(error);
    };
    worker.on('error', (error) => lost(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', (code) => lost(new Error(`the reading thread exited (${code})`)));
    return worker;
  }

  #answered(answer: ReadAnswer): void {
    const read = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('error' in answer) read?.reject(new Error(answer.error));
    else read?.resolve(answer.rows);
    if (this.#waiting.size === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
  }

  #failAll(error: Error): void {
    for (const read of this.#waiting.values()) read.reject(error);
    this.#waiting.clear();
  }
}
