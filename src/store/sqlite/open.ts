import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { Logger } from '../../domain/ports.ts';
import { Database } from './database.ts';
import { migrate, planMigrations, type Migrations } from '../schema/migrate.ts';
import { Connection } from './connection.ts';
import { migrationsOn } from './migration-dialect.ts';
import { openReadOnly } from './open-read-only.ts';
import { ReadThread } from './read-thread.ts';
import { SnapshotConnection } from './snapshot-connection.ts';
import { WriteHealth } from './write-health.ts';
import { Writer } from './writer.ts';
import { copySqlite } from './files.ts';

export interface OpenOptions {
  /** Replacement migrations for tests. */
  readonly migrations?: Migrations;
  /** False next to a running daemon: a schema of another version is then rejected. */
  readonly mayMigrate?: boolean;
  /** For failures that no caller waits for. */
  readonly logger?: Pick<Logger, 'info' | 'warn' | 'error'> | undefined;
  /** How long a write waits for another process; it blocks the event loop meanwhile. */
  readonly busyTimeoutMs?: number;
  /** Logs commits that take at least this long. */
  readonly slowCommitMs?: number;
  /** True where Litestream replicates the database: it checkpoints the write-ahead log, and must see all of it first. */
  readonly leavesCheckpoints?: boolean;
}

export interface OpenDatabase {
  readonly db: Database;
  /** Checkpoints the write-ahead log into the database file, unless that is left to Litestream, and closes it. */
  close(): Promise<void>;
  /** Returns up to this many free pages to the file system. */
  reclaim(pages: number): void;
}

/** During opening, and next to a running daemon. */
const BUSY_TIMEOUT_MS = 5_000;
/** Pages in the write-ahead log (16 MB) from which a commit checkpoints it: often enough to bound it, rarely two flushes. */
const CHECKPOINT_PAGES = 4_000;
/** Where Litestream checkpoints (at 16 MB, 160 MB at the latest), only its absence lets the log grow to this (256 MB). */
const BACKSTOP_PAGES = 64_000;
const MEMORY = ':memory:';

/**
 * Opens (creating if needed) and migrates the database at a path; `:memory:` for tests. Keeps a copy of an
 * existing database next to it before a migration changes it.
 */
export async function openDatabase(path: string, options: OpenOptions = {}): Promise<OpenDatabase> {
  let sqlite: Sqlite.Database | null = null;
  try {
    sqlite = openWriting(path, options.leavesCheckpoints === true);
    await bringUpToDate(sqlite, path, options);
    return openEngine(sqlite, path, options);
  } catch (error) {
    sqlite?.close();
    throw plainly(path, error);
  }
}

/**
 * Migrates a copy of a database in place, without keeping another one.
 * @returns the names of the migrations that it lacked
 * @throws when a migration fails, or the database was written by a newer version
 */
export async function migrateCopy(path: string): Promise<readonly string[]> {
  const sqlite = openWriting(path, false);
  try {
    const migrating = migrationsOn(sqlite);
    const plan = await planMigrations(migrating);
    if (plan.applied === 0) throw new Error(`${path} is not a database of tilld`);
    await migrate(migrating, plan);
    return plan.pending;
  } finally {
    sqlite.close();
  }
}

/** WAL with synchronous FULL: a committed transaction survives power loss; foreign keys are enforced. */
function openWriting(path: string, leavesCheckpoints: boolean): Sqlite.Database {
  const sqlite = new Sqlite(path);
  try {
    if (path !== MEMORY) chmodSync(path, 0o600);
    // Takes effect on an empty file only, and must precede the first write.
    sqlite.pragma('auto_vacuum = INCREMENTAL');
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    sqlite.pragma('temp_store = MEMORY');
    sqlite.pragma(`wal_autocheckpoint = ${leavesCheckpoints ? BACKSTOP_PAGES : CHECKPOINT_PAGES}`);
    // Small, as the operating system caches the file as well: rereading a page from there takes two microseconds.
    sqlite.pragma('cache_size = -4000');
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

async function bringUpToDate(
  sqlite: Sqlite.Database,
  path: string,
  { migrations, mayMigrate = true, leavesCheckpoints = false }: OpenOptions,
): Promise<void> {
  // An earlier process may have left unflushed pages in the log: make them durable before building on them.
  if (leavesCheckpoints) flushLog(path);
  else if (mayMigrate) sqlite.pragma('wal_checkpoint(TRUNCATE)');
  const migrating = migrationsOn(sqlite);
  const plan = await planMigrations(migrating, migrations);
  const [next] = plan.pending;
  if (next !== undefined && !mayMigrate) {
    throw new Error(`the database lacks the changes of this version (${next}): start the daemon once`);
  }
  if (plan.applied > 0 && next !== undefined && path !== MEMORY) keepCopy(path, `${path}.before-${next}`);
  await migrate(migrating, plan);
}

function openEngine(sqlite: Sqlite.Database, path: string, options: OpenOptions): OpenDatabase {
  const { logger, busyTimeoutMs = BUSY_TIMEOUT_MS, slowCommitMs, leavesCheckpoints = false } = options;
  const isFile = path !== MEMORY;
  const setBusyTimeout = (ms: number): void => void sqlite.pragma(`busy_timeout = ${ms}`);
  setBusyTimeout(busyTimeoutMs);
  const reader = isFile ? new SnapshotConnection(openReadOnly(path)) : null;
  const probe = (): void => tryToWrite(sqlite, path);
  const health = new WriteHealth({ probe, setBusyTimeout, busyTimeoutMs, path, logger });
  const endSnapshot = (): void => reader?.endSnapshot();
  const writer = new Writer(sqlite, { health, endSnapshot, logger, slowCommitMs });
  const openSnapshot = isFile ? () => new Connection(openReadOnly(path)) : null;
  const thread = isFile ? new ReadThread(path) : null;
  const close = async (): Promise<void> => {
    health.close();
    await thread?.close();
    reader?.close();
    if (!leavesCheckpoints) sqlite.pragma('wal_checkpoint(TRUNCATE)');
    writer.connection.close();
  };
  return {
    db: new Database({ writer, sqlite, reader, thread, openSnapshot, health, close }),
    close,
    // With exec: the statement frees one page per step and must be stepped to its end.
    reclaim: (pages) => void sqlite.exec(`PRAGMA incremental_vacuum(${Math.trunc(pages)})`),
  };
}

function flushLog(path: string): void {
  const log = `${path}-wal`;
  if (!existsSync(log)) return;
  const file = openSync(log, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Free space below which the disk counts as full: the next payments would fill it. */
const ROOM_BYTES = 1_000_000;

/** @throws unless the disk has more than the minimum free space and a trial write succeeds. */
function tryToWrite(sqlite: Sqlite.Database, path: string): void {
  if (sqlite.inTransaction) throw new Error('a transaction is open');
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize < ROOM_BYTES) throw new Error('the disk is nearly full');
  try {
    // Writes one page, with a value that nothing reads.
    sqlite.exec('BEGIN IMMEDIATE; PRAGMA user_version = 0; COMMIT');
  } catch (error) {
    if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
    throw error;
  }
}

/** Remedies for a file that SQLite cannot use, for the operator. */
const REMEDIES: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'restore the latest backup into a new data directory (tillctl restore)',
  SQLITE_CORRUPT: 'restore the latest backup into a new data directory (tillctl restore)',
  SQLITE_FULL: 'free disk space',
};

/** Adds the path and a remedy to SQLite's errors, which name no file. Other errors stay as they are. */
function plainly(path: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = sqliteCode(error) ?? sqliteCode(error.cause);
  if (code === null) return error;
  const remedy = REMEDIES[code];
  const message = `cannot use the database ${path}: ${error.message}`;
  const plain = new Error(remedy === undefined ? message : `${message}; ${remedy}`, { cause: error });
  return Object.assign(plain, { code });
}

function sqliteCode(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('SQLITE_') ? code : null;
}

/** A copy made before an earlier attempt at the same migration is the original state and stays. */
function keepCopy(path: string, copyPath: string): void {
  if (existsSync(copyPath)) return;
  const unfinished = `${copyPath}.tmp`;
  rmSync(unfinished, { force: true });
  copySqlite(path, unfinished);
  renameSync(unfinished, copyPath);
}
