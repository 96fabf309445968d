import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Time limit of ending the thread: closing a database during a checkpoint takes two flushes. */
const CLOSE_MS = 5_000;

/**
 * Checkpoints the write-ahead log into the database file in a thread. SQLite would do so within the commit that makes
 * the log long, which blocks the event loop for several milliseconds, two flushes included.
 * @param onFailure called when the thread cannot start or has died: commits must then empty the log
 * @returns ends the thread; after that it no longer has the file open
 */
export function startCheckpointer(path: string, onFailure: (error: unknown) => void): () => Promise<void> {
  try {
    // Beside this file: .ts in the source tree, .js in the build.
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
    // The system refuses another thread.
    onFailure(error);
    return async () => undefined;
  }
}
