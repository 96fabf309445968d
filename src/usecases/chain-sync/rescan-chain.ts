import { ChainError, type BlockRef, type ChainAdapter, type ChainBlockHeader } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { findCursor, resetCursor } from '../../store/chain/chain-cursors.ts';
import { blockAtOrBelow } from './block-at-or-below.ts';
import type { ObserveDeps } from './observe-deps.ts';
import { rewindAbove } from './reorg.ts';

/** Where a rescan starts: above a height, or above the last block before a time. */
export type RescanStart = { readonly height: number } | { readonly timeMs: number };

/** Block times may run two hours ahead of the truth (Bitcoin consensus), so start that much earlier. */
const CLOCK_MARGIN_MS = 2 * 3_600_000;

/**
 * Rewinds the cursor and, in the same transaction, unconfirms everything that the blocks above it confirmed; the daemon
 * rereads them at its next start. Idempotent: their money is credited once. The node's chain decides, even if it shares
 * no block with the recorded one. No daemon may run on the database meanwhile.
 * @returns the cursor before and after
 * @throws {ChainError} before any change, when the node lacks a block that would have to be read.
 */
export async function rescanChain(
  deps: ObserveDeps,
  adapter: ChainAdapter,
  start: RescanStart,
): Promise<{ readonly before: BlockRef; readonly now: BlockRef }> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  const { pruneHeight } = await adapter.status();
  const currentCursor = await findCursor(deps.db, chain);
  const to = 'height' in start ? await blockAtOrBelow(adapter, start.height) : await dated(adapter, start);
  if (to.height + 1 < pruneHeight) {
    throw new ChainError(
      'pruned',
      `the node has no blocks ${to.height + 1} to ${pruneHeight - 1}: ${pruneHint(currentCursor?.height ?? 0, pruneHeight)}, or use a node that has them`,
    );
  }
  if (adapter.sparse === undefined) await adapter.blockAt(to.height + 1);
  const before = await deps.db.transaction(async (tx) => {
    const cursor = await findCursor(tx, chain);
    if (cursor === undefined)
      throw new Error(
        'the chain was never read: the daemon starts at its oldest payment. To start later, use --skip-to',
      );
    if (cursor.height <= to.height)
      throw new Error(
        `the chain is read up to ${cursor.height} only: no blocks to reread. To continue later, use --skip-to`,
      );
    await resetCursor(tx, chain, to, deps.clock.now());
    await rewindAbove(tx, deps, chain, to.height);
    return cursor;
  });
  deps.logger.info(
    { ...chain, from: before, to },
    'chain cursor rewound; the daemon rescans from there at its next start',
  );
  return { before, now: { height: to.height, hash: to.hash } };
}

async function dated(adapter: ChainAdapter, { timeMs }: { timeMs: number }): Promise<ChainBlockHeader> {
  return adapter.blockBefore(timeMs - CLOCK_MARGIN_MS);
}

/** Advice for a node that lacks blocks. */
function pruneHint(read: number, pruneHeight: number): string {
  return read < pruneHeight
    ? `continue with --skip-to ${pruneHeight}`
    : `use --from ${pruneHeight - 1} or later`;
}
