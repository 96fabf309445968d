import { z } from 'zod';
import { type BlockRef, ChainError } from '../../domain/chain.ts';
import type { Finality } from '../../domain/confirmations.ts';
import { inParallel } from '../in-parallel.ts';
import {
  type Block,
  BLOCK,
  count,
  hash,
  type Header,
  HEADER,
  PENDING,
  type PendingBlock,
  quantity,
  type Receipt,
  RECEIPT,
  SYNCING,
} from './node-answers.ts';
import { isPrunedHistory, isUnknownBlock, isUnknownMethod } from './refusals.ts';
import { parsed, type Rpc, RpcRefusal, type RpcRequest } from './rpc.ts';

/** Requests per HTTP request; providers allow a hundred at least. */
const BATCH_SIZE = 100;
const NOBODY = `0x${'0'.repeat(40)}`;

/** What a balance question came to: an amount, or `unknown` where the node keeps no state of that block. */
export type BalanceAnswer = bigint | 'unknown';

/** What an account looks like in one request, at a block that the answering backend is proven to know. */
export interface Standing {
  readonly knowsTip: boolean;
  /** Transactions of the sender up to the tip; null when the node keeps no state of it. */
  readonly used: number | null;
  readonly receipt: Receipt | null;
  readonly isKnown: boolean;
}

/** The node in our terms. Hashes and accounts are lower case. */
export interface NodeClient {
  tip(): Promise<Header>;
  headerAt(height: number): Promise<Header | null>;
  /** The newest blocks that the network calls so. @throws {ChainError} naming what the node does not tell. */
  finalBlocks(wanted: readonly Finality[]): Promise<ReadonlyMap<Finality, BlockRef>>;
  /** @throws {ChainError} `pruned` when the node dropped the block's transactions. */
  blockAt(height: number): Promise<Block | null>;
  /** The latest header, and the block the node would build on it, from one request. */
  latestAndPending(): Promise<{ tip: Header; pending: PendingBlock | null }>;
  /** In the order asked; every one must belong to the block. */
  receipts(txids: readonly string[], block: BlockRef): Promise<Receipt[]>;
  /** Balances as of the end of one block, whichever backend answers. */
  balances(accounts: readonly string[], blockHash: string): Promise<BalanceAnswer[]>;
  identity(): Promise<{
    chainId: number;
    genesisHash: string | null;
    version: string;
    tip: Header;
    highest: number | null;
    /** Whether it tells the balances of a block that is named by its hash (EIP-1898). */
    showsState: boolean;
  }>;
  standing(txid: string, sender: string | null, tip: BlockRef): Promise<Standing>;
  sendRaw(raw: string): Promise<string>;
  prices(from: string | null): Promise<Prices>;
  estimateGas(call: { from: string; to: string; value: bigint }): Promise<bigint>;
  /** A trace of a whole block, or null when the node has no such method. */
  trace(method: string, params: RpcRequest['params']): Promise<unknown>;
  close(): Promise<void>;
}

export interface Prices {
  readonly chainId: number;
  readonly tip: Header & { readonly baseFee: bigint | null };
  /** What the node itself suggests as tip and as price. */
  readonly priority: bigint | null;
  readonly gasPrice: bigint;
  /** Next nonce of the account, pending transactions included; 0 without an account. */
  readonly nonce: number;
}

export function createNodeClient(rpc: Rpc): NodeClient {
  return { ...blockReads(rpc), ...accountReads(rpc), close: async () => rpc.close() };
}

function blockReads(
  rpc: Rpc,
): Pick<
  NodeClient,
  'tip' | 'headerAt' | 'finalBlocks' | 'blockAt' | 'latestAndPending' | 'trace' | 'identity'
> {
  return {
    tip: async () =>
      understood(rpc.call({ method: 'eth_getBlockByNumber', params: ['latest', false] }, HEADER)),
    headerAt: async (height) =>
      honest(await understood(rpc.call(blockRequest(height, false), HEADER.nullable())), height),
    finalBlocks: async (wanted) => finalBlocks(rpc, wanted),
    blockAt: async (height) => {
      try {
        return honest(await rpc.call(blockRequest(height, true), BLOCK.nullable()), height);
      } catch (error) {
        throw error instanceof RpcRefusal ? refusedBlock(error, height) : error;
      }
    },
    latestAndPending: async () => {
      const [latest, pending] = await rpc.batch([
        { method: 'eth_getBlockByNumber', params: ['latest', false] },
        { method: 'eth_getBlockByNumber', params: ['pending', true] },
      ]);
      const tip = parsed(resultOf(latest), 'eth_getBlockByNumber', HEADER);
      const hasPending = pending !== undefined && !(pending instanceof RpcRefusal) && pending.result !== null;
      return {
        tip,
        pending: hasPending ? parsed(pending.result, 'eth_getBlockByNumber pending', PENDING) : null,
      };
    },
    trace: async (method, params) => {
      try {
        return await rpc.call({ method, params }, z.unknown());
      } catch (error) {
        if (error instanceof RpcRefusal && isUnknownMethod(error)) return null;
        throw error instanceof RpcRefusal ? stale(error.message) : error;
      }
    },
    identity: async () => identity(rpc),
  };
}

async function finalBlocks(rpc: Rpc, wanted: readonly Finality[]): Promise<ReadonlyMap<Finality, BlockRef>> {
  const method = 'eth_getBlockByNumber';
  const answers = await rpc.batch(wanted.map((tag) => ({ method, params: [tag, false] })));
  return new Map(
    wanted.map((tag, at) => {
      const answer = answers[at];
      const block =
        answer === undefined || answer instanceof RpcRefusal
          ? null
          : parsed(answer.result, `${method} ${tag}`, HEADER.nullable());
      if (block !== null) return [tag, { height: block.number, hash: block.hash }];
      const why = answer instanceof RpcRefusal ? answer.reason : 'no such block';
      throw new ChainError(
        'unavailable',
        `the node does not tell which block is ${tag} (${why}): payments that wait for it do not settle. Connect it to its consensus client, or set TILLD_CONFIRMATIONS_ETH to a number`,
      );
    }),
  );
}

function blockRequest(height: number, isFull: boolean): RpcRequest {
  return { method: 'eth_getBlockByNumber', params: [toHex(height), isFull] };
}

function accountReads(
  rpc: Rpc,
): Pick<NodeClient, 'receipts' | 'balances' | 'standing' | 'sendRaw' | 'prices' | 'estimateGas'> {
  return {
    receipts: async (txids, block) => {
      const requests = txids.map((txid) => ({ method: 'eth_getTransactionReceipt', params: [txid] }));
      const found = await inBatches(rpc, requests, RECEIPT.nullable());
      return found.map((receipt, position) => {
        const matches = receipt !== null && !(receipt instanceof RpcRefusal);
        if (!matches || receipt.blockHash !== block.hash || receipt.transactionHash !== txids[position]) {
          throw stale(`no receipt of ${txids[position]} in block ${block.height}`);
        }
        return receipt;
      });
    },
    balances: async (accounts, blockHash) => {
      const requests = accounts.map((address) => ({
        method: 'eth_getBalance',
        params: [address, { blockHash }],
      }));
      const answers = await inBatches(rpc, requests, quantity);
      return answers.map((answer) => {
        if (!(answer instanceof RpcRefusal)) return answer;
        if (isUnknownBlock(answer)) throw stale(`it does not know block ${blockHash}`);
        return 'unknown';
      });
    },
    standing: async (txid, sender, tip) => standing(rpc, { txid, sender, tip }),
    // Asked twice, a second backend could refuse what a first one took before the line broke.
    sendRaw: async (raw) =>
      rpc.call({ method: 'eth_sendRawTransaction', params: [raw] }, hash, { once: true }),
    prices: async (from) => prices(rpc, from),
    estimateGas: async ({ from, to, value }) =>
      rpc.call({ method: 'eth_estimateGas', params: [{ from, to, value: toHex(value) }] }, quantity),
  };
}

async function inBatches<T>(
  rpc: Rpc,
  requests: readonly RpcRequest[],
  schema: z.ZodType<T>,
): Promise<(T | RpcRefusal)[]> {
  const answers = await inParallel(requests, BATCH_SIZE, async (part) => {
    const replies = await rpc.batch(part);
    return replies.map((reply, position) =>
      reply instanceof RpcRefusal ? reply : parsed(reply.result, part[position]?.method ?? '', schema),
    );
  });
  return answers.flat();
}

async function identity(rpc: Rpc) {
  const [chainId, genesis, version, latest, syncing] = await rpc.batch([
    { method: 'eth_chainId', params: [] },
    { method: 'eth_getBlockByNumber', params: ['0x0', false] },
    { method: 'web3_clientVersion', params: [] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_syncing', params: [] },
  ]);
  const first = genesis instanceof RpcRefusal ? null : parsed(genesis?.result, 'genesis', HEADER.nullable());
  const name = version instanceof RpcRefusal ? 'unknown' : parsed(version?.result, 'version', z.string());
  const sync = syncing instanceof RpcRefusal ? false : parsed(syncing?.result, 'eth_syncing', SYNCING);
  const tip = parsed(resultOf(latest), 'eth_getBlockByNumber', HEADER);
  return {
    chainId: parsed(resultOf(chainId), 'eth_chainId', count),
    genesisHash: first?.hash ?? null,
    version: name,
    tip,
    highest: sync === false ? null : (sync.highestBlock ?? tip.number),
    showsState: await showsState(rpc, tip.hash),
  };
}

async function showsState(rpc: Rpc, blockHash: string): Promise<boolean> {
  const [answer] = await rpc.batch([{ method: 'eth_getBalance', params: [NOBODY, { blockHash }] }]);
  // Asked of another backend than the tip came from, it may not know that block: that says nothing.
  return !(answer instanceof RpcRefusal) || isUnknownBlock(answer);
}

async function standing(
  rpc: Rpc,
  about: { txid: string; sender: string | null; tip: BlockRef },
): Promise<Standing> {
  const { txid, sender, tip } = about;
  const [block, receipt, known, used] = await rpc.batch([
    { method: 'eth_getBlockByHash', params: [tip.hash, false] },
    { method: 'eth_getTransactionReceipt', params: [txid] },
    { method: 'eth_getTransactionByHash', params: [txid] },
    ...(sender === null
      ? []
      : [{ method: 'eth_getTransactionCount', params: [sender, { blockHash: tip.hash }] }]),
  ]);
  const isUsable = used !== undefined && !(used instanceof RpcRefusal);
  return {
    knowsTip: !(block instanceof RpcRefusal) && (block?.result ?? null) !== null,
    used: isUsable ? parsed(used.result, 'eth_getTransactionCount', count) : null,
    receipt: parsed(resultOf(receipt), 'eth_getTransactionReceipt', RECEIPT.nullable()),
    isKnown: (resultOf(known) ?? null) !== null,
  };
}

async function prices(rpc: Rpc, from: string | null): Promise<Prices> {
  const [chainId, latest, priority, gasPrice, nonce] = await rpc.batch([
    { method: 'eth_chainId', params: [] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_gasPrice', params: [] },
    ...(from === null ? [] : [{ method: 'eth_getTransactionCount', params: [from, 'pending'] }]),
  ]);
  const header = HEADER.extend({ baseFeePerGas: quantity.optional() });
  const tip = parsed(resultOf(latest), 'eth_getBlockByNumber', header);
  const isTold = priority !== undefined && !(priority instanceof RpcRefusal);
  return {
    chainId: parsed(resultOf(chainId), 'eth_chainId', count),
    tip: { ...tip, baseFee: tip.baseFeePerGas ?? null },
    priority: isTold ? parsed(priority.result, 'eth_maxPriorityFeePerGas', quantity) : null,
    gasPrice: parsed(resultOf(gasPrice), 'eth_gasPrice', quantity),
    nonce: from === null ? 0 : parsed(resultOf(nonce), 'eth_getTransactionCount', count),
  };
}

/** A refusal where a plain question must have an answer is trouble of the node, not an answer. */
function resultOf(answer: RpcRefusal | { readonly result: unknown } | undefined): unknown {
  if (answer === undefined) throw stale('an answer is missing');
  if (answer instanceof RpcRefusal) throw stale(answer.message);
  return answer.result;
}

async function understood<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof RpcRefusal ? stale(error.message) : error;
  }
}

/** A late answer, or one from a cache, may be another block than the one asked for. */
function honest<T extends Header>(block: T | null, height: number): T | null {
  if (block !== null && block.number !== height) {
    throw new ChainError('bad_answer', `asked for block ${height}, the node answered block ${block.number}`);
  }
  return block;
}

function refusedBlock(error: RpcRefusal, height: number): ChainError {
  if (isPrunedHistory(error)) {
    return new ChainError('pruned', `the node dropped block ${height}: it is needed to find payments`);
  }
  return stale(error.message);
}

/** The node, or the backend behind a load balancer that answered, is not where the others are: ask again. */
function stale(why: string): ChainError {
  return new ChainError('unavailable', `the node's answers do not fit together: ${why}`);
}

function toHex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
