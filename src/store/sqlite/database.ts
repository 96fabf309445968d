import type Sqlite from 'better-sqlite3';
import {
  DefaultQueryExecutor,
  QueryCreator,
  SelectQueryNode,
  SqliteAdapter,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type QueryExecutor,
  type QueryExecutorProvider,
  type QueryResult,
} from 'kysely';
import { ChangeTracker } from './change-tracker.ts';
import type { Connection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import type { SnapshotConnection } from './snapshot-connection.ts';
import type { WriteHealth, WriteTrouble } from './write-health.ts';
import type { Writer } from './writer.ts';
import type { Tables } from '../schema/tables.ts';

const NESTED = 'already in a transaction: pass the transaction on instead';

/** The open database, or a transaction on it: what every store function takes first. */
export abstract class Db extends QueryCreator<Tables> implements QueryExecutorProvider {
  abstract readonly isTransaction: boolean;
  abstract readonly database: Database;
  readonly #executor: QueryExecutor;

  constructor(executor: QueryExecutor) {
    super({ executor });
    this.#executor = executor;
  }

  /** Runs a statement at once where that is possible, past Kysely's promises, which take longer than most statements. */
  abstract all(text: string, parameters: readonly unknown[]): unknown[] | Promise<unknown[]>;

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

/** A transaction, or a snapshot that is only read. Usable until its work has ended. */
export class Tx extends Db {
  readonly isTransaction = true;
  readonly database: Database;
  readonly #connection: UsableConnection;
  readonly #afterCommit: (() => void)[] | null;

  /** @param afterCommit takes what is to be done after the commit; null where there is none */
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

  /** Has something done as soon as the transaction is committed; never, when it is rolled back. It must not throw. */
  afterCommit(then: () => void): void {
    if (this.#afterCommit === null) throw new Error('only a transaction has a commit');
    this.#afterCommit.push(then);
  }

  end(): void {
    this.#connection.end();
  }
}

/**
 * The open database. Outside of transactions, reads see what is committed, and each write is a transaction of its own.
 */
export class Database extends Db {
  readonly isTransaction = false;
  readonly changes: ChangeTracker;
  /** Learns the highest id of new addresses after the commit of each, before anybody who asked for them is answered. */
  onNewAddresses: ((newestId: number) => void) | null = null;
  readonly #writer: Writer;
  readonly #reader: SnapshotConnection | null;
  readonly #health: WriteHealth;
  readonly #openSnapshot: (() => Connection) | null;
  readonly #group: GroupCommit;

  readonly #close: () => Promise<void>;

  constructor({ writer, reader, health, sqlite, openSnapshot, close }: DatabaseParts) {
    super(executorOn(new OutsideConnection(writer, reader)));
    this.#writer = writer;
    this.#reader = reader;
    this.#health = health;
    this.#openSnapshot = openSnapshot;
    this.#close = close;
    this.#group = new GroupCommit(writer.connection, async (isRelaxed, work) =>
      writer.inTransaction(isRelaxed, work),
    );
    this.changes = new ChangeTracker(sqlite, () => reader?.endSnapshot());
  }

  get database(): this {
    return this;
  }

  /** Why nothing can be written for now; null when it can. */
  get writeTrouble(): WriteTrouble | null {
    return this.#health.trouble;
  }

  all(text: string, parameters: readonly unknown[]): unknown[] | Promise<unknown[]> {
    if (this.#reader !== null) return this.#reader.all(text, parameters);
    return this.#writer.inTurn(async () => this.#writer.connection.all(text, parameters));
  }

  /**
   * Runs work in a transaction of its own and returns its result once it is durable; any error rolls all of the work
   * back. Pieces of work asked for at the same time may share one commit. The work must not wait for the network: it
   * holds the only writer.
   */
  override async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#run(work, false);
  }

  /**
   * As transaction, without waiting for the disk: a power cut may take the work back (a crash of this process does not).
   * For what is done again then, and harmless when done twice, such as records of webhooks. It is durable with the next
   * ordinary transaction at the latest.
   */
  override async relaxedTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#run(work, true);
  }

  /** Runs reads that must all see the same moment, while writes go on. */
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

  /** Folds the write-ahead log into the one file and closes it. */
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

export interface DatabaseParts {
  readonly writer: Writer;
  /** The connection of the writer. */
  readonly sqlite: Sqlite.Database;
  /** Null for a database in memory, which no second connection can open. */
  readonly reader: SnapshotConnection | null;
  /** Opens a connection for one snapshot; null for a database in memory. */
  readonly openSnapshot: (() => Connection) | null;
  readonly health: WriteHealth;
  readonly close: () => Promise<void>;
}

/** Until the work of a transaction has ended. */
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

/** What Kysely runs outside of transactions: reads on the connection that sees what is committed. */
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

const compiler = new SqliteQueryCompiler();
const adapter = new SqliteAdapter();

function executorOn(connection: DatabaseConnection): QueryExecutor {
  return new DefaultQueryExecutor(compiler, adapter, {
    provideConnection: async (consumer) => consumer(connection),
  });
}
