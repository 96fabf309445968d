import { z } from 'zod';
import { type BlockRef, ChainError, type OutputRef } from '../../../domain/chain.ts';
import {
  HASH,
  COUNT,
  CHAIN_INFO,
  INCREMENTAL_FEE,
  NETWORK_INFO,
  HEADER,
  TXIDS,
  TXID_BYTES,
  RAW,
  RAW_BYTES,
  ESTIMATE,
  MEMPOOL_INFO,
  LOADED,
  UNSPENT,
  type ChainInfo,
  type HexText,
  type NetworkInfo,
  type NodeHeader,
  type TxidBytes,
} from './node-answers.ts';
import { badAnswer, RpcRefusal } from '../../shared/json-rpc.ts';
import { AMOUNT } from './amount.ts';
import { type AnswerSize, type Rpc } from './rpc.ts';

const RPC_MISC_ERROR = -1;
const RPC_INVALID_ADDRESS_OR_KEY = -5;
const RPC_INVALID_PARAMETER = -8;
/**
 * Raw transactions per request: even if each had the maximum relayed size, the answer stays within its limit.
 */
const RAW_BATCH = 64;
const LOOKUP_BATCH = 200;

export interface MempoolSnapshot {
  readonly bestBefore: string;
  readonly txids: TxidBytes;
  readonly bestAfter: string;
}

/** Rates in atoms per 1,000 vB; null when the node has none, with the reason unless that is normal. */
export interface FeeAnswer<T> {
  readonly rates: T | null;
  readonly problem: string | null;
}

export interface NodeState {
  readonly info: ChainInfo;
  readonly inMempool: boolean;
  /** Whether each output is unspent. */
  readonly unspent: readonly boolean[];
}

/** Typed RPC methods of the node. Unexpected errors become ChainErrors. */
export interface NodeClient {
  chainInfo(): Promise<ChainInfo>;
  networkInfo(): Promise<NetworkInfo>;
  tip(): Promise<BlockRef>;
  /** Null above the tip. */
  blockHash(height: number): Promise<string | null>;
  /** As blockHash, for several heights in one request. */
  blockHashes(heights: readonly number[]): Promise<(string | null)[]>;
  header(hash: string): Promise<NodeHeader>;
  /** Raw block as hex characters, owned by the caller; null when the node no longer keeps it. */
  rawBlock(hash: string): Promise<HexText | null>;
  /** As rawBlock, for several blocks in one request: the caller limits the answer's size. */
  rawBlocks(hashes: readonly string[]): Promise<(HexText | null)[]>;
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
  sendRaw(raw: string): Promise<void>;
  estimateFee(blocks: number): Promise<FeeAnswer<bigint | null>>;
  /**
   * Atoms per 1,000 vB: the current minimum of its mempool, its relay minimum, and the increment for a
   * replacement.
   */
  mempoolFees(): Promise<FeeAnswer<MempoolFees>>;
  close(): Promise<void>;
}

export interface MempoolFees {
  readonly minimum: bigint;
  readonly relay: bigint;
  readonly increment: bigint;
}

export function createNodeClient(rpc: Rpc): NodeClient {
  return {
    chainInfo: () => ask(rpc.call('getblockchaininfo', [], CHAIN_INFO)),
    networkInfo: () => ask(rpc.call('getnetworkinfo', [], NETWORK_INFO)),
    async tip() {
      const info = await ask(rpc.call('getblockchaininfo', [], CHAIN_INFO));
      return { height: info.blocks, hash: info.bestblockhash };
    },
    blockHash: (height) =>
      ask(rpc.call('getblockhash', [height], HASH), (refusal) => refusal.code === RPC_INVALID_PARAMETER),
    blockHashes: async (heights) =>
      lookUp(rpc, {
        method: 'getblockhash',
        keys: heights.map((height) => [height]),
        schema: HASH,
        size: LOOKUP_BATCH,
        isNothing: (refusal) => refusal.code === RPC_INVALID_PARAMETER,
      }),
    async header(hash) {
      return ask(rpc.call('getblockheader', [hash, true], HEADER));
    },
    rawBlock: (hash) => ask(rpc.call('getblock', [hash, 0], RAW_BYTES, 'long'), isPruned),
    rawBlocks: async (hashes) =>
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
    async sendRaw(raw) {
      // 0: no limit by the node, because plans are capped before they are signed. Not retried: a second
      // backend could reject what the first one accepted before the connection broke.
      await rpc.callOnce('sendrawtransaction', [raw, 0], HASH);
    },
    close: () => rpc.close(),
  };
}

function mempoolMethods(
  rpc: Rpc,
): Pick<
  NodeClient,
  'mempool' | 'mempoolTransactions' | 'mempoolTimes' | 'inMempool' | 'unspent' | 'transactionState'
> {
  return {
    transactionState: async (txid, outputs) => readTransactionState(rpc, txid, outputs),
    async mempool() {
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
    mempoolTransactions: (txids) =>
      lookUpEach(rpc, {
        method: 'getrawtransaction',
        keys: txids.map((txid) => [txid]),
        schema: RAW,
        size: RAW_BATCH,
      }),
    async mempoolTimes(txids) {
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
    async inMempool(txid) {
      const entry = await ask(rpc.call('getmempoolentry', [txid], z.looseObject({})), isUnknownKey);
      return entry !== null;
    },
    async unspent(outputs, includeMempool) {
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

function feeMethods(rpc: Rpc): Pick<NodeClient, 'estimateFee' | 'mempoolFees'> {
  return {
    estimateFee: async (blocks) =>
      feeAnswer(async () => {
        const { feerate } = await rpc.call('estimatesmartfee', [blocks, 'ECONOMICAL'], ESTIMATE);
        if (feerate === undefined || feerate === null) return null;
        const rate = AMOUNT.safeParse(feerate).data ?? 0n;
        if (rate > 0n) return rate;
        throw new ChainError(
          'bad_answer',
          `estimatesmartfee: feerate ${(JSON.stringify(feerate) ?? '').slice(0, 40)} is not a fee rate`,
        );
      }),
    mempoolFees: async () =>
      feeAnswer(async () => {
        const info = await rpc.call('getmempoolinfo', [], MEMPOOL_INFO);
        const relay = info.minrelaytxfee ?? 0n;
        const increment = info.incrementalrelayfee ?? (await incrementalFee(rpc));
        // A node that returns neither has the usual policy, in which both are equal.
        return { minimum: info.mempoolminfee, relay, increment: increment ?? relay };
      }),
  };
}

/**
 * After an error, or an answer without a usable rate, the other sources are used. @throws {ChainError} for an
 * outage.
 */
/** Null where the node does not return it. */
async function incrementalFee(rpc: Rpc): Promise<bigint | null> {
  const { rates } = await feeAnswer(async () => rpc.call('getnetworkinfo', [], INCREMENTAL_FEE));
  return rates?.incrementalfee ?? null;
}

async function feeAnswer<T>(ask: () => Promise<T | null>): Promise<FeeAnswer<T>> {
  try {
    return { rates: await ask(), problem: null };
  } catch (error) {
    const isUnusable = error instanceof ChainError && error.kind === 'bad_answer';
    if (!isUnusable && !(error instanceof RpcRefusal)) throw error;
    return { rates: null, problem: error.message };
  }
}

interface LookupRequest<T> {
  readonly method: string;
  readonly keys: readonly (string | number | boolean)[][];
  readonly schema: z.ZodType<T>;
  readonly size: number;
  /** Recognises "not found"; by default, a key unknown to the node. */
  readonly isNothing?: (refusal: RpcRefusal) => boolean;
  readonly answer?: AnswerSize;
}

/** As lookUp, but an unusable answer must not affect the others: it becomes an error in the list. */
async function lookUpEach<T>(
  rpc: Rpc,
  { schema, ...query }: LookupRequest<T>,
): Promise<(T | null | ChainError)[]> {
  const { method, keys, size } = query;
  const found: (T | null | ChainError)[] = [];
  for (let start = 0; start < keys.length; start += size) {
    const requests = keys.slice(start, start + size).map((params) => ({ method, params }));
    for (const answer of await rpc.batch(requests, z.unknown())) {
      if (answer instanceof RpcRefusal) found.push(isUnknownKey(answer) ? null : refused(answer));
      else found.push(schema.safeParse(answer).data ?? badAnswer(method, 'is of another form'));
    }
  }
  return found;
}

/** Batched look-ups where "not found" is an ordinary answer. */
async function lookUp<T>(rpc: Rpc, query: LookupRequest<T>): Promise<(T | null)[]> {
  const { method, keys, schema, size, isNothing = isUnknownKey, answer: answerSize } = query;
  const found: (T | null)[] = [];
  for (let start = 0; start < keys.length; start += size) {
    const requests = keys.slice(start, start + size).map((params) => ({ method, params }));
    for (const answer of await rpc.batch(requests, schema, answerSize)) {
      if (!(answer instanceof RpcRefusal)) found.push(answer);
      else if (isNothing(answer)) found.push(null);
      else throw refused(answer);
    }
  }
  return found;
}

/** Turns unexpected errors into ChainErrors and expected ones into null. */
async function ask<T>(answer: Promise<T>): Promise<T>;
async function ask<T>(answer: Promise<T>, isNothing: (refusal: RpcRefusal) => boolean): Promise<T | null>;
async function ask<T>(
  answer: Promise<T>,
  isNothing: (refusal: RpcRefusal) => boolean = () => false,
): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    if (isNothing(error)) return null;
    throw refused(error);
  }
}

function refused(refusal: RpcRefusal): ChainError {
  return new ChainError('bad_answer', `the node refused ${refusal.message}`, { cause: refusal });
}

function isUnknownKey(refusal: RpcRefusal): boolean {
  return refusal.code === RPC_INVALID_ADDRESS_OR_KEY;
}

function isPruned(refusal: RpcRefusal): boolean {
  return refusal.code === RPC_MISC_ERROR && refusal.reason.includes('pruned');
}
