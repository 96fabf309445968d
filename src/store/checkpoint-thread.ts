import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** From so many pages in the write-ahead log on (16 MB) it is worth two flushes to empty it. */
const WORTHWHILE_PAGES = 4_000;
const LOOK_EVERY_MS = 250;
/** What is written during one pass is left for the next: only an empty log is begun anew instead of growing. */
const PASSES = 4;

/** The thread of a Checkpointer: copies the log into the database, without waiting for readers or writers. */
const sqlite = new Database(String(workerData), { fileMustExist: true });
sqlite.pragma('synchronous = FULL');

function pagesLeftAfter(mode: 'NOOP' | 'PASSIVE'): number {
  const [found] = sqlite.pragma(`wal_checkpoint(${mode})`) as { log: number; checkpointed: number }[];
  return found === undefined ? 0 : found.log - found.checkpointed;
}

function look(): void {
  let left = pagesLeftAfter('NOOP');
  if (left < WORTHWHILE_PAGES) return;
  for (let pass = 0; pass < PASSES && left > 0; pass += 1) left = pagesLeftAfter('PASSIVE');
  parentPort?.postMessage('checkpointed');
}

const timer = setInterval(look, LOOK_EVERY_MS);
parentPort?.once('message', () => {
  clearInterval(timer);
  sqlite.close();
});
