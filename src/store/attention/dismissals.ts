import type { AttentionDismissalRow } from '../schema/attention.ts';
import type { Db, Tx } from '../sqlite/database.ts';

export async function upsertDismissal(tx: Tx, row: AttentionDismissalRow): Promise<void> {
  const { merchantId: _m, itemId: _i, ...change } = row;
  await tx
    .insertInto('attention_dismissals')
    .values(row)
    .onConflict((conflict) => conflict.columns(['merchantId', 'itemId']).doUpdateSet(change))
    .execute();
}

/** The dismissals of some items of a shop, by item. At most a few hundred ids at a time. */
export async function findDismissals(
  db: Db,
  merchantId: string,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, AttentionDismissalRow>> {
  if (itemIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('attention_dismissals')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('itemId', 'in', itemIds)
    .execute();
  return new Map(rows.map((row) => [row.itemId, row]));
}
