import type { BlockRef, ChainAdapter } from '../../../domain/chain.ts';

/**
 * The block for which the node's last answer on transactions holds; null when unknown. Must be asked after them. On
 * chains with finality, blocks come too fast to compare with the tip: there the cursor must be past the final block, on
 * the node's chain.
 */
export async function provenBlockHash(
  adapter: Pick<ChainAdapter, 'tip' | 'sparse' | 'hashAt'>,
  cursor: BlockRef | undefined,
): Promise<string | null> {
  if (adapter.sparse === undefined) return (await adapter.tip()).hash;
  if (cursor === undefined || cursor.height < (await adapter.sparse.finalizedHeight())) return null;
  return adapter.hashAt(cursor.height);
}
