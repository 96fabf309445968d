import { z } from 'zod';
import { ChainError, type OutputRef } from '../../../domain/chain.ts';
import { RpcRefusal } from '../../shared/json-rpc.ts';
import { ask, isUnknownKey, lookUp, lookUpEach, LOOKUP_BATCH, refused } from './lookups.ts';
import {
  CHAIN_INFO,
  type ChainInfo,
  COUNT,
  HASH,
  LOADED,
  RAW,
  TXID_BYTES,
  type TxidBytes,
  UNSPENT,
} from './node-answers.ts';
import type { Rpc } from './rpc.ts';

/**
 * Raw transactions per request: even if each had the maximum relayed size, the answer stays within its limit.
 */
const RAW_BATCH = 64;

export interface MempoolSnapshot {
  readonly bestBefore: string;
  readonly txids: TxidBytes;
  readonly bestAfter: string;
}

export interface NodeState {
  readonly info: ChainInfo;
  readonly inMempool: boolean;
  /** Whether each output is unspent. */
  readonly unspent: readonly boolean[];
}

/** Methods about unconfirmed transactions and unspent outputs: see NodeClient. */
export function mempoolMethods(rpc: Rpc) {
  return {
    transactionState: async (txid: string, outputs: readonly OutputRef[]) =>
      readTransactionState(rpc, txid, outputs),
    async mempool(): Promise<MempoolSnapshot> {
      const requests = ['getbestblockhash', 'getrawmempool', 'getbestblockhash', 'getmempoolinfo'];
      const [bestBefore, txids, bestAfter, info] = await rpc.batch(
        requests.map((method) => ({ method, params: [] })),
        z.union([HASH, TXID_BYTES, LOADED]),
        'txids',
      );
      const isInShape =
        typeof bestBefore === 'string' && typeof bestAfter === 'string' && txids instanceof Uint8Array;
      if (!isInShape) {
        throw new ChainError('bad_answer', 'getrawmempool: unexpected form of the response');
      }
      const isLoading = typeof info === 'object' && 'loaded' in info && !info.loaded;
      if (isLoading) throw new ChainError('unavailable', 'the node is still loading its mempool');
      return { bestBefore, txids, bestAfter };
    },
    mempoolTransactions: async (txids: readonly string[]) =>
      lookUpEach(rpc, {
        method: 'getrawtransaction',
        keys: txids.map((txid) => [txid]),
        schema: RAW,
        size: RAW_BATCH,
      }),
    minedTransactions: async (of: readonly { readonly txid: string; readonly blockHash: string }[]) =>
      lookUpEach(rpc, {
        method: 'getrawtransaction',
        keys: of.map(({ txid, blockHash }) => [txid, false, blockHash]),
        schema: RAW,
        size: RAW_BATCH,
      }),
    async mempoolTimes(txids: readonly string[]): Promise<(number | null | 'unknown')[]> {
      const entries = await lookUpEach(rpc, {
        method: 'getmempoolentry',
        keys: txids.map((txid) => [txid]),
        schema: z.object({ time: COUNT }),
        size: LOOKUP_BATCH,
      });
      return entries.map((entry) => {
        if (entry instanceof ChainError) return 'unknown';
        return entry === null ? null : entry.time * 1000;
      });
    },
    async inMempool(txid: string): Promise<boolean> {
      const entry = await ask(rpc.call('getmempoolentry', [txid], z.looseObject({})), isUnknownKey);
      return entry !== null;
    },
    async unspent(outputs: readonly OutputRef[], includeMempool: boolean): Promise<boolean[]> {
      const answers = await lookUp(rpc, {
        method: 'gettxout',
        keys: outputs.map(({ txid, index }) => [txid, index, includeMempool]),
        schema: UNSPENT,
        size: LOOKUP_BATCH,
      });
      return answers.map((answer) => answer !== null);
    },
  };
}

/** Everything goes in one request, so that a lagging backend's view is not mixed with another's. */
async function readTransactionState(
  rpc: Rpc,
  txid: string,
  outputs: readonly OutputRef[],
): Promise<NodeState | null> {
  let first: Omit<NodeState, 'unspent'> | null = null;
  const unspent: boolean[] = [];
  for (let start = 0; start < outputs.length || first === null; start += LOOKUP_BATCH) {
    const outputsOfBatch = outputs.slice(start, start + LOOKUP_BATCH);
    const requests = [
      { method: 'getblockchaininfo', params: [] },
      { method: 'getmempoolentry', params: [txid] },
      ...outputsOfBatch.map((ref) => ({ method: 'gettxout', params: [ref.txid, ref.index, true] })),
    ];
    const answers = await rpc.batch(requests, z.unknown());
    const [info, entry, ...found] = answers.map((answer) => {
      if (!(answer instanceof RpcRefusal)) return answer;
      if (isUnknownKey(answer)) return null;
      throw refused(answer);
    });
    const state = { info: inShape(CHAIN_INFO, info, 'getblockchaininfo'), inMempool: entry !== null };
    if (first !== null && first.info.bestblockhash !== state.info.bestblockhash) return null;
    first ??= state;
    for (const each of found) unspent.push(inShape(UNSPENT, each, 'gettxout') !== null);
  }
  return { ...first, unspent };
}

function inShape<T>(schema: z.ZodType<T>, answer: unknown, method: string): T {
  const { success, data } = schema.safeParse(answer);
  if (!success) throw new ChainError('bad_answer', `${method}: unexpected form of the response`);
  return data;
}
