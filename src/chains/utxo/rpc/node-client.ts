import { z } from 'zod';
import type { BlockRef, ChainError, OutputRef } from '../../../domain/chain.ts';
import { type FeeAnswer, feeMethods, type MempoolFees } from './fee-methods.ts';
import { ask, isPruned, lookUp, LOOKUP_BATCH } from './lookups.ts';
import { mempoolMethods, type MempoolSnapshot, type NodeState } from './mempool-methods.ts';
import {
  CHAIN_INFO,
  type ChainInfo,
  HASH,
  HEADER,
  type HexText,
  NETWORK_INFO,
  type NetworkInfo,
  type NodeHeader,
  RAW_BYTES,
  TXIDS,
} from './node-answers.ts';
import type { Rpc } from './rpc.ts';

const RPC_INVALID_PARAMETER = -8;

/** Typed RPC methods of the node. Unexpected errors become ChainErrors. */
export interface NodeClient {
  chainInfo(): Promise<ChainInfo>;
  networkInfo(): Promise<NetworkInfo>;
  tip(): Promise<BlockRef>;
  /** Null above the tip. */
  getBlockHash(height: number): Promise<string | null>;
  /** As getBlockHash, for several heights in one request. */
  getBlockHashes(heights: readonly number[]): Promise<(string | null)[]>;
  getBlockHeader(hash: string): Promise<NodeHeader>;
  /** Raw block as hex characters, owned by the caller; null when the node no longer keeps it. */
  getBlock(hash: string): Promise<HexText | null>;
  /** As getBlock, for several blocks in one request: the caller limits the answer's size. */
  getBlocks(hashes: readonly string[]): Promise<(HexText | null)[]>;
  blockTxids(hash: string): Promise<readonly string[]>;
  /**
   * The mempool between two reads of the best block, in one request. @throws {ChainError} while the node
   * loads it.
   */
  mempool(): Promise<MempoolSnapshot>;
  /**
   * Raw mempool transactions as hex, null for those that left in the meantime, or the reason why one is
   * unavailable.
   */
  mempoolTransactions(txids: readonly string[]): Promise<(string | null | ChainError)[]>;
  /** As mempoolTransactions, of transactions in these blocks: a pruned node may no longer have them. */
  minedTransactions(
    of: readonly { readonly txid: string; readonly blockHash: string }[],
  ): Promise<(string | null | ChainError)[]>;
  /**
   * When each entered the node's mempool, ms; null for those that left in the meantime, `unknown` where the
   * node does not return it.
   */
  mempoolTimes(txids: readonly string[]): Promise<(number | null | 'unknown')[]>;
  inMempool(txid: string): Promise<boolean>;
  /**
   * A transaction and some outputs (mempool included) as one backend sees them, with its tip. Null when
   * there are so many outputs that several requests were needed and not all were answered at one tip.
   */
  transactionState(txid: string, outputs: readonly OutputRef[]): Promise<NodeState | null>;
  /** Whether each output is unspent in the chain and, if requested, in the mempool. */
  unspent(outputs: readonly OutputRef[], includeMempool: boolean): Promise<boolean[]>;
  /** @throws {RpcRefusal} with the node's reason. */
  sendRawTransaction(raw: string): Promise<void>;
  estimateSmartFee(blocks: number): Promise<FeeAnswer<bigint | null>>;
  /**
   * Atoms per 1,000 vB: the current minimum of its mempool, its relay minimum, and the increment for a
   * replacement.
   */
  mempoolFees(): Promise<FeeAnswer<MempoolFees>>;
  close(): Promise<void>;
}

export function createNodeClient(rpc: Rpc): NodeClient {
  return {
    chainInfo: () => ask(rpc.call('getblockchaininfo', [], CHAIN_INFO)),
    networkInfo: () => ask(rpc.call('getnetworkinfo', [], NETWORK_INFO)),
    async tip() {
      const info = await ask(rpc.call('getblockchaininfo', [], CHAIN_INFO));
      return { height: info.blocks, hash: info.bestblockhash };
    },
    getBlockHash: (height) =>
      ask(rpc.call('getblockhash', [height], HASH), (refusal) => refusal.code === RPC_INVALID_PARAMETER),
    getBlockHashes: async (heights) =>
      lookUp(rpc, {
        method: 'getblockhash',
        keys: heights.map((height) => [height]),
        schema: HASH,
        size: LOOKUP_BATCH,
        isNothing: (refusal) => refusal.code === RPC_INVALID_PARAMETER,
      }),
    async getBlockHeader(hash) {
      return ask(rpc.call('getblockheader', [hash, true], HEADER));
    },
    getBlock: (hash) => ask(rpc.call('getblock', [hash, 0], RAW_BYTES, 'long'), isPruned),
    getBlocks: async (hashes) =>
      lookUp(rpc, {
        method: 'getblock',
        keys: hashes.map((hash) => [hash, 0]),
        schema: RAW_BYTES,
        size: LOOKUP_BATCH,
        isNothing: isPruned,
        answer: 'long',
      }),
    async blockTxids(hash) {
      const block = await ask(rpc.call('getblock', [hash, 1], z.object({ tx: TXIDS })), isPruned);
      return block?.tx ?? [];
    },
    ...mempoolMethods(rpc),
    ...feeMethods(rpc),
    async sendRawTransaction(raw) {
      // 0: no limit by the node, because plans are capped before they are signed. Not retried: a second
      // backend could reject what the first one accepted before the connection broke.
      await rpc.callOnce('sendrawtransaction', [raw, 0], HASH);
    },
    close: () => rpc.close(),
  };
}
