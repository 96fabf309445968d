import { type BlockRef, ChainError } from '../../../domain/chain.ts';
import type { NodeClient } from '../rpc/node-client.ts';

/** The newest final block. Null where the node does not tell it now: then nothing is proven. */
export async function finalBlock(client: NodeClient): Promise<BlockRef | null> {
  try {
    return (await client.finalBlocks(['finalized'])).get('finalized') ?? null;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return null;
  }
}
