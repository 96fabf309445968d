import Database from 'better-sqlite3';
import type { Service } from '../thread/serve.ts';

export interface CheckpointDone {
  readonly pagesLeft: number;
}

/** What is written during one pass is left for the next, which has so little to do that nothing may come in between. */
const PASSES = 4;

/** Copies the write-ahead log of the database at a path into it, in a thread: see Checkpointer. */
export function copyLog(path: string): Service<'checkpoint', CheckpointDone> {
  const sqlite = new Database(path, { fileMustExist: true });
  sqlite.pragma('synchronous = FULL');
  return { serve: () => checkpoint(sqlite), end: () => void sqlite.close() };
}

/** Without waiting for anybody: writers and readers go on. */
function checkpoint(sqlite: Database.Database): CheckpointDone {
  let pagesLeft = 0;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const [found] = sqlite.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[];
    pagesLeft = found === undefined ? 0 : found.log - found.checkpointed;
    // Only an empty log is begun anew instead of growing.
    if (pagesLeft <= 0) break;
  }
  return { pagesLeft };
}
