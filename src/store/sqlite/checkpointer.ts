import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Closing a database that is being checkpointed takes two flushes. */
const CLOSE_MS = 5_000;

/**
 * Copies the write-ahead log into the database file in a thread. SQLite would do so within the commit that makes the
 * log long: several milliseconds, two flushes among them, in which the event loop answers nobody.
 * @param onFailure is told when there is no thread, or none any more: commits must empty the log then
 * @returns ends the thread; after that nobody else has the file open
 */
export function startCheckpointer(path: string, onFailure: (error: unknown) => void): () => Promise<void> {
  try {
    // The source beside this file, or the build's.
    const script = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(script, { workerData: path }).on('error', onFailure);
    worker.unref();
    const exited = once(worker, 'exit');
    return async () => {
      worker.ref();
      worker.postMessage('close');
      const timer = setTimeout(() => void worker.terminate(), CLOSE_MS);
      await exited;
      clearTimeout(timer);
    };
  } catch (error) {
    // The machine gives no more threads.
    onFailure(error);
    return async () => undefined;
  }
}
