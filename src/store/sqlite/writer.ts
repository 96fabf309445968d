import type Sqlite from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { Logger } from '../../domain/ports.ts';
import { Connection } from './connection.ts';
import type { WriteHealth } from './write-health.ts';

/** A healthy disk flushes in milliseconds; one that is throttled or failing takes seconds, even minutes. */
const SLOW_COMMIT_MS = 1_000;

export interface WriterOptions {
  readonly health: WriteHealth;
  /** Ends what the reading connection still sees of an earlier state. */
  readonly endSnapshot: () => void;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
  /** Logs commits that take at least this long. */
  readonly slowCommitMs?: number | undefined;
}

/** The only connection that writes; its callers queue for it. */
export class Writer {
  readonly connection: Connection;
  readonly #sqlite: Sqlite.Database;
  readonly #options: WriterOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(sqlite: Sqlite.Database, options: WriterOptions) {
    this.connection = new Connection(sqlite);
    this.#sqlite = sqlite;
    this.#options = options;
  }

  /** Runs one statement without a transaction. */
  async execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.inTurn(async () => {
      this.#options.endSnapshot();
      try {
        const result = await this.connection.executeQuery<R>(query);
        this.#options.health.succeeded();
        return result;
      } catch (error) {
        throw this.#options.health.failed(error);
      }
    });
  }

  /**
   * Runs work in an immediate transaction, which takes the write lock at its start: taken at the first write, it would
   * fail without waiting if another process had written since the first read.
   * @param isRelaxed commits without a flush: a power failure may lose it and all later commits, until one flushes
   */
  async inTransaction<T>(isRelaxed: boolean, work: () => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      // Litestream may hold the lock until no connection reads an older state any more, and both would wait
      // for each other.
      this.#options.endSnapshot();
      if (isRelaxed) this.#sqlite.exec('PRAGMA synchronous = NORMAL');
      try {
        this.connection.all('begin immediate', []);
        this.#options.health.succeeded();
        const result = await work();
        this.#commit();
        return result;
      } catch (error) {
        // On a full disk or an I/O error SQLite has already rolled back.
        if (this.#sqlite.inTransaction) this.connection.all('rollback', []);
        throw this.#options.health.failed(error);
      } finally {
        if (isRelaxed) this.#sqlite.exec('PRAGMA synchronous = FULL');
      }
    });
  }

  #commit(): void {
    const { endSnapshot, logger, slowCommitMs = SLOW_COMMIT_MS } = this.#options;
    endSnapshot();
    const startedMs = performance.now();
    this.connection.all('commit', []);
    const tookMs = Math.round(performance.now() - startedMs);
    if (tookMs >= slowCommitMs) {
      logger?.warn({ tookMs }, 'database commit was slow; other work was blocked meanwhile');
    }
  }

  /** Runs work exclusively: no other work of this process interleaves. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    try {
      return await work();
    } finally {
      resolve();
    }
  }
}
