import type Sqlite from 'better-sqlite3';
import { sql, SqliteQueryCompiler } from 'kysely';
import { FLAGS } from '../schema/flags.ts';
import { decompressJson } from './compressed-json.ts';

/** A field of the rows of a statement. */
export interface Field {
  readonly name: string;
  /** The value that the program reads; null: as stored. */
  readonly decode: ((stored: unknown) => unknown) | null;
}

/** `createdAt` → `created_at`: SQL is written in snake case, values are not. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `created_at` → `createdAt`. */
function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Writes the names of tables and columns in snake case. */
export class SnakeCaseCompiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(snakeCase(identifier));
  }
}

const flagColumns: ReadonlySet<string> = new Set(
  Object.entries(FLAGS).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${snakeCase(column)}`),
  ),
);

/**
 * How a column of a statement is read. Flags and compressed texts are known by the column they come from, under any
 * alias: SQLite has no booleans but 0 and 1, and a BLOB named *_json is compressed.
 */
export function toField({ name, table, column, type }: Sqlite.ColumnDefinition): Field {
  if (flagColumns.has(`${table}.${column}`)) return { name: camelCase(name), decode: toFlag };
  const isCompressed = type === 'BLOB' && column?.endsWith('_json') === true;
  return { name: camelCase(name), decode: isCompressed ? toText : null };
}

const toFlag = (stored: unknown): boolean => stored === 1;
const toText = (stored: unknown): unknown => (Buffer.isBuffer(stored) ? decompressJson(stored) : stored);

/** Parameters as SQLite binds them. */
export function toStored(parameters: readonly unknown[]): readonly unknown[] {
  if (!parameters.some((value) => typeof value === 'boolean')) return parameters;
  return parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value));
}

/** A flag written out in a statement: SQLite's planner matches the condition of a partial index by its text. */
export const STORED_TRUE = sql<boolean>`1`;
export const STORED_FALSE = sql<boolean>`0`;
