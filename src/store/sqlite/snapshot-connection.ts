import type Sqlite from 'better-sqlite3';
import { Connection, type Prepared } from './connection.ts';

/**
 * A read-only connection that sees committed data. Reads in one turn of the event loop share one read transaction, as
 * taking and releasing its locks costs more than most selects. A commit of this process ends it at once, so that no
 * read is older than the last commit.
 */
export class SnapshotConnection extends Connection {
  readonly #begin: Sqlite.Statement;
  readonly #commit: Sqlite.Statement;
  #isOpen = false;

  constructor(sqlite: Sqlite.Database) {
    super(sqlite);
    this.#begin = sqlite.prepare('BEGIN');
    this.#commit = sqlite.prepare('COMMIT');
  }

  endSnapshot(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // A failed read may have ended it: SQLite rolls back on an I/O error or when out of memory.
    if (this.inTransaction) this.#commit.run();
  }

  override close(): void {
    this.endSnapshot();
    super.close();
  }

  protected override prepare(text: string): Prepared {
    if (!this.#isOpen) {
      this.#begin.run();
      this.#isOpen = true;
      setImmediate(() => this.endSnapshot());
    }
    return super.prepare(text);
  }
}
