import type { ChainId } from '../../domain/coins.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { readMeta, writeMeta } from '../meta.ts';
import type { ChainGapRow } from '../schema/chain.ts';

const lastSkipKey = ({ coin, mode }: ChainId): string => `last_skip.${coin}.${mode}`;

/** Records that the scan skipped blocks that were not read: money received in them is not in the ledger. */
export async function recordSkippedBlocks(tx: Tx, gap: ChainGapRow): Promise<void> {
  const { beforeHeight, foundAt, reason } = gap;
  await tx
    .insertInto('chain_gaps')
    .values(gap)
    .onConflict((conflict) =>
      conflict.columns(['coin', 'mode', 'afterHeight']).doUpdateSet({ beforeHeight, foundAt, reason }),
    )
    .execute();
  if (reason === 'skipped') await writeMeta(tx, lastSkipKey(gap), String(foundAt));
}

/**
 * When blocks of a chain were last skipped, ms, even if their money was compared since: the sends in them
 * stay unknown.
 */
export async function lastSkipAt(db: Db, chain: ChainId): Promise<number | null> {
  const value = await readMeta(db, lastSkipKey(chain));
  return value === null ? null : Number(value);
}

/** All gaps in the scanned blocks whose money was not compared with the ledger since, lowest first. */
export async function allSkippedBlocks(db: Db): Promise<ChainGapRow[]> {
  return db.selectFrom('chain_gaps').selectAll().orderBy('afterHeight').execute();
}

/** The gaps of one chain. */
export async function listSkippedBlocks(db: Db, { coin, mode }: ChainId): Promise<ChainGapRow[]> {
  return (await allSkippedBlocks(db)).filter((gap) => gap.coin === coin && gap.mode === mode);
}

/** Closes gaps whose money is now in the ledger. A gap that has grown in the meantime stays. */
export async function deleteSkippedBlocks(tx: Tx, gaps: readonly ChainGapRow[]): Promise<void> {
  for (const { coin, mode, afterHeight, beforeHeight } of gaps) {
    await tx
      .deleteFrom('chain_gaps')
      .where('coin', '=', coin)
      .where('mode', '=', mode)
      .where('afterHeight', '=', afterHeight)
      .where('beforeHeight', '=', beforeHeight)
      .execute();
  }
}

/** The scan goes back to a height and reads the blocks above it, which ends gaps there. */
export async function truncateSkippedBlocks(tx: Tx, { coin, mode }: ChainId, height: number): Promise<void> {
  await tx
    .deleteFrom('chain_gaps')
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('afterHeight', '>=', height)
    .execute();
  await tx
    .updateTable('chain_gaps')
    .set({ beforeHeight: height + 1 })
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .where('beforeHeight', '>', height + 1)
    .execute();
}
