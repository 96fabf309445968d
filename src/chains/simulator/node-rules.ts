import { randomBytes } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import type { BroadcastResult, ChainBlockHeader, OutputRef } from '../../domain/chain.ts';
import type { Coin } from '../../domain/coins.ts';
import type { SimulatedTransaction, SimulatorLedger } from '../../domain/simulator.ts';
import { COIN_FORMATS } from './formats.ts';

/** Most transactions per block. */
const MAX_BLOCK_TRANSACTIONS = 2_000;
/** Block headers kept; older ones are deleted, as on a pruned node. At 2 s a block: 5 hours of traffic. */
const KEPT_BLOCKS = 10_000;
const PRUNE_EVERY_BLOCKS = 100;
/** Marks the inputs of faucet transactions. A transaction id never has this form. */
const FAUCET_PREFIX = 'faucet:';

/** Input of a faucet transaction. Each order has its own input, so a repeated order cannot pay twice. */
export function faucetInput(order: string | null = null): OutputRef {
  const mark = order === null ? randomBytes(16) : sha256(utf8ToBytes(order)).subarray(0, 16);
  return { txid: FAUCET_PREFIX + hex.encode(mark), index: 0 };
}

function isFaucet(ref: OutputRef): boolean {
  return ref.txid.startsWith(FAUCET_PREFIX);
}

/** The best block, after making block 0 if the chain is new. */
export async function requireTip(
  ledger: SimulatorLedger,
  coin: Coin,
  nowMs: number,
): Promise<ChainBlockHeader> {
  const tip = await ledger.tip();
  if (tip !== null) return tip;
  const genesis = {
    height: 0,
    hash: newBlockHash(coin, 'genesis', 0, []),
    parentHash: COIN_FORMATS[coin].blockHash(utf8ToBytes(`${coin} before the beginning`)),
    timeMs: nowMs,
  };
  await ledger.addBlock(genesis);
  return genesis;
}

/** Mines one block on the tip, with the mempool in it unless it is to stay empty. */
export async function mineBlock(
  ledger: SimulatorLedger,
  coin: Coin,
  nowMs: number,
  options: { readonly empty: boolean } = { empty: false },
): Promise<ChainBlockHeader> {
  const parent = await requireTip(ledger, coin, nowMs);
  const mined = options.empty ? [] : (await ledger.mempool()).slice(0, MAX_BLOCK_TRANSACTIONS);
  const txids = mined.map((transaction) => transaction.txid);
  const height = parent.height + 1;
  const block = {
    height,
    hash: newBlockHash(coin, parent.hash, height, txids),
    parentHash: parent.hash,
    timeMs: Math.max(parent.timeMs, nowMs),
  };
  await ledger.addBlock(block);
  await ledger.setState(txids, 'mined', height);
  if (height % PRUNE_EVERY_BLOCKS === 0) await ledger.pruneBlocksBelow(height - KEPT_BLOCKS);
  return block;
}

/** Block hashes are unique, even for empty blocks of the same height and parent. */
function newBlockHash(coin: Coin, parentHash: string, height: number, txids: readonly string[]): string {
  const nonce = randomBytes(16).toString('hex');
  return COIN_FORMATS[coin].blockHash(utf8ToBytes(JSON.stringify([coin, parentHash, height, txids, nonce])));
}

type Candidate = Omit<SimulatedTransaction, 'state' | 'height'>;

/**
 * Accepts a transaction into the mempool as a node would: a repeat succeeds, spent inputs are rejected, a
 * higher fee replaces an unconfirmed conflict with its descendants (RBF).
 */
export async function acceptToMempool(
  ledger: SimulatorLedger,
  candidate: Candidate,
): Promise<BroadcastResult> {
  const known = await ledger.transaction(candidate.txid);
  if (known !== null && known.state !== 'dropped') return { kind: 'accepted' };
  const missing = await missingInputs(ledger, candidate.inputs);
  if (missing !== null) return missing;
  const rivals = await activeRivals(ledger, candidate);
  if (rivals.some((rival) => rival.state === 'mined')) {
    return { kind: 'rejected', reason: 'its inputs are already spent in a block' };
  }
  const evicted = await withDescendants(ledger, rivals);
  const rivalFees = evicted.reduce((sum, rival) => sum + rival.fee, 0n);
  if (evicted.length > 0 && candidate.fee <= rivalFees) {
    return { kind: 'rejected', reason: 'a transaction that spends the same inputs pays as much or more' };
  }
  await ledger.setState(listTxids(evicted), 'dropped', null);
  if (known === null) await ledger.addTransaction({ ...candidate, state: 'mempool', height: null });
  else await ledger.setState([known.txid], 'mempool', null);
  return { kind: 'accepted' };
}

/** Removes unconfirmed transactions and everything that spends their outputs. */
export async function evict(
  ledger: SimulatorLedger,
  victims: readonly SimulatedTransaction[],
): Promise<void> {
  await ledger.setState(listTxids(await withDescendants(ledger, victims)), 'dropped', null);
}

/** Transactions in the mempool or the chain that spend any of the same inputs. */
export async function activeRivals(
  ledger: SimulatorLedger,
  candidate: Pick<SimulatedTransaction, 'txid' | 'inputs'>,
): Promise<readonly SimulatedTransaction[]> {
  const spends = await ledger.listSpends(candidate.inputs);
  const txids = spends
    .filter((spend) => spend.state !== 'dropped' && spend.byTxid !== candidate.txid)
    .map((spend) => spend.byTxid);
  return ledger.transactions([...new Set(txids)]);
}

/** The minimum fee that replaces an unconfirmed transaction with its descendants. */
export async function feeToReplace(ledger: SimulatorLedger, victim: SimulatedTransaction): Promise<bigint> {
  const evicted = await withDescendants(ledger, [victim]);
  return evicted.reduce((sum, transaction) => sum + transaction.fee, 1n);
}

async function missingInputs(
  ledger: SimulatorLedger,
  inputs: readonly OutputRef[],
): Promise<BroadcastResult | null> {
  const wanted = inputs.filter((ref) => !isFaucet(ref));
  const parents = await ledger.transactions([...new Set(wanted.map((ref) => ref.txid))]);
  const byTxid = new Map(parents.map((parent) => [parent.txid, parent]));
  for (const ref of wanted) {
    const parent = byTxid.get(ref.txid);
    if (parent?.outputs[ref.index] === undefined) {
      return { kind: 'rejected', reason: `its input ${ref.txid}:${ref.index} does not exist` };
    }
    if (parent.state === 'dropped') {
      const name = `its input ${ref.txid}:${ref.index}`;
      return (await isDisplaced(ledger, parent))
        ? { kind: 'rejected', reason: `${name} was displaced by another transaction in a block` }
        : { kind: 'unknown', reason: `${name} is not on the network now` };
    }
  }
  return null;
}

/** Whether a block conflicts with a transaction or one of its ancestors. */
async function isDisplaced(ledger: SimulatorLedger, transaction: SimulatedTransaction): Promise<boolean> {
  const rivals = await activeRivals(ledger, transaction);
  if (rivals.some(({ state }) => state === 'mined')) return true;
  const parents = await ledger.transactions([...new Set(transaction.inputs.map(({ txid }) => txid))]);
  for (const parent of parents) {
    if (parent.state === 'dropped' && (await isDisplaced(ledger, parent))) return true;
  }
  return false;
}

async function withDescendants(
  ledger: SimulatorLedger,
  roots: readonly SimulatedTransaction[],
): Promise<readonly SimulatedTransaction[]> {
  const found = new Map(roots.map((root) => [root.txid, root]));
  let generation = roots;
  while (generation.length > 0) {
    const outputs = generation.flatMap(({ txid, outputs }) =>
      outputs.map((_output, index) => ({ txid, index })),
    );
    const spends = await ledger.listSpends(outputs);
    const fresh = spends.filter((spend) => spend.state !== 'dropped' && !found.has(spend.byTxid));
    generation = await ledger.transactions([...new Set(fresh.map((spend) => spend.byTxid))]);
    for (const child of generation) found.set(child.txid, child);
  }
  return [...found.values()];
}

function listTxids(transactions: readonly SimulatedTransaction[]): string[] {
  return transactions.map((transaction) => transaction.txid);
}
