import type { ChainIndex, StoredTransaction } from '../../../domain/chain.ts';
import type { UnprovenReason, HistoryGap } from '../blocks/history-gap.ts';
import type { WireFacts } from './message.ts';
import type { BlockHeader, NodeClient } from '../rpc/node-client.ts';

/** Blocks for which a block hash is valid after its own block, by protocol. */
const LIFETIME_BLOCKS = 150;
/**
 * Slots searched for these blocks. Even with two of three leaders missing, they fit into a tenth of the first
 * window; the second covers a halted cluster and is used only where the first is insufficient.
 */
const WINDOW_SLOTS = [5_000, 100_000];

export interface ExpiryProver {
  readonly client: NodeClient;
  readonly index: Pick<ChainIndex, 'watched' | 'holdings' | 'unsettled'>;
  /** The highest slot seen in any answer so far: an answer below it comes from a lagging node. */
  readonly seenSlot: () => number;
  readonly lostHistory: HistoryGap;
}

export type ReadTransaction = StoredTransaction & { readonly wire: WireFacts };

/**
 * Proves that a transaction can never be executed: every block that could contain it is final and in the
 * node's history; no chain that can still win accepts its block hash; the history, which is read last, does
 * not contain it; and the accounts it spends from still hold their money. A node that lags, or lacks some of
 * these blocks, proves nothing.
 */
export async function proveBlockhashExpiry(
  prover: ExpiryProver,
  transaction: ReadTransaction,
): Promise<'expired' | 'open' | UnprovenReason> {
  const { client, seenSlot, lostHistory } = prover;
  const { txid, wire, lifetime } = transaction;
  if (wire.isDurable) return 'open';
  // At the finalized level alone, a hash that is too new is also invalid.
  if (await client.isBlockhashValid(wire.blockhash, 'confirmed', seenSlot())) return 'open';
  if (await client.isBlockhashValid(wire.blockhash, 'finalized', 0)) return 'open';
  const final = await client.finalizedBlock();
  if (lifetime !== undefined && final.height <= lifetime.lastValidHeight) return 'open';
  const found = await searchHistory(prover, transaction, final.slot);
  if (found === 'landed') {
    lostHistory.settled(txid);
    return 'open';
  }
  if (lifetime === undefined) return (await hasOtherBalance(prover, txid)) ? 'open' : 'expired';
  if (found !== 'absent') return found;
  const moved = await movedFrom(prover, wire.signers);
  if (moved !== null) return moved;
  lostHistory.settled(txid);
  return 'expired';
}

/** Queries one node for the transaction and for all blocks in which it could have been executed. */
async function searchHistory(
  { client, seenSlot }: ExpiryProver,
  { txid, lifetime }: ReadTransaction,
  finalSlot: number,
): Promise<'landed' | 'absent' | UnprovenReason> {
  const from = lifetime?.slot ?? finalSlot;
  const minContextSlot = Math.max(finalSlot, seenSlot());
  const blockAt = async (at: number): Promise<BlockHeader | null> => client.block(at, 'none');
  for (const window of WINDOW_SLOTS) {
    const last = Math.min(finalSlot, from + window);
    const { first, blocks, status } = await client.history(txid, { first: from, last, minContextSlot });
    if (status !== null) return 'landed';
    if (lifetime?.slot === undefined) return { kind: 'undated' };
    if (first > lifetime.slot) return { kind: 'begins_late', slot: lifetime.slot, first };
    if (await hasWindow(blocks, lifetime.lastValidHeight, blockAt)) return 'absent';
    if (last === finalSlot) break;
  }
  return { kind: 'gap', slot: from };
}

/**
 * Whether the listed slots contain every block in which a transaction with this last valid height could be
 * executed. Skipped slots have no block, so only heights show completeness: the first listed block must be at
 * or below the first possible height, and the number of blocks up to the last one must equal the difference
 * of their heights.
 * @param slots of finalized blocks, from the slot of its block hash on
 */
export async function hasWindow(
  slots: readonly number[],
  lastValidHeight: number,
  blockAt: (slot: number) => Promise<Pick<BlockHeader, 'height'> | null>,
): Promise<boolean> {
  const listed = [...new Set(slots)].toSorted((a, b) => a - b);
  const [begin] = listed;
  const first = begin === undefined ? null : ((await blockAt(begin))?.height ?? null);
  if (first === null || first > lastValidHeight - LIFETIME_BLOCKS + 1) return false;
  const end = listed[lastValidHeight - first];
  return end !== undefined && (await blockAt(end))?.height === lastValidHeight;
}

/**
 * An account of ours that holds less than the ledger says. No other send spends from it at the same time, so
 * this send took the money, whatever the history shows; incoming money only increases the balance.
 */
async function movedFrom(
  { client, index, seenSlot }: ExpiryProver,
  signers: readonly string[],
): Promise<Extract<UnprovenReason, { kind: 'moved' }> | null> {
  const own = [...(await index.watched(signers))];
  if (own.length === 0) return null;
  const holdings = await index.holdings(own);
  const { lamports } = await client.balances(own, seenSlot());
  for (const account of own) {
    const ledger = (holdings.get(account) ?? []).reduce((sum, { amount }) => sum + amount, 0n);
    const holds = lamports.get(account) ?? 0n;
    if (holds < ledger) return { kind: 'moved', account, holds, ledger };
  }
  return null;
}

/** Whether an account paid by a payer's transaction has another balance than the blocks in the ledger give. */
async function hasOtherBalance({ client, index, seenSlot }: ExpiryProver, txid: string): Promise<boolean> {
  const paid = (await index.unsettled()).filter(({ ref }) => ref.txid === txid);
  const accounts = [...new Set(paid.map(({ watchKey }) => watchKey))];
  if (accounts.length === 0) return false;
  const holdings = await index.holdings(accounts);
  const { lamports } = await client.balances(accounts, seenSlot());
  return accounts.some((account) => {
    const ledger = (holdings.get(account) ?? []).reduce((sum, { amount }) => sum + amount, 0n);
    return (lamports.get(account) ?? 0n) !== ledger;
  });
}
