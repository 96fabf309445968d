import type { BlockRef, ChainAdapter } from '../../domain/chain.ts';

/**
 * The block up to which holds what a node just said of transactions; null when that is not known. Asked after them.
 * Where blocks become final they come too fast to be at the tip: there it is enough to be past the final one, on the
 * node's chain.
 */
export async function provenHash(
  adapter: Pick<ChainAdapter, 'tip' | 'sparse' | 'hashAt'>,
  cursor: BlockRef | undefined,
): Promise<string | null> {
  if (adapter.sparse === undefined) return (await adapter.tip()).hash;
  if (cursor === undefined || cursor.height < (await adapter.sparse.finalizedHeight())) return null;
  return adapter.hashAt(cursor.height);
}
