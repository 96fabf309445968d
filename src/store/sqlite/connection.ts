import type Sqlite from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { toField, toStored, type Field } from './column-names.ts';

/** Enough for every statement of the program, including lists of ids of many lengths. */
const MAX_STATEMENTS = 500;
/** Statements that cannot change the schema. */
const CACHEABLE = /^\s*(?:select|insert|update|delete|with|begin|commit|rollback|savepoint|release)\b/i;

/** A statement, and the fields of its rows in order; null for a statement without rows. */
export interface Prepared {
  readonly statement: Sqlite.Statement;
  readonly fields: readonly Field[] | null;
}

/**
 * A connection to the database file with a cache of prepared statements by their text, as preparing costs several times
 * as much as running most of them. Evicts the least recently used; a schema change clears the cache.
 */
export class Connection implements DatabaseConnection {
  readonly #sqlite: Sqlite.Database;
  readonly #statements = new Map<string, Prepared>();

  constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite;
  }

  get inTransaction(): boolean {
    return this.#sqlite.inTransaction;
  }

  /** Runs a statement synchronously. @returns its rows; an empty list for a statement without rows */
  all(text: string, parameters: readonly unknown[]): unknown[] {
    const prepared = this.prepare(text);
    const values = toStored(parameters);
    if (prepared.fields !== null) return readRows(prepared, values);
    prepared.statement.run(values);
    return [];
  }

  /** For Kysely. */
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const prepared = this.prepare(sql);
    const values = toStored(parameters);
    if (prepared.fields !== null) return { rows: readRows(prepared, values) as R[] };
    const { changes, lastInsertRowid } = prepared.statement.run(values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  streamQuery(): never {
    throw new Error('rows are read in pages, not streamed');
  }

  close(): void {
    this.#statements.clear();
    this.#sqlite.close();
  }

  protected prepare(text: string): Prepared {
    const known = this.#statements.get(text);
    if (known !== undefined) {
      this.#statements.delete(text);
      this.#statements.set(text, known);
      return known;
    }
    const statement = this.#sqlite.prepare(text);
    const prepared = { statement, fields: statement.reader ? statement.columns().map(toField) : null };
    if (statement.reader) statement.raw();
    if (!CACHEABLE.test(text)) {
      this.#statements.clear();
      return prepared;
    }
    this.#statements.set(text, prepared);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > MAX_STATEMENTS && oldest !== undefined) this.#statements.delete(oldest);
    return prepared;
  }
}

function readRows({ statement, fields }: Prepared, parameters: readonly unknown[]): object[] {
  const rows = statement.all(parameters) as readonly unknown[][];
  // SQLite compiles a statement again after another connection has added a column.
  const isCurrent = rows[0] === undefined || rows[0].length === fields?.length;
  const current = isCurrent ? (fields ?? []) : statement.columns().map(toField);
  return rows.map((values) => toRow(current, values));
}

function toRow(fields: readonly Field[], values: readonly unknown[]): object {
  const row: Record<string, unknown> = {};
  for (const [index, { name, decode }] of fields.entries()) {
    const value = values[index];
    row[name] = decode === null || value === null ? value : decode(value);
  }
  return row;
}
