import type Sqlite from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

/** Enough for every statement of the program, including lists of ids of many lengths. */
const MAX_STATEMENTS = 500;
/** Statements that cannot change the schema. */
const CACHEABLE = /^\s*(?:select|insert|update|delete|with|begin|commit|rollback|savepoint|release)\b/i;

/**
 * A connection to the database file with a cache of prepared statements by their text, as preparing costs several times
 * as much as running most of them. Evicts the least recently used; a schema change clears the cache.
 */
export class Connection implements DatabaseConnection {
  readonly #sqlite: Sqlite.Database;
  readonly #statements = new Map<string, Sqlite.Statement>();

  constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite;
  }

  get inTransaction(): boolean {
    return this.#sqlite.inTransaction;
  }

  /** Runs a statement synchronously. @returns its rows; an empty list for a statement without rows */
  all(text: string, parameters: readonly unknown[]): unknown[] {
    const statement = this.prepare(text);
    if (statement.reader) return statement.all(parameters);
    statement.run(parameters);
    return [];
  }

  /** For Kysely. */
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  streamQuery(): never {
    throw new Error('rows are read in pages, not streamed');
  }

  close(): void {
    this.#statements.clear();
    this.#sqlite.close();
  }

  protected prepare(text: string): Sqlite.Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) {
      this.#statements.delete(text);
      this.#statements.set(text, known);
      return known;
    }
    const statement = this.#sqlite.prepare(text);
    if (!CACHEABLE.test(text)) {
      this.#statements.clear();
      return statement;
    }
    this.#statements.set(text, statement);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > MAX_STATEMENTS && oldest !== undefined) this.#statements.delete(oldest);
    return statement;
  }
}
