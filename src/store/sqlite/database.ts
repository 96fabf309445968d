import type Sqlite from 'better-sqlite3';
import {
  DefaultQueryExecutor,
  QueryCreator,
  SelectQueryNode,
  SqliteAdapter,
  type CompiledQuery,
  type DatabaseConnection,
  type QueryExecutor,
  type QueryExecutorProvider,
  type QueryResult,
} from 'kysely';
import { SnakeCaseCompiler } from './column-names.ts';
import { ChangeTracker } from './change-tracker.ts';
import type { Connection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import type { ReadThread } from './read-thread.ts';
import type { SnapshotConnection } from './snapshot-connection.ts';
import type { WriteHealth, WriteProblem } from './write-health.ts';
import type { Writer } from './writer.ts';
import type { Tables } from '../schema/tables.ts';

const NESTED = 'already in a transaction: pass the transaction on instead';

/** The open database, or a transaction on it: the first parameter of every store function. */
export abstract class Db extends QueryCreator<Tables> implements QueryExecutorProvider {
  abstract readonly isTransaction: boolean;
  abstract readonly database: Database;
  readonly #executor: QueryExecutor;

  constructor(executor: QueryExecutor) {
    super({ executor });
    this.#executor = executor;
  }

  /** Runs a statement, synchronously where possible: Kysely's promises take longer than most statements. */
  abstract all(text: string, parameters: readonly unknown[]): unknown[] | Promise<unknown[]>;

  /** For selects that read all rows of a shop: on a database, they run in a thread and do not block the event loop. */
  get readThread(): Db {
    return this;
  }

  /** See Database. */
  async transaction<T>(_work: (tx: Tx) => Promise<T>): Promise<T> {
    throw new Error(NESTED);
  }

  /** See Database. */
  async relaxedTransaction<T>(_work: (tx: Tx) => Promise<T>): Promise<T> {
    throw new Error(NESTED);
  }

  /** See Database. */
  async read<T>(_work: (tx: Tx) => Promise<T>): Promise<T> {
    throw new Error(NESTED);
  }

  getExecutor(): QueryExecutor {
    return this.#executor;
  }

  async executeQuery<R>(query: CompiledQuery<R>): Promise<QueryResult<R>> {
    return this.#executor.executeQuery<R>(query);
  }
}

/** A transaction, or a read-only snapshot. Usable until its work has ended. */
export class Tx extends Db {
  readonly isTransaction = true;
  readonly database: Database;
  readonly #connection: UsableConnection;
  readonly #afterCommit: (() => void)[] | null;

  /** @param afterCommit queues a callback to run after the commit; null for a snapshot */
  constructor(database: Database, connection: Connection, afterCommit: (() => void)[] | null) {
    const usable = new UsableConnection(connection);
    super(executorOn(usable));
    this.database = database;
    this.#connection = usable;
    this.#afterCommit = afterCommit;
  }

  all(text: string, parameters: readonly unknown[]): unknown[] {
    return this.#connection.get().all(text, parameters);
  }

  /** Queues a callback to run right after the commit; dropped on rollback. It must not throw. */
  afterCommit(then: () => void): void {
    if (this.#afterCommit === null) throw new Error('afterCommit outside of a transaction');
    this.#afterCommit.push(then);
  }

  end(): void {
    this.#connection.end();
  }
}

/**
 * The open database. Outside of transactions, reads see the committed state; each write is its own transaction.
 */
export class Database extends Db {
  readonly isTransaction = false;
  readonly changes: ChangeTracker;
  /** Called after each commit with the highest new address id, before the request that created it is answered. */
  onNewAddresses: ((newestId: number) => void) | null = null;
  /** Called after each commit of an event with its merchant. */
  onNewEvent: ((merchantId: string) => void) | null = null;
  readonly #writer: Writer;
  readonly #reader: SnapshotConnection | null;
  readonly #health: WriteHealth;
  readonly #openSnapshot: (() => Connection) | null;
  readonly #group: GroupCommit;

  readonly #close: () => Promise<void>;
  readonly #readThread: Db;

  constructor({ writer, reader, thread, health, sqlite, openSnapshot, close }: DatabaseParts) {
    super(executorOn(new OutsideConnection(writer, reader)));
    this.#writer = writer;
    this.#reader = reader;
    this.#health = health;
    this.#openSnapshot = openSnapshot;
    this.#close = close;
    this.#readThread = thread === null ? this : new ReadThreadDb(this, thread);
    this.#group = new GroupCommit(writer.connection, async (isRelaxed, work) =>
      writer.inTransaction(isRelaxed, work),
    );
    this.changes = new ChangeTracker(sqlite, () => reader?.endSnapshot());
  }

  get database(): this {
    return this;
  }

  override get readThread(): Db {
    return this.#readThread;
  }

  /** Why writes fail at present; null when they work. */
  get writeTrouble(): WriteProblem | null {
    return this.#health.trouble;
  }

  all(text: string, parameters: readonly unknown[]): unknown[] | Promise<unknown[]> {
    if (this.#reader !== null) return this.#reader.all(text, parameters);
    return this.#writer.inTurn(async () => this.#writer.connection.all(text, parameters));
  }

  /**
   * Runs work in a transaction and returns its result once it is durable; any error rolls all of the work back.
   * Concurrent calls may share one commit. The work must not wait for the network: it holds the only writer.
   */
  override async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#run(work, false);
  }

  /**
   * Like transaction, but without waiting for the disk: a power failure may lose the work (a crash of this process does
   * not). For work that is then repeated and idempotent, such as webhook records. It is durable with the next ordinary
   * transaction at the latest.
   */
  override async relaxedTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#run(work, true);
  }

  /** Runs reads on one snapshot, while writes continue. */
  override async read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#openSnapshot === null)
      return this.#writer.inTransaction(false, async () => this.#within(work, null));
    const snapshot = this.#openSnapshot();
    try {
      snapshot.all('begin', []);
      return await this.#within(work, null, snapshot);
    } finally {
      snapshot.close();
    }
  }

  /** Checkpoints the write-ahead log into the database file and closes it. */
  async close(): Promise<void> {
    return this.#close();
  }

  async #run<T>(work: (tx: Tx) => Promise<T>, isRelaxed: boolean): Promise<T> {
    const afterCommit: (() => void)[] = [];
    const result = await this.#group.run(async () => this.#within(work, afterCommit), isRelaxed);
    for (const then of afterCommit) then();
    return result;
  }

  async #within<T>(
    work: (tx: Tx) => Promise<T>,
    afterCommit: (() => void)[] | null,
    connection = this.#writer.connection,
  ): Promise<T> {
    const tx = new Tx(this, connection, afterCommit);
    try {
      return await work(tx);
    } finally {
      tx.end();
    }
  }
}

/** The database as its reading thread sees it: for selects only. */
class ReadThreadDb extends Db {
  readonly isTransaction = false;
  readonly database: Database;
  readonly #thread: ReadThread;

  constructor(database: Database, thread: ReadThread) {
    super(executorOn(thread));
    this.database = database;
    this.#thread = thread;
  }

  async all(text: string, parameters: readonly unknown[]): Promise<unknown[]> {
    return this.#thread.all(text, parameters);
  }
}

export interface DatabaseParts {
  readonly writer: Writer;
  /** The writer's connection. */
  readonly sqlite: Sqlite.Database;
  /** Null for an in-memory database, which a second connection cannot open. */
  readonly reader: SnapshotConnection | null;
  /** Null for an in-memory database. */
  readonly thread: ReadThread | null;
  /** Opens a connection for one snapshot; null for an in-memory database. */
  readonly openSnapshot: (() => Connection) | null;
  readonly health: WriteHealth;
  readonly close: () => Promise<void>;
}

/** A connection that is usable until the work of its transaction has ended. */
class UsableConnection implements DatabaseConnection {
  #connection: Connection | null;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get(): Connection {
    if (this.#connection === null) throw new Error('the transaction has ended');
    return this.#connection;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.get().executeQuery<R>(query);
  }

  streamQuery(): never {
    return this.get().streamQuery();
  }

  end(): void {
    this.#connection = null;
  }
}

/** The connection for Kysely queries outside of transactions: reads use the one that sees the committed state. */
class OutsideConnection implements DatabaseConnection {
  readonly #writer: Writer;
  readonly #reader: SnapshotConnection | null;

  constructor(writer: Writer, reader: SnapshotConnection | null) {
    this.#writer = writer;
    this.#reader = reader;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#reader !== null && SelectQueryNode.is(query.query)) return this.#reader.executeQuery<R>(query);
    return this.#writer.execute<R>(query);
  }

  streamQuery(): never {
    return this.#writer.connection.streamQuery();
  }
}

const compiler = new SnakeCaseCompiler();
const adapter = new SqliteAdapter();

function executorOn(connection: DatabaseConnection): QueryExecutor {
  return new DefaultQueryExecutor(compiler, adapter, {
    provideConnection: async (consumer) => consumer(connection),
  });
}
