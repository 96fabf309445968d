import type { BroadcastResult, ChainAdapter, Fund, StoredTransaction } from '../../../domain/chain.ts';
import { distinctAncestors } from '../../../domain/send/package-fee.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { findVersionByTxid } from '../../../store/sends/send-versions.ts';
import { isWithheld } from '../../../store/sends/wallet-freezes.ts';
import { loadAncestry } from './ancestry.ts';
import { broadcastOnce } from './broadcast-once.ts';
import { toStoredTransaction } from './stored-plan.ts';

/**
 * Broadcasts a transaction. When it is rejected and spends unconfirmed change, broadcasts its unconfirmed
 * ancestors, oldest first, and then retries it, because a node that lost its mempool knows none of them.
 * Waits for the network.
 */
export async function broadcastWithAncestors(
  db: Db,
  adapter: ChainAdapter,
  transaction: StoredTransaction,
  inputs: readonly Fund[],
): Promise<BroadcastResult> {
  const first = await broadcastOnce(adapter, transaction);
  if (first.kind === 'accepted') return first;
  const ancestors = distinctAncestors(inputs, await loadAncestry(db, adapter, inputs));
  if (ancestors.length === 0) return first;
  for (const { txid } of ancestors.toReversed()) {
    const version = await findVersionByTxid(db, adapter, txid);
    if (version === undefined || (await isWithheld(db, version.sendId))) continue;
    await broadcastOnce(adapter, toStoredTransaction(version));
  }
  const second = await broadcastOnce(adapter, transaction);
  // After an unclear answer a later rejection proves nothing.
  return first.kind === 'unknown' && second.kind === 'rejected'
    ? { kind: 'unknown', reason: second.reason }
    : second;
}
