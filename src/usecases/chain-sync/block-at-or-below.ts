import type { ChainAdapter, ChainBlockHeader } from '../../domain/chain.ts';

/** Upper bound on consecutive empty slots below a height. */
const SEARCHED_HEIGHTS = 256;

/** The block of the node's best chain at a height, or the next one below it. */
export async function blockAtOrBelow(
  adapter: Pick<ChainAdapter, 'hashAt'>,
  height: number,
): Promise<ChainBlockHeader> {
  for (let at = height; at >= Math.max(0, height - SEARCHED_HEIGHTS); at -= 1) {
    const hash = await adapter.hashAt(at);
    // Nothing below it is recorded, and its time is unused because that of the next block counts.
    if (hash !== null) return { height: at, hash, parentHash: '', timeMs: 0 };
  }
  throw new Error(`the node has no block at height ${height}`);
}
