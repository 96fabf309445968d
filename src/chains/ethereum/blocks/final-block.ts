import { type BlockRef, ChainError } from '../../../domain/chain.ts';
import type { NodeClient } from '../rpc/node-client.ts';

/**
 * The newest final block; null where the node does not report it now, in which case nothing counts as proven.
 */
export async function finalBlock(client: NodeClient): Promise<BlockRef | null> {
  try {
    return (await client.finalBlocks(['finalized'])).get('finalized') ?? null;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return null;
  }
}
