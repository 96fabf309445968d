import { vi } from 'vitest';
import { Connection } from '../../src/store/sqlite/connection.ts';

export interface RecordedQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Notes what every connection of this process runs from now on. @returns takes what was run since it was called last */
export function recordQueries(): () => RecordedQuery[] {
  const direct = vi.spyOn(Connection.prototype, 'all');
  const built = vi.spyOn(Connection.prototype, 'executeQuery');
  return () => {
    const queries = [
      ...direct.mock.calls.map(([sql, parameters], at) => ({
        sql,
        parameters,
        order: direct.mock.invocationCallOrder[at] ?? 0,
      })),
      ...built.mock.calls.map(([{ sql, parameters }], at) => ({
        sql,
        parameters,
        order: built.mock.invocationCallOrder[at] ?? 0,
      })),
    ].filter(({ sql }) => /^\s*(?:select|insert|update|delete|with)\b/i.test(sql));
    direct.mockClear();
    built.mockClear();
    return queries.toSorted((a, b) => a.order - b.order);
  };
}
