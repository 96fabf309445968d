import { sql, type CompiledQuery, type Expression, type Insertable, type Selectable } from 'kysely';
import type { Db, Tx } from './database.ts';
import type { Tables } from '../schema/tables.ts';

/** Placeholder for a value that is given at each run; Kysely passes it through as a parameter. */
class Param {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Placeholder for one value of a list. */
class ListParam {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** The placeholder for a named value of the statement. */
export type ParamOf<P> = <K extends keyof P & string>(name: K) => P[K];
type Build<P, R> = (db: Db, param: ParamOf<P>) => { compile(): CompiledQuery<R> };

/**
 * A parameter as an expression (`+?`), which SQLite's planner does not inspect. It does inspect plain parameters, and
 * plans the statement again whenever such a value changes, which takes several times as long as running it.
 */
function unpeeked(value: Param | ListParam): Expression<unknown> {
  return sql`+${sql.val(value)}`;
}

/** Typed as never, so that Kysely accepts it wherever it takes a value. */
function createParameter(name: string): never {
  return unpeeked(new Param(name)) as never;
}

/**
 * Builds a statement once and runs it with new values each time, for the queries of every request: building and
 * compiling a query costs several times what SQLite takes to run it. A param means one value, never for a list or
 * an optional condition.
 */
export function prepared<P extends object, R>(
  build: Build<P, R>,
): (db: Db, values: Readonly<P>) => R[] | Promise<R[]> {
  let compiled: CompiledQuery<R> | null = null;
  return (db, values) => {
    compiled ??= build(db, createParameter).compile();
    return run(db, compiled, values);
  };
}

/** Most list values in one statement; longer lists are run in chunks. */
const LONGEST_LIST = 256;

/**
 * Like prepared, with one list, for `in` only: one statement per power of two, in which a shorter list repeats its last
 * value.
 */
export function preparedList<P extends object, R>(
  build: (db: Db, param: ParamOf<P>, list: readonly string[]) => { compile(): CompiledQuery<R> },
): (db: Db, values: Readonly<P>, list: readonly string[]) => Promise<R[]> {
  const byLength = new Map<number, CompiledQuery<R>>();
  return async (db, values, list) => {
    const rows: R[] = [];
    for (let from = 0; from < list.length; from += LONGEST_LIST) {
      const part = list.slice(from, from + LONGEST_LIST);
      const length = 2 ** Math.ceil(Math.log2(part.length));
      let compiled = byLength.get(length);
      if (compiled === undefined) {
        const params = Array.from(
          { length },
          (_, index) => unpeeked(new ListParam(index)) as unknown as string,
        );
        byLength.set(length, (compiled = build(db, createParameter, params).compile()));
      }
      rows.push(...(await run(db, compiled, values, part)));
    }
    return rows;
  };
}

/**
 * Inserts one row with a statement that is built once for each set of columns.
 * @returns the requested columns of the row, as stored.
 */
export function preparedInsert<T extends keyof Tables, C extends keyof Selectable<Tables[T]> & string>(
  table: T,
  returning: readonly C[] = [],
): (tx: Tx, row: Insertable<Tables[T]>) => Promise<Pick<Selectable<Tables[T]>, C>[]> {
  const insert = preparedInserts(table, returning);
  return async (tx, row) => insert(tx, [row]);
}

/** Rows per insert statement; more rows are split into large chunks, small chunks, and the remainder. */
const SMALL_PIECE = 8;
const PIECES = [32, SMALL_PIECE];

/**
 * Like preparedInsert, for several rows with the same columns in one statement.
 * @returns the requested columns, in no particular order.
 */
export function preparedInserts<T extends keyof Tables, C extends keyof Selectable<Tables[T]> & string>(
  table: T,
  returning: readonly C[] = [],
  onConflict = sql``,
): (tx: Tx, rows: readonly Insertable<Tables[T]>[]) => Promise<Pick<Selectable<Tables[T]>, C>[]> {
  type Row = Pick<Selectable<Tables[T]>, C>;
  const compiledFor = new Map<string, CompiledQuery<Row>>();
  const back = sql.join(returning.map((column) => sql.ref(column)));
  const tail = returning.length === 0 ? sql`` : sql` returning ${back}`;
  const insert = (tx: Tx, rows: readonly object[]): Row[] | Promise<Row[]> => {
    const columns = Object.keys(rows[0] ?? {});
    const key = `${rows.length} ${columns.join()}`;
    let compiled = compiledFor.get(key);
    if (compiled === undefined) {
      const names = sql.join(columns.map((column) => sql.ref(column)));
      const params = rows.map((_, row) =>
        sql.join(columns.map((_column, at) => sql.val(new ListParam(row * columns.length + at)))),
      );
      const values = sql.join(params.map((row) => sql`(${row})`));
      compiled =
        sql<Row>`insert into ${sql.table(table)} (${names}) values ${values}${onConflict}${tail}`.compile(tx);
      compiledFor.set(key, compiled);
    }
    const given: unknown[] = [];
    for (const row of rows) for (const column of columns) given.push(Reflect.get(row, column));
    // Usually the parameters are exactly the given values, in order.
    const isGiven = compiled.parameters.length === given.length;
    return isGiven ? (tx.all(compiled.sql, given) as Row[]) : run(tx, compiled, {}, given);
  };
  return async (tx, rows) => {
    if (rows.length > 0 && rows.length <= SMALL_PIECE) return insert(tx, rows);
    const stored: Row[] = [];
    for (let from = 0; from < rows.length;) {
      const left = rows.length - from;
      const piece = PIECES.find((size) => size <= left) ?? left;
      stored.push(...(await insert(tx, rows.slice(from, from + piece))));
      from += piece;
    }
    return stored;
  };
}

/** Synchronous where possible: a promise would cost as much as a small statement does. */
function run<R>(
  db: Db,
  compiled: CompiledQuery<R>,
  values: object,
  list: readonly unknown[] = [],
): R[] | Promise<R[]> {
  const parameters = compiled.parameters.map((value): unknown => {
    if (value instanceof Param) return Reflect.get(values, value.name);
    return value instanceof ListParam ? list[Math.min(value.index, list.length - 1)] : value;
  });
  return db.all(compiled.sql, parameters) as R[] | Promise<R[]>;
}
