import type { BroadcastResult, StoredTransaction, TransactionFate } from '../../../domain/chain.ts';
import type { Logger } from '../../../domain/ports.ts';
import { createRecheck } from '../../shared/recheck.ts';
import { proveBlockhashExpiry, type ExpiryProver, type ReadTransaction } from './blockhash-expiry.ts';
import { readWire } from './message.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { RpcRefusal } from '../../shared/json-rpc.ts';

export interface Submitter {
  broadcast(transaction: StoredTransaction): Promise<BroadcastResult>;
  /**
   * Rechecks the caller's bounded list. In an outage the remaining ones stay unknown instead of waiting for
   * each.
   */
  recheck(transactions: readonly StoredTransaction[]): Promise<ReadonlyMap<string, TransactionFate>>;
}

interface SubmitterOptions extends Omit<ExpiryProver, 'client'> {
  readonly logger: Logger;
}

/**
 * Errors that prove that the node did not broadcast: those of JSON-RPC itself, and sendTransaction's own for
 * bytes that fail its checks (agave rpc-client-api custom_error.rs). Any other may come from a gateway after
 * the node behind it accepted the bytes.
 */
const NOT_TAKEN: ReadonlySet<number> = new Set([
  -32700, -32600, -32601, -32602, -32002, -32003, -32006, -32013,
]);

/** Failed checks that prove nothing: another node may know it, or this one may not know its block hash yet. */
const SAYS_LITTLE = /blockhash not found|already been processed/i;

/** Broadcasts signed bytes and determines their fate. */
export function createSubmitter(client: NodeClient, options: SubmitterOptions): Submitter {
  const { logger, ...rest } = options;
  const prover = { client, ...rest };
  const recheck = createRecheck(logger);
  return {
    broadcast: async (transaction) => {
      try {
        return await broadcast(prover, transaction);
      } catch (error) {
        return { kind: 'unknown', reason: error instanceof Error ? error.message : 'unexpected failure' };
      }
    },
    recheck: async (transactions) =>
      recheck(transactions, async (each) => getTransactionStatus(prover, each)),
  };
}

async function broadcast(prover: ExpiryProver, transaction: StoredTransaction): Promise<BroadcastResult> {
  const { txid, raw } = transaction;
  const wire = raw === null ? null : readWire(raw);
  if (raw === null || wire?.signature !== txid) {
    return { kind: 'rejected', reason: 'the bytes are not those of this transaction' };
  }
  try {
    await prover.client.send(raw);
    prover.lostHistory.settled(txid);
    return { kind: 'accepted' };
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    return afterRefusal(prover, { ...transaction, wire }, error);
  }
}

/**
 * Interprets a rejection: a node also rejects a known transaction, and a block hash that it has not seen yet.
 */
async function afterRefusal(
  prover: ExpiryProver,
  transaction: ReadTransaction,
  { code, reason }: RpcRefusal,
): Promise<BroadcastResult> {
  const status = await prover.client.status(transaction.txid, prover.seenSlot());
  if (status !== null) {
    prover.lostHistory.settled(transaction.txid);
    if (!status.failed) return { kind: 'accepted' };
    const landed = 'it landed and failed: only its fee was paid';
    return { kind: status.finalized ? 'rejected' : 'unknown', reason: landed };
  }
  if (NOT_TAKEN.has(code) && !SAYS_LITTLE.test(reason)) return { kind: 'rejected', reason };
  const end = await proveBlockhashExpiry(prover, transaction);
  if (end === 'open') return { kind: 'unknown', reason };
  if (end !== 'expired') {
    return { kind: 'unknown', reason: prover.lostHistory.recordGap(transaction.txid, end), isLasting: true };
  }
  return { kind: 'rejected', reason: 'it expired before it landed', isExpired: true };
}

async function getTransactionStatus(
  prover: ExpiryProver,
  transaction: StoredTransaction,
): Promise<TransactionFate> {
  const { txid, raw } = transaction;
  const status = await prover.client.status(txid, prover.seenSlot());
  if (status !== null) {
    prover.lostHistory.settled(txid);
    if (!status.failed) return 'present';
    return status.finalized ? 'gone' : 'unknown';
  }
  const wire = raw === null ? null : readWire(raw);
  if (raw === null || wire?.signature !== txid) return 'unknown';
  const end = await proveBlockhashExpiry(prover, { ...transaction, wire });
  if (end === 'expired') return 'gone';
  if (end !== 'open') {
    prover.lostHistory.recordGap(txid, end);
    return 'unknown';
  }
  if (transaction.isHeld === true) return 'unknown';
  try {
    await prover.client.send(raw);
    return 'present';
  } catch (error) {
    if (error instanceof RpcRefusal) return 'unknown';
    throw error;
  }
}
