import { chmodSync, statfsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Dialect } from 'kysely';
import type { Logger } from '../domain/ports.ts';
import { ChangeWatch } from './change-watch.ts';
import { Checkpointer } from './checkpointer.ts';
import { FlushAside } from './flush-aside.ts';
import { FullDisk } from './full-disk.ts';
import { OutsideLock } from './outside-lock.ts';
import { PlainSpokenDialect } from './plain-spoken.ts';
import type { Runners } from './runners.ts';
import { SlowFlushes } from './slow-flushes.ts';
import { isDiskFull, isLocked } from './sqlite-errors.ts';
import { BUSY_TIMEOUT_MS, Reader, runnerOn } from './sqlite-reader.ts';

/**
 * Opens the database for all that reads and writes it. WAL with synchronous FULL: a committed
 * transaction survives power loss; foreign keys are enforced.
 */
export function openSqlite(
  path: string,
  { logger, checkpointsAside, slowFlushMs }: OpenOptions = {},
): {
  dialect: Dialect;
  /** Null for a database in memory, which no second connection can open. */
  runners: Runners | null;
  /** Ends the reading connection and the one that checkpoints. Kysely ends its own. */
  closeHelpers: () => Promise<void>;
  /** From now on what cannot be written at once fails, and is tried again by whoever wants it. */
  holdNobodyUp: () => void;
  checkpoint: () => void;
  reclaim: (pages: number) => void;
} {
  const sqlite = new Database(path);
  if (path !== ':memory:') chmodSync(path, 0o600);
  // Takes effect on an empty file only, and must come before anything is written to it.
  sqlite.pragma('auto_vacuum = INCREMENTAL');
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  sqlite.pragma('temp_store = MEMORY');
  // The system keeps the file in its own memory, too: what is read again from there takes two microseconds a page.
  sqlite.pragma('cache_size = -4000');
  const reader = path === ':memory:' ? null : new Reader(path);
  const flushes = new SlowFlushes(logger, slowFlushMs);
  const flushAside = reader === null ? null : flushAsideOf(sqlite, reader, { path, logger, flushes });
  const checkpointer = reader === null ? null : checkpointerOf(sqlite, { path, logger, checkpointsAside });
  const outsideLock = new OutsideLock({ isLocked, isFree: () => canWrite(sqlite), logger });
  const fullDisk = new FullDisk({
    isFull: isDiskFull,
    hasRoom: () => flushAside?.isFailed !== true && hasRoom(sqlite, path),
    path,
    logger,
  });
  const beforeWrite = (statement: string): void => {
    reader?.endSnapshot();
    flushAside?.check(statement, sqlite.inTransaction);
  };
  return {
    dialect: new PlainSpokenDialect(sqlite, beforeWrite, flushes),
    runners:
      reader === null || flushAside === null
        ? null
        : {
            reader,
            writer: runnerOn(sqlite),
            flushAside,
            outsideLock,
            fullDisk,
            changes: new ChangeWatch(sqlite, () => reader.endSnapshot()),
          },
    closeHelpers: async () => {
      await flushAside?.close();
      await checkpointer?.close();
      outsideLock.close();
      fullDisk.close();
      reader?.close();
    },
    holdNobodyUp: () => void sqlite.pragma('busy_timeout = 0'),
    checkpoint: () => void sqlite.pragma('wal_checkpoint(TRUNCATE)'),
    // By exec: the statement gives back one page per step and must be stepped to its end.
    reclaim: (pages) => void sqlite.exec(`PRAGMA incremental_vacuum(${Math.trunc(pages)})`),
  };
}

export interface OpenOptions {
  /** Hears of trouble that nobody waits for. */
  readonly logger?: Pick<Logger, 'warn' | 'error'> | undefined;
  /** Whether a thread copies the write-ahead log into the database; otherwise commits do. */
  readonly checkpointsAside?: boolean | undefined;
  /** Flushes to the disk that take at least so long are told to the logger. */
  readonly slowFlushMs?: number | undefined;
}

interface HelperOptions extends OpenOptions {
  readonly path: string;
}

function flushAsideOf(
  sqlite: Database.Database,
  reader: Reader,
  { path, logger, flushes }: HelperOptions & { readonly flushes: SlowFlushes },
): FlushAside {
  return new FlushAside(`${path}-wal`, {
    // By exec: the statement that `pragma` makes lives until the next full collection of garbage.
    leaveOut: (isLeftOut) => void sqlite.exec(`PRAGMA synchronous = ${isLeftOut ? 'NORMAL' : 'FULL'}`),
    copyLog: () => {
      if (sqlite.inTransaction) return false;
      reader.endSnapshot();
      // Tried again at the next commit: until then requests must not wait for another process.
      sqlite.pragma('busy_timeout = 100');
      try {
        const [found] = sqlite.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
        return found?.busy === 0;
      } finally {
        sqlite.pragma('busy_timeout = 0');
      }
    },
    flushes,
    logger,
  });
}

/** From so many pages in the log on (16 MB) a commit empties it where no thread does. */
const WORTHWHILE_PAGES = 4_000;
/** The log is left to another thread; only when that thread cannot keep up does a commit empty it, too. */
const BACKSTOP_PAGES = 16_000;

function checkpointerOf(
  sqlite: Database.Database,
  { path, logger, checkpointsAside = false }: HelperOptions,
): Checkpointer | null {
  const commitsFrom = (pages: number): void => void sqlite.pragma(`wal_autocheckpoint = ${pages}`);
  commitsFrom(checkpointsAside ? BACKSTOP_PAGES : WORTHWHILE_PAGES);
  if (!checkpointsAside) return null;
  return new Checkpointer({
    path,
    onFailure: (error) => {
      commitsFrom(WORTHWHILE_PAGES);
      logger?.error(
        { err: error },
        'no thread copies the write-ahead log into the database: commits do it for now, which makes some of them slower',
      );
    },
    onRecovery: () => {
      commitsFrom(BACKSTOP_PAGES);
      logger?.warn({}, 'a thread copies the write-ahead log into the database again');
    },
  });
}

/** Less is no room: the next payments would fill it. */
const ROOM_BYTES = 1_000_000;

/** Whether the disk has room for more than the least that can be written, which is tried, too. */
function hasRoom(sqlite: Database.Database, path: string): boolean {
  if (sqlite.inTransaction) return false;
  try {
    const { bavail, bsize } = statfsSync(path);
    if (bavail * bsize < ROOM_BYTES) return false;
    // One page, with nothing in it that anybody reads.
    sqlite.exec('BEGIN IMMEDIATE; PRAGMA user_version = 0; COMMIT');
    return true;
  } catch {
    if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
    return false;
  }
}

/** Whatever else is wrong is told by what is written next. */
function canWrite(sqlite: Database.Database): boolean {
  if (sqlite.inTransaction) return true;
  try {
    sqlite.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch (error) {
    return !isLocked(error);
  }
}
