import type { BlockRef } from '../../../domain/chain.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { type BalanceReader, STATES_KEPT } from './balance-reads.ts';
import { count, hash, HEADER, quantity, type Receipt, RECEIPT } from '../rpc/node-answers.ts';
import type { NodeClient, AccountState } from '../rpc/node-client.ts';
import { unwrapResult, stale, toHex } from '../rpc/rpc-results.ts';
import { readGasPrices } from '../sends/gas-prices.ts';
import { isPrunedHistory } from '../sends/reject-reasons.ts';
import { parsed, RpcRefusal } from '../../shared/json-rpc.ts';
import { type Rpc } from '../rpc/rpc.ts';

const RECEIPT_OF = 'eth_getTransactionReceipt';

type ReceiptAnswer = Receipt | null | 'unreadable';

interface AccountReadsDeps {
  readonly rpc: Rpc;
  readonly balances: BalanceReader;
  /** Maximum calls per batch request. */
  readonly batchSize: number;
}

/** Node calls that read accounts and transactions, and broadcast. */
export function accountReads({
  rpc,
  balances,
  batchSize,
}: AccountReadsDeps): Pick<
  NodeClient,
  | 'receipts'
  | 'balances'
  | 'balanceAlone'
  | 'balancesPerCall'
  | 'nonceAt'
  | 'usedAmong'
  | 'accountState'
  | 'sendRawTransaction'
  | 'gasPrices'
  | 'estimateGas'
> {
  return {
    receipts: async (txids, block) => receipts(rpc, { txids, block, batchSize }),
    balances: async (accounts, blockHash, giveUp) => balances.read(accounts, blockHash, giveUp),
    balanceAlone: async (account, blockHash) => balances.readAlone(account, blockHash),
    balancesPerCall: () => balances.perCall,
    nonceAt: async (account, blockHash) => nonceAt(rpc, account, blockHash),
    usedAmong: async (accounts) => usedAmong(rpc, accounts, batchSize),
    accountState: async (txid, sender, tip) => readAccountState(rpc, { txid, sender, tip }),
    // Never retried: after a broken connection a second backend could reject what the first one accepted.
    sendRawTransaction: async (raw) =>
      rpc.call({ method: 'eth_sendRawTransaction', params: [raw] }, hash, { once: true }),
    gasPrices: async (from) => readGasPrices(rpc, from),
    estimateGas: async ({ from, to, value }) =>
      rpc.call({ method: 'eth_estimateGas', params: [{ from, to, value: toHex(value) }] }, quantity),
  };
}

async function receipts(
  rpc: Rpc,
  about: { readonly txids: readonly string[]; readonly block: BlockRef; readonly batchSize: number },
): Promise<ReceiptAnswer[]> {
  const { txids, block, batchSize } = about;
  const found = new Map<string, ReceiptAnswer>();
  await inParallel(txids, batchSize, async (part) => {
    const replies = await rpc.batch(part.map((txid) => ({ method: RECEIPT_OF, params: [txid] })));
    replies.forEach((reply, at) => {
      const receipt = receiptIn(reply, part[at], block);
      if (receipt !== null && receipt !== 'unreadable') found.set(receipt.transactionHash, receipt);
    });
  });
  const missing = txids.filter((txid) => !found.has(txid));
  // Each request carries two more calls.
  await inParallel(missing, Math.max(1, batchSize - 2), async (part) => {
    for (const [txid, receipt] of await retryReceipts(rpc, part, block)) found.set(txid, receipt);
  });
  return txids.map((txid) => found.get(txid) ?? null);
}

/**
 * Retries missing receipts together with their block: null where the answering backend has the block, deep
 * below its tip, and no receipt of it.
 * @throws {ChainError} when it lacks the block, or the block is so new that its receipts must still appear.
 */
async function retryReceipts(
  rpc: Rpc,
  txids: readonly string[],
  block: BlockRef,
): Promise<[txid: string, receipt: ReceiptAnswer][]> {
  const method = 'eth_getBlockByHash';
  const [known, latest, ...replies] = await rpc.batch([
    { method, params: [block.hash, false] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ...txids.map((txid) => ({ method: RECEIPT_OF, params: [txid] })),
  ]);
  const isKnown = parsed(unwrapResult(known), method, HEADER.nullable()) !== null;
  const tip = parsed(unwrapResult(latest), 'eth_getBlockByNumber', HEADER);
  return txids.map((txid, at) => {
    const reply = replies[at];
    const receipt = receiptIn(reply, txid, block);
    if (receipt !== null) return [txid, receipt];
    const isAbsent = reply instanceof RpcRefusal ? isPrunedHistory(reply) : (reply?.result ?? null) === null;
    if (isKnown && isAbsent && tip.number - block.height >= STATES_KEPT) return [txid, null];
    throw stale(`no receipt of ${txid} in block ${block.height}`);
  });
}

/** The receipt of a transaction in a block; null when the answer is not that receipt. */
function receiptIn(
  reply: RpcRefusal | { readonly result: unknown } | undefined,
  txid: string | undefined,
  block: BlockRef,
): ReceiptAnswer {
  if (reply === undefined || reply instanceof RpcRefusal) return null;
  const { success, data: receipt } = RECEIPT.nullable().safeParse(reply.result ?? null);
  if (!success) return 'unreadable';
  return receipt?.blockHash === block.hash && receipt.transactionHash === txid ? receipt : null;
}

async function nonceAt(rpc: Rpc, account: string, blockHash: string): Promise<number | null> {
  const method = 'eth_getTransactionCount';
  const [answer] = await rpc.batch([{ method, params: [account, { blockHash }] }]);
  if (answer === undefined || answer instanceof RpcRefusal || answer.result === null) return null;
  return parsed(answer.result, method, count);
}

/** Money leaves an account only by a transaction or an authorization of its key, which raise its nonce. */
async function usedAmong(
  rpc: Rpc,
  accounts: readonly string[],
  batchSize: number,
): Promise<ReadonlySet<string>> {
  const methods = ['eth_getBalance', 'eth_getTransactionCount'];
  const used = new Set<string>();
  await inParallel(accounts, Math.max(1, Math.floor(batchSize / methods.length)), async (part) => {
    const calls = part.flatMap((account) =>
      methods.map((method) => ({ method, params: [account, 'latest'] })),
    );
    const replies = await rpc.batch(calls);
    calls.forEach(({ method, params }, at) => {
      const [account] = params;
      if (account !== undefined && parsed(unwrapResult(replies[at]), method, quantity) > 0n)
        used.add(account);
    });
  });
  return used;
}

async function readAccountState(
  rpc: Rpc,
  about: { txid: string; sender: string | null; tip: BlockRef },
): Promise<AccountState> {
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
    receipt: parsed(unwrapResult(receipt), RECEIPT_OF, RECEIPT.nullable()),
    isKnown: (unwrapResult(known) ?? null) !== null,
  };
}
