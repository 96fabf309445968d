import { ChainError, type BlockRef, type ChainAdapter } from '../../domain/chain.ts';
import { rememberedBlocks, REMEMBERED_BLOCKS } from '../../store/chain/chain-cursors.ts';
import type { Db } from '../../store/sqlite/database.ts';

export type Fork =
  /** The node's chain ends below the cursor without contradicting it: it is restarting or resyncing. */
  | { readonly kind: 'behind'; readonly tip: BlockRef }
  /**
   * The node's chain continues above the cursor, but the node has neither the cursor's block nor another at
   * its height: a lagging backend, or a hole in its history. `shared` is the newest recorded block that it
   * has.
   */
  | { readonly kind: 'unshown'; readonly tip: BlockRef; readonly shared: BlockRef | null }
  /** Another block is at the height of a recorded one. `at` is the last block that both chains share. */
  | { readonly kind: 'fork'; readonly at: BlockRef };

const BATCH = 50;

/**
 * Finds the block where the node's best chain forks from the recorded blocks. Only another block at the
 * height of a recorded one proves a fork, because a missing block may be absent from the node's history, or
 * from one of its backends.
 * @throws {ChainError} `bad_answer` if they share none of the remembered blocks: that is not a reorg but
 * another chain, or a reorg far deeper than proof of work makes credible.
 */
export async function findForkPoint(
  db: Db,
  adapter: Pick<ChainAdapter, 'coin' | 'mode' | 'hashAt' | 'tip'>,
  cursor: BlockRef,
): Promise<Fork> {
  const chain = { coin: adapter.coin, mode: adapter.mode };
  const tip = await adapter.tip();
  let below = Math.min(cursor.height, tip.height);
  let isForked = false;
  let hasCompared = false;
  for (let compared = 0; compared < REMEMBERED_BLOCKS; compared += BATCH) {
    const blocks = await rememberedBlocks(db, chain, below, BATCH);
    for (const block of blocks) {
      const hash = await adapter.hashAt(block.height);
      if (hash === block.hash)
        return isForked ? { kind: 'fork', at: block } : uncontradicted(cursor, tip, block);
      isForked ||= hash !== null;
      hasCompared = true;
    }
    const last = blocks.at(-1);
    if (last === undefined) break;
    below = last.height - 1;
  }
  if (hasCompared && !isForked) return uncontradicted(cursor, tip, null);
  throw new ChainError(
    'bad_answer',
    `the node shares none of the last ${REMEMBERED_BLOCKS} scanned blocks below height ${cursor.height}: it serves another chain or was reset. If its chain is correct, stop tilld and run tillctl rescan`,
  );
}

function uncontradicted(cursor: BlockRef, tip: BlockRef, shared: BlockRef | null): Fork {
  return tip.height < cursor.height ? { kind: 'behind', tip } : { kind: 'unshown', tip, shared };
}
