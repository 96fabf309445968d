import { chmodSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isLocked } from './errors.ts';

/**
 * Writes a consistent, compact copy of a database into a new file. Other connections and processes may keep writing:
 * the copy is one snapshot.
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

/** Integrity problems of a database file: pages, indexes, constraints, references. Empty when it is sound. */
export function sqliteProblems(path: string): string[] {
  const sqlite = new Database(path, { fileMustExist: true, readonly: true });
  try {
    const problems = sqlite.pragma('integrity_check(20)') as { integrity_check: string }[];
    const broken = problems.map((row) => row.integrity_check).filter((text) => text !== 'ok');
    const orphans = sqlite.pragma('foreign_key_check') as { table: string }[];
    return [...broken, ...new Set(orphans.map(({ table }) => `rows of ${table} have dangling references`))];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    sqlite.close();
  }
}

/** Names of the migrations that a database has, in any version of its schema. */
export function appliedMigrations(path: string): string[] {
  const sqlite = new Database(path, { fileMustExist: true, readonly: true });
  try {
    return sqlite.prepare('SELECT name FROM kysely_migration').pluck().all().map(String);
  } finally {
    sqlite.close();
  }
}

/** Writes everything of the write-ahead log into the database file, which then stands alone. */
export function checkpointSqlite(path: string): void {
  const sqlite = new Database(path, { fileMustExist: true });
  try {
    sqlite.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    sqlite.close();
  }
}

/** Number of rows, and the highest row id, of each of these tables that exists, in any version of the schema. */
export function tableSizes(path: string, tables: readonly string[]): Record<string, string> {
  const sqlite = new Database(path, { fileMustExist: true, readonly: true });
  try {
    const known = sqlite.prepare("SELECT name, wr FROM pragma_table_list WHERE schema = 'main'").all() as {
      name: string;
      wr: number;
    }[];
    const sizes = known
      .filter(({ name }) => tables.includes(name))
      .map(({ name, wr }) => {
        const size = wr === 1 ? 'count(*)' : "count(*) || '/' || coalesce(max(rowid), 0)";
        return [name, String(sqlite.prepare(`SELECT ${size} FROM "${name}"`).pluck().get())];
      });
    return Object.fromEntries(sizes) as Record<string, string>;
  } finally {
    sqlite.close();
  }
}

/** Creates a database with a single value in a `meta` table. */
export function createSqliteMeta(path: string, key: string, value: string): void {
  const sqlite = new Database(path);
  try {
    sqlite.pragma('journal_mode = WAL');
    sqlite.exec('CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)');
    sqlite.prepare('INSERT INTO meta VALUES (?, ?)').run(key, value);
  } finally {
    sqlite.close();
  }
}

/** Reads a value of the `meta` table from a database file that is not open here; null when absent. */
export function readSqliteMeta(path: string, key: string): string | null {
  const sqlite = new Database(path, { fileMustExist: true, readonly: true });
  try {
    const value = sqlite.prepare('SELECT value FROM meta WHERE key = ?').pluck().get(key);
    return typeof value === 'string' ? value : null;
  } finally {
    sqlite.close();
  }
}

/**
 * Takes an exclusive lock on a lock file until released; null when another process has it. SQLite's file
 * locks belong to the process, so that even `kill -9` releases them.
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
