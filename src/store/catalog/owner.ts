import type { Db, Tx } from '../sqlite/database.ts';

const TABLES = ['customers', 'products', 'prices'] as const;

/** Whether a user has customers, products or prices. */
export async function ownsCatalog(db: Db, userId: string): Promise<boolean> {
  for (const table of TABLES) {
    const row = await db
      .selectFrom(table)
      .select('id')
      .where('userId', '=', userId)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}

/** Transfers the customers, products and prices of a user to another one. */
export async function transferCatalog(
  tx: Tx,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  for (const table of TABLES)
    await tx.updateTable(table).set({ userId: to }).where('userId', '=', from).execute();
}
