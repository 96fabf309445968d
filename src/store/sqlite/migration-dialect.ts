import type Sqlite from 'better-sqlite3';
import {
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type Driver,
} from 'kysely';

/** A Kysely instance on a connection, for migrations only. Must not be destroyed: the connection stays in use. */
export function migrationsOn(sqlite: Sqlite.Database): Kysely<object> {
  return new Kysely<object>({ dialect: new TransactionalDialect(sqlite) });
}

/** Runs migrations in a transaction, as SQLite can roll back schema changes; Kysely's dialect does not by default. */
class TransactionalDialect extends SqliteDialect {
  readonly #sqlite: Sqlite.Database;

  constructor(sqlite: Sqlite.Database) {
    super({ database: sqlite });
    this.#sqlite = sqlite;
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }

  override createDriver(): Driver {
    return new RolledBackOnceDriver(this.#sqlite);
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Skips the rollback where SQLite has already rolled back, as it does on a full disk or an I/O error:
 * Kysely's own would fail and hide the cause.
 */
class RolledBackOnceDriver extends SqliteDriver {
  readonly #sqlite: Sqlite.Database;

  constructor(sqlite: Sqlite.Database) {
    super({ database: sqlite });
    this.#sqlite = sqlite;
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#sqlite.inTransaction) await super.rollbackTransaction(connection);
  }
}
