import Sqlite from 'better-sqlite3';

/** How long a read waits for another process that has the file locked, ms. */
const READ_TIMEOUT_MS = 5_000;

/** Opens an existing database for reading. */
export function openReadOnly(path: string): Sqlite.Database {
  const sqlite = new Sqlite(path, { fileMustExist: true });
  sqlite.pragma('query_only = ON');
  sqlite.pragma(`busy_timeout = ${READ_TIMEOUT_MS}`);
  sqlite.pragma('temp_store = MEMORY');
  // Small: mostly the same pages as in the cache of the writing connection.
  sqlite.pragma('cache_size = -2000');
  return sqlite;
}
