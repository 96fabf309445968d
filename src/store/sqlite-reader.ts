import Database from 'better-sqlite3';
import type { Runner, SnapshotRunner } from './runners.ts';

/** How long a statement waits for another process, and all of this one with it; a writer only until it is open. */
export const BUSY_TIMEOUT_MS = 5_000;

/**
 * A connection that only reads what is committed. What is read in one turn of the event loop shares one
 * read transaction, as taking and leaving its locks costs more than most selects; a write of this
 * process ends it at once, so that nothing is ever read older than what was committed before.
 */
export class Reader implements SnapshotRunner {
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

  close(): void {
    this.endSnapshot();
    this.#sqlite.close();
  }
}

export function runnerOn(sqlite: Database.Database): Runner {
  const known = new Map<string, Database.Statement>();
  return {
    // Bounded by the statements written down in the program: none is put together from what is asked.
    all: (text, parameters) => {
      let statement = known.get(text);
      if (statement === undefined) known.set(text, (statement = sqlite.prepare(text)));
      if (statement.reader) return statement.all(parameters);
      statement.run(parameters);
      return [];
    },
  };
}
