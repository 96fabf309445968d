import type Sqlite from 'better-sqlite3';
import { sql, SqliteQueryCompiler } from 'kysely';
import { FLAGS } from '../schema/flags.ts';

/** A field of the rows of a statement. */
export interface Field {
  readonly name: string;
  /** SQLite has no booleans: it is stored as 0 or 1. */
  readonly isFlag: boolean;
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

/** How a column of a statement is read. A flag is known by the column it comes from, under any alias. */
export function toField({ name, table, column }: Sqlite.ColumnDefinition): Field {
  return { name: camelCase(name), isFlag: flagColumns.has(`${table}.${column}`) };
}

/** Parameters as SQLite binds them. */
export function toStored(parameters: readonly unknown[]): readonly unknown[] {
  if (!parameters.some((value) => typeof value === 'boolean')) return parameters;
  return parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value));
}

/** A flag written out in a statement: SQLite's planner matches the condition of a partial index by its text. */
export const STORED_TRUE = sql<boolean>`1`;
export const STORED_FALSE = sql<boolean>`0`;
