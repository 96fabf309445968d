import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** Pages in the write-ahead log (16 MB) from which emptying it is worth two flushes. */
const WORTHWHILE_PAGES = 4_000;
const LOOK_EVERY_MS = 250;

/** See startCheckpointer: a passive checkpoint neither waits for readers or writers nor blocks them. */
const sqlite = new Database(String(workerData), { fileMustExist: true });

function pagesLeftAfter(mode: 'NOOP' | 'PASSIVE'): number {
  const [found] = sqlite.pragma(`wal_checkpoint(${mode})`) as { log: number; checkpointed: number }[];
  return found === undefined ? 0 : found.log - found.checkpointed;
}

const timer = setInterval(() => {
  if (pagesLeftAfter('NOOP') < WORTHWHILE_PAGES) return;
  // Pages written during one pass are left to the next: SQLite restarts the log only when it is fully copied.
  for (let passes = 0; passes < 4 && pagesLeftAfter('PASSIVE') > 0;) passes += 1;
}, LOOK_EVERY_MS);

parentPort?.once('message', () => {
  clearInterval(timer);
  sqlite.close();
});
