import { existsSync, renameSync, rmSync } from 'node:fs';
import { Kysely } from 'kysely';
import type { Db } from './database.ts';
import { type OpenOptions, openSqlite } from './dialect.ts';
import { migrate, MIGRATIONS, pendingMigrations, type Migrations } from './migrate.ts';
import { setRunners, type Runners } from './runners.ts';
import { copySqlite } from './sqlite-files.ts';
import type { Tables } from './tables.ts';

export interface OpenDatabase {
  readonly db: Db;
  /** Folds the write-ahead log into the one file and closes it. */
  close(): Promise<void>;
  /** Gives up to so many free pages back to the file system. */
  reclaim(pages: number): void;
}

/**
 * Opens (creating if needed) and migrates the database at a path; `:memory:` for tests. Before a
 * migration changes an existing database, a copy of it is kept beside it.
 */
export async function openDatabase(
  path: string,
  options: {
    readonly migrations?: Migrations;
    /** False beside a running daemon: a schema that is not this version's own is then refused. */
    readonly mayMigrate?: boolean;
  } & OpenOptions = {},
): Promise<OpenDatabase> {
  const { migrations = MIGRATIONS, mayMigrate = true } = options;
  const { dialect, runners, closeHelpers, checkpoint, reclaim, holdNobodyUp } = openedSqlite(path, options);
  const db = new Kysely<Tables>({ dialect });
  try {
    // What an earlier process left in the log, perhaps without being able to flush it: nothing is to build on that.
    if (mayMigrate) checkpoint();
    const { applied, pending } = await pendingMigrations(db, migrations);
    const [next] = pending;
    if (next !== undefined && !mayMigrate) {
      throw new Error(`the database lacks the changes of this version (${next}): start the daemon once`);
    }
    if (applied > 0 && next !== undefined && path !== ':memory:') keepCopy(path, `${path}.before-${next}`);
    await migrate(db, migrations);
  } catch (error) {
    await closeHelpers();
    await db.destroy();
    throw plainly(path, error);
  }
  if (runners !== null) {
    setRunners(db, runners);
    holdNobodyUp();
    outwaitAlone(db, runners);
  }
  return {
    db,
    reclaim,
    close: async () => {
      await closeHelpers();
      checkpoint();
      await db.destroy();
    },
  };
}

function openedSqlite(path: string, options: OpenOptions): ReturnType<typeof openSqlite> {
  try {
    return openSqlite(path, options);
  } catch (error) {
    throw plainly(path, error);
  }
}

/** What to do about a file that SQLite cannot use, for whoever starts the daemon at night. */
const REMEDIES: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'restore the latest backup into a new data directory (scripts/restore)',
  SQLITE_CORRUPT: 'restore the latest backup into a new data directory (scripts/restore)',
  SQLITE_FULL: 'free some room',
};

/** SQLite's own words name no file. Other errors say enough, and keep their code. */
function plainly(path: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = codeOf(error) ?? codeOf(error.cause);
  if (code === null) return error;
  const remedy = REMEDIES[code];
  const message = `cannot use the database ${path}: ${error.message}`;
  const plain = new Error(remedy === undefined ? message : `${message}; ${remedy}`, { cause: error });
  return Object.assign(plain, { code });
}

function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('SQLITE_') ? code : null;
}

/** What is written without a transaction is tried again as those are; in between, others have the connection. */
function outwaitAlone(db: Db, { outsideLock, fullDisk }: Runners): void {
  const executor = db.getExecutor();
  const executeQuery = executor.executeQuery.bind(executor);
  executor.executeQuery = async (query, options) => {
    try {
      return await outsideLock.outwait(async () => executeQuery(query, options));
    } catch (error) {
      fullDisk.failed(error);
      throw error;
    }
  };
}

/** A copy made before an earlier try at the same migration is the older truth and stays. */
function keepCopy(path: string, copyPath: string): void {
  if (existsSync(copyPath)) return;
  const unfinished = `${copyPath}.tmp`;
  rmSync(unfinished, { force: true });
  copySqlite(path, unfinished);
  renameSync(unfinished, copyPath);
}
