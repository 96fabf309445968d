import { sql, type CompiledQuery, type Expression, type Insertable, type Selectable } from 'kysely';
import type { Db, Tx } from './database.ts';
import type { Tables } from '../schema/tables.ts';

/** Stands for a value that is given at each run: Kysely passes it on as a parameter like any other. */
class Param {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Stands for one value of a list. */
class ListParam {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** Gives the parameter for one value of the statement, by its name. */
export type ParamOf<P> = <K extends keyof P & string>(name: K) => P[K];
type Build<P, R> = (db: Db, param: ParamOf<P>) => { compile(): CompiledQuery<R> };

/**
 * A parameter as an expression (`+?`), whose value SQLite does not look at while it plans. It does look at plain ones,
 * and whenever such a one gets another value it plans the whole statement again, which takes several times as long as
 * running it.
 */
function unpeeked(value: Param | ListParam): Expression<unknown> {
  return sql`+${sql.val(value)}`;
}

/** Kysely takes an expression wherever it takes a value. */
function paramOf(name: string): never {
  return unpeeked(new Param(name)) as never;
}

/**
 * A statement that is put together once and then run with other values each time, for what every
 * request needs: putting together and compiling a query costs several times what SQLite takes to run
 * it. A param stands for one value, never for a list, and never for a condition that may be absent.
 */
export function prepared<P extends object, R>(
  build: Build<P, R>,
): (db: Db, values: Readonly<P>) => R[] | Promise<R[]> {
  let compiled: CompiledQuery<R> | null = null;
  return (db, values) => {
    compiled ??= build(db, paramOf).compile();
    return run(db, compiled, values);
  };
}

/** What one statement of a list takes; longer lists are run in pieces. */
const LONGEST_LIST = 256;

/**
 * As prepared, with one list, for `in` only: a statement for each power of two, in which a shorter list
 * repeats its last value.
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
        byLength.set(length, (compiled = build(db, paramOf, params).compile()));
      }
      rows.push(...(await run(db, compiled, values, part)));
    }
    return rows;
  };
}

/**
 * Inserts one row by a statement that is put together once for each set of columns.
 * @returns the columns asked for of the row, as stored.
 */
export function preparedInsert<T extends keyof Tables, C extends keyof Selectable<Tables[T]> & string>(
  table: T,
  returning: readonly C[] = [],
): (tx: Tx, row: Insertable<Tables[T]>) => Promise<Pick<Selectable<Tables[T]>, C>[]> {
  const insert = preparedInserts(table, returning);
  return async (tx, row) => insert(tx, [row]);
}

/** What one statement inserts; more rows are inserted in pieces: large ones, small ones, and what is left. */
const SMALL_PIECE = 8;
const PIECES = [32, SMALL_PIECE];

/**
 * As preparedInsert, several rows of the same columns in one statement.
 * @returns the columns asked for, in no particular order.
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
    // As a rule the parameters are all there is, in their order.
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

/** At once where it can be: a promise in between would cost as much as a small statement does. */
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
