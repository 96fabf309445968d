import {
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  type SqliteStatement,
  type TransactionSettings,
} from 'kysely';
import type { SlowFlushes } from './slow-flushes.ts';
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
  readonly #flushes: SlowFlushes;

  constructor(sqlite: OpenSqlite, beforeWrite: (statement: string) => void, flushes: SlowFlushes) {
    super({ database: sqlite });
    this.#sqlite = sqlite;
    this.#beforeWrite = beforeWrite;
    this.#flushes = flushes;
  }

  override createDriver(): Driver {
    return new PlainSpokenDriver(this.#sqlite, this.#beforeWrite, this.#flushes);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

/** SQLite takes back changes of the schema like any other; by default Kysely migrates without a transaction. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Every transaction has two of these: they are kept by themselves, beside the statements of which the oldest go. */
type Frame = 'begin' | 'begin immediate' | 'commit';

class PlainSpokenDriver extends SqliteDriver {
  readonly #sqlite: OpenSqlite;
  readonly #run: (statement: Frame) => void;
  readonly #flushes: SlowFlushes;

  constructor(sqlite: OpenSqlite, beforeWrite: (statement: string) => void, flushes: SlowFlushes) {
    super({ database: withStatementCache(sqlite, beforeWrite) });
    this.#sqlite = sqlite;
    this.#flushes = flushes;
    const frames = new Map<Frame, SqliteStatement>();
    this.#run = (statement) => {
      beforeWrite(statement);
      let found = frames.get(statement);
      if (found === undefined) frames.set(statement, (found = sqlite.prepare(statement)));
      found.run([]);
    };
  }

  /**
   * As a writer from the start. One that became it only at its first write would fail, without waiting,
   * whenever another process (a tool beside the daemon) has written since its first read. What only
   * reads keeps nobody from writing.
   */
  override async beginTransaction(
    _connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    this.#run(settings?.accessMode === 'read only' ? 'begin' : 'begin immediate');
  }

  override async commitTransaction(): Promise<void> {
    const began = performance.now();
    this.#run('commit');
    this.#flushes.committed(began);
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#sqlite.inTransaction) await super.rollbackTransaction(connection);
  }
}
