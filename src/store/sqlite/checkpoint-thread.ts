import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** From so many pages in the write-ahead log on (16 MB) it is worth two flushes to empty it. */
const WORTHWHILE_PAGES = 4_000;
const LOOK_EVERY_MS = 250;

/** See startCheckpointer: neither waits for readers or writers nor holds them up. */
const sqlite = new Database(String(workerData), { fileMustExist: true });

function pagesLeftAfter(mode: 'NOOP' | 'PASSIVE'): number {
  const [found] = sqlite.pragma(`wal_checkpoint(${mode})`) as { log: number; checkpointed: number }[];
  return found === undefined ? 0 : found.log - found.checkpointed;
}

const timer = setInterval(() => {
  if (pagesLeftAfter('NOOP') < WORTHWHILE_PAGES) return;
  // What is written during one pass is left for the next: only an empty log is begun anew instead of growing.
  for (let passes = 0; passes < 4 && pagesLeftAfter('PASSIVE') > 0;) passes += 1;
}, LOOK_EVERY_MS);

parentPort?.once('message', () => {
  clearInterval(timer);
  sqlite.close();
});
