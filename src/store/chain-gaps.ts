import type { ChainId } from '../domain/coins.ts';
import type { Db, Tx } from './database.ts';
import type { ChainGapRow } from './tables.ts';

/** Notes that the blocks between two heights were not shown and that the scan goes on after them. */
export async function noteGap(tx: Tx, gap: ChainGapRow): Promise<void> {
  const { before_height, found_at } = gap;
  await tx
    .insertInto('chain_gaps')
    .values(gap)
    .onConflict((conflict) =>
      conflict.columns(['coin', 'mode', 'after_height']).doUpdateSet({ before_height, found_at }),
    )
    .execute();
}

/** All gaps in what was scanned, the oldest first. */
export async function chainGaps(db: Db): Promise<ChainGapRow[]> {
  return db.selectFrom('chain_gaps').selectAll().orderBy('after_height').execute();
}

/** Forgets the gaps above a height: the scan goes back there and reads their blocks. */
export async function forgetGapsAbove(tx: Tx, chain: ChainId, height: number): Promise<void> {
  await tx
    .deleteFrom('chain_gaps')
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('before_height', '>', height)
    .execute();
}
