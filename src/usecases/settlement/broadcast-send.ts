import type { BroadcastResult, ChainAdapter, Fund, StoredTransaction } from '../../domain/chain.ts';
import { ancestorsOf } from '../../domain/send/package-fee.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findVersionByTxid } from '../../store/sends/sends.ts';
import { ancestryOf } from './ancestry.ts';
import { broadcast } from './broadcast.ts';
import { transactionOf } from './stored-plan.ts';

/**
 * Offers a transaction to the node. When it is not taken and spends unconfirmed change, the transactions that this
 * comes from are offered first, oldest first, and then it is offered once more: a node that lost its mempool knows
 * none of them. Waits for the network.
 */
export async function broadcastSend(
  db: Db,
  adapter: ChainAdapter,
  transaction: StoredTransaction,
  inputs: readonly Fund[],
): Promise<BroadcastResult> {
  const first = await broadcast(adapter, transaction);
  if (first.kind === 'accepted') return first;
  const ancestors = ancestorsOf(inputs, await ancestryOf(db, adapter, inputs));
  if (ancestors.length === 0) return first;
  for (const { txid } of ancestors.toReversed()) {
    const version = await findVersionByTxid(db, adapter, txid);
    if (version !== undefined) await broadcast(adapter, transactionOf(version));
  }
  const second = await broadcast(adapter, transaction);
  // Once an answer was unclear, a later refusal proves nothing any more.
  return first.kind === 'unknown' && second.kind === 'rejected'
    ? { kind: 'unknown', reason: second.reason }
    : second;
}
