import { z } from 'zod';
import { type BlockRef, ChainError } from '../../../domain/chain.ts';
import type { Finality } from '../../../domain/confirmations.ts';
import { type Block, BLOCK, count, type Header, HEADER, PENDING, SYNCING } from '../rpc/node-answers.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { refused, unwrapResult, toHex, understood } from '../rpc/rpc-results.ts';
import { isPrunedHistory, isUnknownBlock, isUnknownMethod } from '../sends/reject-reasons.ts';
import { parsed, RpcRefusal, type RpcRequest } from '../../shared/json-rpc.ts';
import { type Rpc } from '../rpc/rpc.ts';

/** Root of the empty trie, which is the transactions root of a block without transactions. */
const NO_TRANSACTIONS = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const NOBODY = `0x${'0'.repeat(40)}`;

/** The node calls that read blocks and identity. */
export function blockReads(
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
        return whole(honest(await rpc.call(blockRequest(height, true), BLOCK.nullable()), height));
      } catch (error) {
        throw error instanceof RpcRefusal ? refusedBlock(error, height) : error;
      }
    },
    latestAndPending: async () => {
      const [latest, pending] = await rpc.batch([
        { method: 'eth_getBlockByNumber', params: ['latest', false] },
        { method: 'eth_getBlockByNumber', params: ['pending', true] },
      ]);
      const tip = parsed(unwrapResult(latest), 'eth_getBlockByNumber', HEADER);
      const hasPending = pending !== undefined && !(pending instanceof RpcRefusal) && pending.result !== null;
      return {
        tip,
        pending: hasPending ? parsed(pending.result, 'eth_getBlockByNumber pending', PENDING) : null,
      };
    },
    trace: async (method, params) => {
      try {
        return { answer: await rpc.call({ method, params }, z.unknown()) };
      } catch (error) {
        if (error instanceof RpcRefusal && isUnknownMethod(error)) return null;
        throw error instanceof RpcRefusal ? refused(error) : error;
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
        `the node does not return the ${tag} block (${why}): payments that wait for it do not settle. Connect it to its consensus client, or set TILLD_CONFIRMATIONS_ETH to a number`,
      );
    }),
  );
}

function blockRequest(height: number, isFull: boolean): RpcRequest {
  return { method: 'eth_getBlockByNumber', params: [toHex(height), isFull] };
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
  const tip = parsed(unwrapResult(latest), 'eth_getBlockByNumber', HEADER);
  return {
    chainId: parsed(unwrapResult(chainId), 'eth_chainId', count),
    genesisHash: first?.hash ?? null,
    version: name,
    tip,
    highest: syncTarget(sync, tip),
    showsState: await showsState(rpc, tip.hash),
  };
}

/**
 * The height to which a node still syncs; null once it has reached it: geth then still answers while it
 * builds its indexes.
 */
function syncTarget(sync: z.infer<typeof SYNCING>, tip: Header): number | null {
  if (sync === false || sync === null) return null;
  const { currentBlock, highestBlock } = sync;
  if (currentBlock === undefined || highestBlock === undefined) return highestBlock ?? tip.number;
  return highestBlock > currentBlock ? highestBlock : null;
}

async function showsState(rpc: Rpc, blockHash: string): Promise<boolean> {
  const [answer] = await rpc.batch([{ method: 'eth_getBalance', params: [NOBODY, { blockHash }] }]);
  // A backend other than the one that returned the tip may not know that block, which proves nothing about
  // state.
  if (answer instanceof RpcRefusal) return isUnknownBlock(answer);
  return (answer?.result ?? null) !== null;
}

/** Rejects a block of another height, such as a late or cached answer. */
function honest<T extends Header>(block: T | null, height: number): T | null {
  if (block !== null && block.number !== height) {
    throw new ChainError('bad_answer', `requested block ${height}, the node returned block ${block.number}`);
  }
  return block;
}

/** Rejects a block whose transactions were dropped: some nodes return it as an empty block. */
function whole(block: Block | null): Block | null {
  if (block === null || block.transactions.length > 0) return block;
  const { number, transactionsRoot = null } = block;
  if (transactionsRoot === null || transactionsRoot === NO_TRANSACTIONS) return block;
  throw new ChainError(
    'pruned',
    `the node shows block ${number} without its transactions: they are needed to find payments`,
  );
}

function refusedBlock(error: RpcRefusal, height: number): ChainError {
  if (isPrunedHistory(error)) {
    return new ChainError('pruned', `the node dropped block ${height}: it is needed to find payments`);
  }
  return refused(error);
}
