import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

export interface CheckpointDone {
  readonly pagesLeft: number;
}

/** What is written during one pass is left for the next, which has so little to do that nothing may come in between. */
const PASSES = 4;

const sqlite = new Database(workerData as string, { fileMustExist: true });
sqlite.pragma('synchronous = FULL');

/** Without waiting for anybody: writers and readers go on. */
function checkpoint(): CheckpointDone {
  let pagesLeft = 0;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const [found] = sqlite.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[];
    pagesLeft = found === undefined ? 0 : found.log - found.checkpointed;
    // Only an empty log is begun anew instead of growing.
    if (pagesLeft <= 0) break;
  }
  return { pagesLeft };
}

parentPort?.on('message', (order: 'checkpoint' | 'close') => {
  if (order === 'checkpoint') {
    parentPort?.postMessage(checkpoint());
    return;
  }
  sqlite.close();
  parentPort?.close();
});
