import type { Db } from '../sqlite/database.ts';

const TABLES = ['merchants', 'customers', 'payments', 'sends', 'events'] as const;

/** Number of rows of the tables that a person recognises a shop by. */
export async function rowCounts(db: Db): Promise<Record<(typeof TABLES)[number], number>> {
  const counts = await Promise.all(
    TABLES.map(async (table) => {
      const { count } = await db
        .selectFrom(table)
        .select((query) => query.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return [table, count] as const;
    }),
  );
  return Object.fromEntries(counts) as Record<(typeof TABLES)[number], number>;
}
