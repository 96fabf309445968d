import type { BlockRef } from '../../domain/chain.ts';
import { inParallel } from '../in-parallel.ts';
import { count, hash, HEADER, quantity, quantityOf, RECEIPT } from './node-answers.ts';
import type { BalanceAnswer, NodeClient, Prices, Standing } from './node-client.ts';
import { resultOf, stale, toHex } from './plain-answers.ts';
import { readPlainQuantities } from './plain-quantities.ts';
import { isUnknownBlock } from './refusals.ts';
import { parsed, type Rpc, RpcRefusal, type Survey } from './rpc.ts';

/** Requests per HTTP request; providers allow a hundred at least. */
const BATCH_SIZE = 100;
/** Of the newest blocks every node keeps the states, if few keep more. */
const STATES_KEPT = 128;
const RECEIPT_OF = 'eth_getTransactionReceipt';

/** What the node tells about accounts and transactions, and what it is given to send. */
export function accountReads(
  rpc: Rpc,
): Pick<NodeClient, 'receipts' | 'balances' | 'standing' | 'sendRaw' | 'prices' | 'estimateGas'> {
  return {
    receipts: async (txids, block) => {
      const found = await inParallel(txids, BATCH_SIZE, async (part) => {
        const replies = await rpc.batch(part.map((txid) => ({ method: RECEIPT_OF, params: [txid] })));
        return replies.map((reply) =>
          reply instanceof RpcRefusal ? reply : parsed(reply.result, RECEIPT_OF, RECEIPT.nullable()),
        );
      });
      return found.flat().map((receipt, position) => {
        const matches = receipt !== null && !(receipt instanceof RpcRefusal);
        if (!matches || receipt.blockHash !== block.hash || receipt.transactionHash !== txids[position]) {
          throw stale(`no receipt of ${txids[position]} in block ${block.height}`);
        }
        return receipt;
      });
    },
    balances: async (accounts, blockHash) => {
      if (accounts.length <= BATCH_SIZE) return balances(rpc, accounts, blockHash);
      const parts = await inParallel(accounts, BATCH_SIZE, async (part) => balances(rpc, part, blockHash));
      return parts.flat();
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

async function balances(rpc: Rpc, accounts: readonly string[], blockHash: string): Promise<BalanceAnswer[]> {
  const answers = await rpc.survey(balancesOf(accounts, blockHash));
  const lacksBlock = answers.some((answer) => answer instanceof RpcRefusal && isUnknownBlock(answer));
  if (lacksBlock && !(await isLongKnown(rpc, blockHash))) throw stale(`it does not know block ${blockHash}`);
  return answers.map((answer) => (answer instanceof RpcRefusal ? 'unknown' : answer));
}

/**
 * Whether the node has a block after all, deeper than it must keep states. Nodes that dropped the state may call the block
 * unknown when they are asked for balances: whoever waited for a backend that knows it would wait for ever.
 */
async function isLongKnown(rpc: Rpc, blockHash: string): Promise<boolean> {
  const method = 'eth_getBlockByHash';
  const [known, latest] = await rpc.batch([
    { method, params: [blockHash, false] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
  ]);
  const block = parsed(resultOf(known), method, HEADER.nullable());
  const tip = parsed(resultOf(latest), 'eth_getBlockByNumber', HEADER);
  return block !== null && tip.number - block.number >= STATES_KEPT;
}

/** Watch keys and hashes are hex: nothing in them needs an escape. */
function balancesOf(keys: readonly string[], blockHash: string): Survey<BalanceAnswer> {
  return {
    method: 'eth_getBalance',
    before: '["',
    keys,
    after: `",{"blockHash":"${blockHash}"}]`,
    readPlain: readPlainQuantities,
    // Besu answers nothing at all of a block whose state it has dropped; of one that it does not know, an error.
    read: (result, method) => (result === null ? 'unknown' : quantityOf(result, method)),
  };
}

async function standing(
  rpc: Rpc,
  about: { txid: string; sender: string | null; tip: BlockRef },
): Promise<Standing> {
  const { txid, sender, tip } = about;
  const [block, receipt, known, used] = await rpc.batch([
    { method: 'eth_getBlockByHash', params: [tip.hash, false] },
    { method: RECEIPT_OF, params: [txid] },
    { method: 'eth_getTransactionByHash', params: [txid] },
    ...(sender === null
      ? []
      : [{ method: 'eth_getTransactionCount', params: [sender, { blockHash: tip.hash }] }]),
  ]);
  const isUsable = used !== undefined && !(used instanceof RpcRefusal);
  return {
    knowsTip: !(block instanceof RpcRefusal) && (block?.result ?? null) !== null,
    used: isUsable ? parsed(used.result, 'eth_getTransactionCount', count) : null,
    receipt: parsed(resultOf(receipt), RECEIPT_OF, RECEIPT.nullable()),
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
