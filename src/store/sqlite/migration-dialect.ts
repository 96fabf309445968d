import type Sqlite from 'better-sqlite3';
import {
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type Driver,
} from 'kysely';

/** Kysely on a connection, for migrations only: not to be destroyed, as the connection goes on being used. */
export function migrationsOn(sqlite: Sqlite.Database): Kysely<object> {
  return new Kysely<object>({ dialect: new TransactionalDialect(sqlite) });
}

/** SQLite rolls back changes of the schema like any other; by default Kysely migrates without a transaction. */
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
 * On a full disk or an I/O error SQLite rolls back by itself. Kysely would then fail to do so again and report that
 * instead of the cause.
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
