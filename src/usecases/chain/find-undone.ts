import { outputKey, type Debit, type OutputRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Tx } from '../../store/database.ts';
import { outputsOfTransactions, type StoredOutput } from '../../store/outputs.ts';
import { spentByUnconfirmed } from '../../store/unconfirmed-inputs.ts';

/**
 * Unconfirmed money that a block has made impossible: it holds another transaction spending the
 * same coins (a double spend or a payer's fee bump).
 */
export async function findUndone(tx: Tx, chain: ChainId, spends: readonly Debit[]): Promise<StoredOutput[]> {
  const minedBy = new Map(spends.map(({ ref, byTxid }) => [outputKey(ref), byTxid]));
  const txids = [...new Set(spends.map(({ ref }) => ref.txid))];
  const undone = new Set<string>();
  for (const { ref, byTxid } of await spentByUnconfirmed(tx, chain, txids)) {
    const mined = minedBy.get(outputKey(ref));
    if (mined !== undefined && mined !== byTxid) undone.add(byTxid);
  }
  const outputs = await outputsOfTransactions(tx, chain, [...undone]);
  return outputs.filter((output) => output.state === 'unconfirmed');
}

/** Money of a block that left the chain which another block shows under another name. */
export async function findReplaced(
  tx: Tx,
  chain: ChainId,
  refs: readonly OutputRef[],
): Promise<StoredOutput[]> {
  return outputsIn(tx, chain, refs, 'unconfirmed');
}

/** Money in blocks that a later block proves never to have been there. */
export async function findDisproved(
  tx: Tx,
  chain: ChainId,
  refs: readonly OutputRef[],
): Promise<StoredOutput[]> {
  return outputsIn(tx, chain, refs, 'confirmed');
}

async function outputsIn(
  tx: Tx,
  chain: ChainId,
  refs: readonly OutputRef[],
  state: StoredOutput['state'],
): Promise<StoredOutput[]> {
  const keys = new Set(refs.map(outputKey));
  const outputs = await outputsOfTransactions(tx, chain, [...new Set(refs.map(({ txid }) => txid))]);
  return outputs.filter(
    (output) => output.state === state && keys.has(outputKey({ txid: output.txid, index: output.vout })),
  );
}
