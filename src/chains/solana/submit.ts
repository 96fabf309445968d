import { type BroadcastResult, ChainError, type Fate, type StoredTransaction } from '../../domain/chain.ts';
import type { Logger } from '../../domain/ports.ts';
import { readWire, type WireFacts } from './message.ts';
import type { NodeClient } from './node-client.ts';
import { RpcRefusal } from './rpc.ts';

export interface Submitter {
  broadcast(transaction: StoredTransaction): Promise<BroadcastResult>;
  /** Bounded by the caller's list. Trouble with the node leaves the rest unknown rather than waiting for each. */
  recheck(transactions: readonly StoredTransaction[]): Promise<ReadonlyMap<string, Fate>>;
}

/** Hands signed bytes to the node and finds out what became of them. */
export function createSubmitter(client: NodeClient, logger: Logger): Submitter {
  return {
    broadcast: async (transaction) => {
      try {
        return await broadcast(client, transaction);
      } catch (error) {
        return { kind: 'unknown', reason: error instanceof Error ? error.message : 'unexpected failure' };
      }
    },
    recheck: async (transactions) => {
      const fates = new Map<string, Fate>(transactions.map(({ txid }) => [txid, 'unknown']));
      try {
        for (const transaction of transactions)
          fates.set(transaction.txid, await fateOf(client, transaction));
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        logger.warn({ error: error.message }, 'could not find out what became of transactions');
      }
      return fates;
    },
  };
}

async function broadcast(client: NodeClient, { txid, raw }: StoredTransaction): Promise<BroadcastResult> {
  const wire = raw === null ? null : readWire(raw);
  if (raw === null || wire?.signature !== txid) {
    return { kind: 'rejected', reason: 'the bytes are not those of this transaction' };
  }
  try {
    await client.send(raw);
    return { kind: 'accepted' };
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    return afterRefusal(client, wire, error.reason);
  }
}

/** A node also refuses what it already knows, and what is dated by a block that it has not seen yet. */
async function afterRefusal(client: NodeClient, wire: WireFacts, reason: string): Promise<BroadcastResult> {
  const status = await client.status(wire.signature);
  if (status !== null) {
    if (!status.failed) return { kind: 'accepted' };
    const landed = 'it landed and failed: only its fee was paid';
    return { kind: status.finalized ? 'rejected' : 'unknown', reason: landed };
  }
  if (!/blockhash not found/i.test(reason)) return { kind: 'rejected', reason };
  return { kind: (await hasExpired(client, wire)) ? 'rejected' : 'unknown', reason };
}

async function fateOf(client: NodeClient, { txid, raw }: StoredTransaction): Promise<Fate> {
  const status = await client.status(txid);
  if (status !== null) {
    if (!status.failed) return 'present';
    return status.finalized ? 'gone' : 'unknown';
  }
  const wire = raw === null ? null : readWire(raw);
  if (raw === null || wire?.signature !== txid) return 'unknown';
  if (await hasExpired(client, wire)) return 'gone';
  try {
    await client.send(raw);
    return 'present';
  } catch (error) {
    if (error instanceof RpcRefusal) return 'unknown';
    throw error;
  }
}

/**
 * Proof that a transaction never lands: no chain that can still win accepts its block hash, and the
 * history, asked after that, does not have it.
 */
async function hasExpired(client: NodeClient, wire: WireFacts): Promise<boolean> {
  if (wire.isDurable) return false;
  // Finalized alone would call a hash too new for it invalid as well.
  if (await client.isBlockhashValid(wire.blockhash, 'confirmed')) return false;
  if (await client.isBlockhashValid(wire.blockhash, 'finalized')) return false;
  return (await client.status(wire.signature)) === null;
}
