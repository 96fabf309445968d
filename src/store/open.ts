import { Kysely } from 'kysely';
import type { Db } from './database.ts';
import { openSqlite } from './dialect.ts';
import { migrate } from './migrate.ts';
import type { Tables } from './tables.ts';

export interface OpenDatabase {
  readonly db: Db;
  /** Folds the write-ahead log into the one file and closes it. */
  close(): Promise<void>;
}

/** Opens (creating if needed) and migrates the database at a path; `:memory:` for tests. */
export async function openDatabase(path: string): Promise<OpenDatabase> {
  const { dialect, checkpoint } = openSqlite(path);
  const db = new Kysely<Tables>({ dialect });
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    db,
    close: async () => {
      checkpoint();
      await db.destroy();
    },
  };
}
