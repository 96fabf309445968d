import { ChainError, type BlockRef, type ChainAdapter } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { findCursor, resetCursor } from '../../store/chain/chain-cursors.ts';
import { recordSkippedBlocks } from '../../store/chain/skipped-blocks.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { blockAtOrBelow } from './block-at-or-below.ts';

export interface SkipBlocksDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Advances the cursor over blocks that the node no longer has; the daemon continues from there. The gap is recorded in
 * the same transaction, for /readyz and for `reconcileSkippedBlocks`. No daemon may run on the database meanwhile.
 * @throws {ChainError} before any change, when the node lacks the next block as well.
 */
export async function skipBlocks(
  deps: SkipBlocksDeps,
  adapter: ChainAdapter,
  height: number,
): Promise<{ readonly gap: { readonly from: number; readonly to: number }; readonly now: BlockRef }> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  const { pruneHeight } = await adapter.status();
  if (height + 1 < pruneHeight) {
    throw new ChainError('pruned', `the node has no blocks below ${pruneHeight}: skip to ${pruneHeight}`);
  }
  const to = await blockAtOrBelow(adapter, height);
  const gap = await deps.db.transaction(async (tx) => {
    const cursor = await findCursor(tx, chain);
    if (cursor !== undefined && cursor.height >= to.height)
      throw new Error(`the chain is read up to ${cursor.height}: no blocks to skip up to ${to.height}`);
    const after = cursor?.height ?? -1;
    const now = deps.clock.now();
    await resetCursor(tx, chain, to, now);
    await recordSkippedBlocks(tx, {
      ...chain,
      afterHeight: after,
      beforeHeight: to.height + 1,
      foundAt: now,
      reason: 'skipped',
    });
    return { from: after + 1, to: to.height };
  });
  deps.logger.warn(
    { ...chain, ...gap },
    'blocks skipped; payments inside them are unknown until the gap is reconciled',
  );
  return { gap, now: { height: to.height, hash: to.hash } };
}
