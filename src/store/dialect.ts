import { chmodSync, statfsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Dialect } from 'kysely';
import type { Logger } from '../domain/ports.ts';
import type { SharedThread } from '../thread/shared-thread.ts';
import { ChangeWatch } from './change-watch.ts';
import { Checkpointer, WORTHWHILE_PAGES } from './checkpointer.ts';
import { FlushAside } from './flush-aside.ts';
import { FullDisk } from './full-disk.ts';
import { OutsideLock } from './outside-lock.ts';
import { PlainSpokenDialect } from './plain-spoken.ts';
import type { Runner, Runners, SnapshotRunner } from './runners.ts';
import { SlowFlushes } from './slow-flushes.ts';
import { plannedOnce } from './statements.ts';
import { type KeptTable, TableWrites, tablesWrittenBy } from './table-writes.ts';

/** How long a statement waits for another process, and all of this one with it; a writer only until it is open. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * The only file that opens the database. WAL with synchronous FULL: a committed
 * transaction survives power loss; foreign keys are enforced.
 */
export function openSqlite(
  path: string,
  { logger, thread, slowFlushMs }: OpenOptions = {},
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
  const checkpointer = reader === null ? null : checkpointerOf(sqlite, reader, { path, logger, thread });
  const outsideLock = new OutsideLock({ isLocked, isFree: () => canWrite(sqlite), logger });
  const writes = new TableWrites();
  const fullDisk = new FullDisk({
    isFull: isDiskFull,
    hasRoom: () => flushAside?.isFailed !== true && hasRoom(sqlite, path),
    path,
    logger,
  });
  const beforeWrite = (statement: string): void => {
    reader?.endSnapshot();
    writes.note(tablesWrittenBy(statement));
    flushAside?.check(statement, sqlite.inTransaction);
    checkpointer?.written();
  };
  return {
    dialect: new PlainSpokenDialect(sqlite, beforeWrite, flushes),
    runners:
      reader === null || flushAside === null
        ? null
        : {
            reader,
            writer: runnerOn(sqlite, writes),
            flushAside,
            outsideLock,
            fullDisk,
            changes: new ChangeWatch(sqlite, writes, () => reader.endSnapshot()),
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
  /** Copies the write-ahead log into the database; without it, commits do. */
  readonly thread?: SharedThread | undefined;
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

/** The log is left to another thread; only when that thread cannot keep up does a commit empty it, too. */
const BACKSTOP_PAGES = 16_000;

function checkpointerOf(
  sqlite: Database.Database,
  reader: Reader,
  { path, logger, thread }: HelperOptions,
): Checkpointer | null {
  const commitsFrom = (pages: number): void => void sqlite.pragma(`wal_autocheckpoint = ${pages}`);
  commitsFrom(thread === undefined ? WORTHWHILE_PAGES : BACKSTOP_PAGES);
  if (thread === undefined) return null;
  return new Checkpointer({
    path,
    thread,
    pagesWaiting: () => reader.pagesWaiting(),
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

/**
 * A connection that only reads what is committed. What is read in one turn of the event loop shares one
 * read transaction, as taking and leaving its locks costs more than most selects; a write of this
 * process ends it at once, so that nothing is ever read older than what was committed before.
 */
class Reader implements SnapshotRunner {
  readonly #sqlite: Database.Database;
  readonly #runner: Runner;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #dataVersion: Database.Statement;
  #isOpen = false;
  /** That of the open snapshot, once somebody asked for it. */
  #version: number | null = null;

  constructor(path: string) {
    const sqlite = new Database(path, { fileMustExist: true });
    sqlite.pragma('query_only = ON');
    sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    sqlite.pragma('temp_store = MEMORY');
    // Its pages are mostly those that the writing connection keeps as well: it keeps few.
    sqlite.pragma('cache_size = -2000');
    this.#sqlite = sqlite;
    this.#runner = runnerOn(sqlite);
    this.#begin = sqlite.prepare('BEGIN');
    this.#commit = sqlite.prepare('COMMIT');
    this.#dataVersion = sqlite.prepare('PRAGMA data_version').pluck();
  }

  all(text: string, parameters: readonly unknown[]): unknown[] {
    this.#openSnapshot();
    return this.#runner.all(text, parameters);
  }

  version(): number {
    this.#openSnapshot();
    return (this.#version ??= Number(this.#dataVersion.get()));
  }

  #openSnapshot(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    setImmediate(() => this.endSnapshot());
  }

  endSnapshot(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#version = null;
    // A failed read may have ended it: SQLite takes back what an I/O error or a lack of memory hits.
    if (this.#sqlite.inTransaction) this.#commit.run();
  }

  /** Pages in the write-ahead log that are not in the database file yet. */
  pagesWaiting(): number {
    this.endSnapshot();
    const [found] = this.#sqlite.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[];
    return found === undefined ? 0 : found.log - found.checkpointed;
  }

  close(): void {
    this.endSnapshot();
    this.#sqlite.close();
  }
}

/** @param writes counts what it writes, if it does */
function runnerOn(sqlite: Database.Database, writes?: TableWrites): Runner {
  const known = new Map<string, { statement: Database.Statement; tables: readonly KeptTable[] }>();
  return {
    // Bounded by the statements written down in the program: none is put together from what is asked.
    all: (text, parameters) => {
      let one = known.get(text);
      if (one === undefined) {
        one = { statement: sqlite.prepare(plannedOnce(text)), tables: tablesWrittenBy(text) };
        known.set(text, one);
      }
      const { statement, tables } = one;
      if (statement.reader) {
        writes?.note(tables);
        return statement.all(parameters);
      }
      const { changes } = statement.run(parameters);
      if (changes > 0) writes?.note(tables);
      return [];
    },
  };
}

/**
 * Writes a consistent, compact copy of a database into a new file. Its writers, also those of other
 * processes, go on meanwhile: the copy is the state of one moment.
 */
export function copySqlite(path: string, copyPath: string): void {
  const sqlite = new Database(path, { fileMustExist: true, timeout: 10_000 });
  try {
    sqlite.prepare('VACUUM INTO ?').run(copyPath);
  } finally {
    sqlite.close();
  }
  chmodSync(copyPath, 0o600);
}

/** What is wrong with a database file: pages, indexes, constraints, references. Empty when it is sound. */
export function sqliteProblems(path: string): string[] {
  const sqlite = new Database(path, { fileMustExist: true, readonly: true });
  try {
    const found = sqlite.pragma('integrity_check(20)') as { integrity_check: string }[];
    const broken = found.map((row) => row.integrity_check).filter((text) => text !== 'ok');
    const orphans = sqlite.pragma('foreign_key_check') as { table: string }[];
    return [...broken, ...new Set(orphans.map(({ table }) => `rows of ${table} refer to nothing`))];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    sqlite.close();
  }
}

/** A fact from the `meta` table of a database file that is not open here; null when it has none. */
export function readSqliteMeta(path: string, key: string): string | null {
  const sqlite = new Database(path, { fileMustExist: true, readonly: true });
  try {
    const value = sqlite.prepare('SELECT value FROM meta WHERE key = ?').pluck().get(key);
    return typeof value === 'string' ? value : null;
  } finally {
    sqlite.close();
  }
}

/** Whether SQLite did nothing, as another process has the lock that it takes. */
function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

/** Whether SQLite took a write back for want of room. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL';
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

/** Error codes by which SQLite reports a broken UNIQUE constraint. */
export function isUniqueViolation(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

/**
 * Holds an exclusive lock on a file of its own until released; null when another process has it.
 * SQLite's file locks belong to the process, so that even `kill -9` lets go of them.
 */
export function holdExclusiveLock(path: string): { release: () => void } | null {
  const sqlite = new Database(path, { timeout: 0 });
  try {
    chmodSync(path, 0o600);
    sqlite.pragma('locking_mode = EXCLUSIVE');
    sqlite.exec('BEGIN EXCLUSIVE');
    return { release: () => void sqlite.close() };
  } catch (error) {
    sqlite.close();
    if (isLocked(error)) return null;
    throw error;
  }
}
