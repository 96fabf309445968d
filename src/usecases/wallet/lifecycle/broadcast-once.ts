import type { BroadcastResult, ChainAdapter, StoredTransaction } from '../../../domain/chain.ts';

/** Broadcasts signed bytes. Any unexpected error counts as an unclear answer. */
export async function broadcastOnce(
  adapter: ChainAdapter,
  transaction: StoredTransaction,
): Promise<BroadcastResult> {
  try {
    return await adapter.broadcast(transaction);
  } catch (error) {
    return { kind: 'unknown', reason: error instanceof Error ? error.message : 'unexpected failure' };
  }
}
