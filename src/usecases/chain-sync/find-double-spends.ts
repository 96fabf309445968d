import { outputKey, type Credit, type Debit, type OutputRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { findWatched } from '../../store/ledger/addresses.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { outputsOfTransactions, unconfirmedOutputs, type StoredOutput } from '../../store/ledger/outputs.ts';
import { spentByUnconfirmed } from '../../store/ledger/unconfirmed-inputs.ts';

/** Longest chain of unconfirmed transactions; mempools allow fewer. */
const MAX_GENERATIONS = 64;

/**
 * Finds unconfirmed money made impossible by a block (or by the mempool's own rules) that holds a conflicting
 * transaction: one that spends the same outputs (double spend or payer's fee bump), or those of a parent.
 */
export async function findDoubleSpent(
  tx: Tx,
  chain: ChainId,
  spends: readonly Debit[],
): Promise<StoredOutput[]> {
  return listUnconfirmedOutputs(tx, chain, await conflictedTransactions(tx, chain, spends));
}

/** The unconfirmed outputs of transactions. */
export async function listUnconfirmedOutputs(
  tx: Tx,
  chain: ChainId,
  txids: ReadonlySet<string>,
): Promise<StoredOutput[]> {
  const outputs = await outputsOfTransactions(tx, chain, [...txids]);
  return outputs.filter((output) => output.state === 'unconfirmed');
}

/** Watched transactions that one of these spends makes impossible, and their descendants. */
export async function conflictedTransactions(
  tx: Tx,
  chain: ChainId,
  spends: readonly Debit[],
): Promise<ReadonlySet<string>> {
  const minedBy = new Map(spends.map(({ ref, byTxid }) => [outputKey(ref), byTxid]));
  const txids = [...new Set(spends.map(({ ref }) => ref.txid))];
  const undone = new Set<string>();
  for (const { ref, byTxid } of await spentByUnconfirmed(tx, chain, txids)) {
    const mined = minedBy.get(outputKey(ref));
    if (mined !== undefined && mined !== byTxid) undone.add(byTxid);
  }
  await addDescendants(tx, chain, undone);
  return undone;
}

/** An output of a transaction that can never confirm makes every spender impossible, too. */
async function addDescendants(tx: Tx, chain: ChainId, undone: Set<string>): Promise<void> {
  let latest = [...undone];
  for (let generation = 0; latest.length > 0 && generation < MAX_GENERATIONS; generation += 1) {
    const children = await spentByUnconfirmed(tx, chain, latest);
    latest = [...new Set(children.map(({ byTxid }) => byTxid))].filter((txid) => !undone.has(txid));
    for (const txid of latest) undone.add(txid);
  }
}

/**
 * Finds money that exists in its block only (a coinbase, a peg-out), lost that block, and is in this one under another
 * transaction id: same amount, same address. The two never both count.
 */
export async function findMinedAgain(
  tx: Tx,
  chain: ChainId,
  credits: readonly Credit[],
): Promise<StoredOutput[]> {
  const mined = credits.filter(({ maturity }) => maturity > 1);
  if (mined.length === 0) return [];
  const open = (await unconfirmedOutputs(tx, chain)).filter(({ maturity }) => maturity > 1);
  if (open.length === 0) return [];
  const keys = [...new Set(mined.map(({ watchKey }) => watchKey))];
  const addressIds = new Map((await findWatched(tx, chain, keys)).map((row) => [row.watchKey, row.id]));
  const outputs = new Set<StoredOutput>();
  for (const { ref, watchKey, amount, maturity } of mined) {
    const former = open.find(
      (output) =>
        !outputs.has(output) &&
        output.addressId === addressIds.get(watchKey) &&
        output.amount === amount.toString() &&
        output.maturity === maturity &&
        output.txid !== ref.txid,
    );
    if (former !== undefined) outputs.add(former);
  }
  return [...outputs];
}

/** Money of an orphaned block that another block shows under another id. */
export async function findReplaced(
  tx: Tx,
  chain: ChainId,
  refs: readonly OutputRef[],
): Promise<StoredOutput[]> {
  return outputsIn(tx, chain, refs, 'unconfirmed');
}

/** Money in blocks that a later block proves never to have existed. */
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
