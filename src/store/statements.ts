import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Enough for every statement of the program, whose lists of ids come in many lengths. */
const KEPT = 500;

/**
 * Keeps prepared statements by their text: preparing costs several times what running most of them
 * does. The least recently used go first. A change of the schema forgets all of them.
 * @param beforeWrite called whenever anything but a select is about to run
 */
export function withStatementCache(
  sqlite: SqliteDatabase,
  beforeWrite: (statement: string) => void,
): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>();
  return {
    close: () => {
      kept.clear();
      sqlite.close();
    },
    prepare: (text) => {
      if (!READS_ONLY.test(text)) beforeWrite(text);
      if (!REUSABLE.test(text)) {
        kept.clear();
        return sqlite.prepare(text);
      }
      const held = kept.get(text);
      const statement = held ?? sqlite.prepare(text);
      if (held !== undefined) kept.delete(text);
      kept.set(text, statement);
      const [oldest] = kept.keys();
      if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
      return statement;
    },
  };
}

const READS_ONLY = /^\s*select\b/i;

/** Everything that cannot change the schema. */
const REUSABLE = /^\s*(?:select|insert|update|delete|with|begin|commit|rollback|savepoint|release)\b/i;
