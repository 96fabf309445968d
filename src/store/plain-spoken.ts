import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  type SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { StateWordCompiler } from './query-compiler.ts';
import { withStatementCache } from './statements.ts';

/** A connection that says whether a transaction is open on it. */
interface OpenSqlite extends SqliteDatabase {
  readonly inTransaction: boolean;
}

/**
 * On a full disk or an I/O error SQLite takes the transaction back by itself. Kysely would then fail
 * to do so again and report that instead of the cause.
 */
export class PlainSpokenDialect extends SqliteDialect {
  readonly #sqlite: OpenSqlite;
  readonly #beforeWrite: (statement: string) => void;

  constructor(sqlite: OpenSqlite, beforeWrite: (statement: string) => void) {
    super({ database: sqlite });
    this.#sqlite = sqlite;
    this.#beforeWrite = beforeWrite;
  }

  override createDriver(): Driver {
    return new PlainSpokenDriver(this.#sqlite, this.#beforeWrite);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new StateWordCompiler();
  }
}

/** SQLite takes back changes of the schema like any other; by default Kysely migrates without a transaction. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Put together once, as what every transaction needs. */
const BEGIN = CompiledQuery.raw('begin');
const BEGIN_IMMEDIATE = CompiledQuery.raw('begin immediate');
const COMMIT = CompiledQuery.raw('commit');

class PlainSpokenDriver extends SqliteDriver {
  readonly #sqlite: OpenSqlite;

  constructor(sqlite: OpenSqlite, beforeWrite: (statement: string) => void) {
    super({ database: withStatementCache(sqlite, beforeWrite) });
    this.#sqlite = sqlite;
  }

  /**
   * As a writer from the start. One that became it only at its first write would fail, without waiting,
   * whenever another process (a tool beside the daemon) has written since its first read. What only
   * reads keeps nobody from writing.
   */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    await connection.executeQuery(settings?.accessMode === 'read only' ? BEGIN : BEGIN_IMMEDIATE);
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(COMMIT);
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#sqlite.inTransaction) await super.rollbackTransaction(connection);
  }
}
