import { describe, expect, it } from 'vitest';
import { accountReads } from '../../../../src/chains/ethereum/accounts/account-reads.ts';
import { BalanceReader } from '../../../../src/chains/ethereum/accounts/balance-reads.ts';
import { BalanceRotation } from '../../../../src/chains/ethereum/accounts/balance-rotation.ts';
import { Shortfalls } from '../../../../src/chains/ethereum/accounts/shortfalls.ts';
import { blockReads } from '../../../../src/chains/ethereum/blocks/block-reads.ts';
import { type BlockReaderDeps, readBlock } from '../../../../src/chains/ethereum/blocks/block.ts';
import { UnreadBlocks } from '../../../../src/chains/ethereum/blocks/unread-blocks.ts';
import type { NodeClient } from '../../../../src/chains/ethereum/rpc/node-client.ts';
import { createRpc } from '../../../../src/chains/ethereum/rpc/rpc.ts';
import type { ChainBlock, ChainIndex, NodeStatus } from '../../../../src/domain/chain.ts';
import { NO_ACCOUNTS } from '../../../_helpers/no-accounts.ts';
import { Refused, scriptedTransport } from '../../../_helpers/scripted-transport.ts';

const SHOP = `0x${'a'.repeat(40)}`;
const PAYER = `0x${'b'.repeat(40)}`;
const HOUR_MS = 3_600_000;
const hash = (digit: number): string => `0x${String(digit).repeat(64)}`;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const payment = { hash: hash(1), from: PAYER, to: SHOP, value: '0x7', nonce: '0x0', type: '0x2' };
const strange = { hash: hash(2), from: PAYER, type: '0x2a', frames: [] };
const receiptOf = (txid: unknown) => ({
  transactionHash: txid,
  blockHash: hash(5),
  blockNumber: '0x5',
  status: '0x1',
});

/** Block 5 with these transactions, on a node that the test may change. */
function scene(node: { transactions: object[]; receipt?: (txid: unknown) => unknown }) {
  const clock = { ms: 60_000, now: () => clock.ms };
  const rpc = createRpc(
    scriptedTransport((method, [first]) => {
      const block = { number: '0x5', hash: hash(5), parentHash: hash(4), timestamp: '0x32' };
      if (method === 'eth_getBlockByNumber' || method === 'eth_getBlockByHash') {
        return { ...block, transactions: node.transactions };
      }
      if (method === 'eth_getTransactionReceipt') return (node.receipt ?? receiptOf)(first);
      return new Refused(-32601, 'Method not found');
    }),
  );
  const balances = new BalanceReader(rpc, { batchSize: 10, clock, logger: silent });
  const client: NodeClient = {
    ...blockReads(rpc),
    ...accountReads({ rpc, balances, batchSize: 10 }),
    close: async () => undefined,
  };
  const index: ChainIndex = {
    ...NO_ACCOUNTS,
    watched: async (keys: readonly string[]) => new Set(keys.filter((key) => key === SHOP)),
    ownOutputs: async () => new Set<string>(),
  };
  const unread = new UnreadBlocks({ index, clock, logger: silent });
  const deps: BlockReaderDeps = {
    client,
    index,
    tracer: { transfers: async () => null },
    logger: silent,
    now: clock.now,
    shortfalls: new Shortfalls(),
    turns: new BalanceRotation(silent),
    unread,
  };
  const told = () => unread.withWarning({ warnings: null } as NodeStatus);
  return { clock, deps, client, unread, told };
}

/** Reads the block as often as it takes; answers the failures before. */
async function readAtLast(deps: BlockReaderDeps): Promise<{ block: ChainBlock; failures: string[] }> {
  const failures: string[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1) {
    try {
      const block = await readBlock(deps, 5);
      if (block !== null) return { block, failures };
    } catch (error) {
      failures.push(String(error));
    }
  }
  throw new Error(`never read: ${failures.join('; ')}`);
}

describe('readBlock with one transaction that it cannot parse', () => {
  it('credits the other transactions after three attempts, and logs the one that it cannot parse', async () => {
    const { deps, told } = scene({ transactions: [strange, payment] });
    const { block, failures } = await readAtLast(deps);
    expect(block.credits).toMatchObject([{ ref: { txid: hash(1), index: 0 }, amount: 7n }]);
    expect(failures).toHaveLength(2);
    expect(failures[0]).toContain(`block 5: transaction ${hash(2)}: unexpected value`);
    expect(told()).toMatchObject({
      unread: [{ txid: hash(2), height: 5, isUnknownVersion: true }],
      alarms: ['unread_transactions', 'unknown_version'],
    });
  });

  it('logs a transaction without a hash by its position in the block', async () => {
    const { deps, told } = scene({ transactions: [payment, { type: '0x2' }] });
    const { block } = await readAtLast(deps);
    expect(block.credits).toHaveLength(1);
    expect(told().unread).toMatchObject([{ txid: '5/1', isUnknownVersion: false }]);
  });

  it('stops warning once the node returns the transaction in a format that it can parse', async () => {
    const node = { transactions: [strange as object, payment] };
    const { deps, client, unread, clock, told } = scene(node);
    await readAtLast(deps);
    await unread.retry(client);
    expect(told().unread).toHaveLength(1);
    clock.ms += HOUR_MS;
    await unread.retry(client);
    expect(told().unread).toMatchObject([{ attempts: 2 }]);
    node.transactions[0] = { ...payment, hash: hash(2), to: PAYER };
    clock.ms += HOUR_MS;
    await unread.retry(client);
    expect(told().unread).toEqual([]);
  });

  it('does not credit a payment whose receipt it cannot parse, and credits all others', async () => {
    const second = { ...payment, hash: hash(3), nonce: '0x1', value: '0x9' };
    const receipt = (txid: unknown) => ({
      ...receiptOf(txid),
      ...(txid === hash(1) ? { status: null } : {}),
    });
    const { deps, told } = scene({ transactions: [payment, second], receipt });
    const { block } = await readAtLast(deps);
    expect(block.credits).toMatchObject([{ ref: { txid: hash(3) }, amount: 9n }]);
    expect(told().unread).toMatchObject([{ txid: hash(1), height: 5 }]);
  });

  it('requires only the success flag of the receipt of an incoming payment', async () => {
    const { deps } = scene({ transactions: [payment] });
    expect((await readAtLast(deps)).failures).toEqual([]);
  });

  it('never advances past a block in which it cannot parse the receipt of an outgoing transaction', async () => {
    const own = { ...payment, from: SHOP, to: PAYER };
    const { deps } = scene({ transactions: [own] });
    await expect(readAtLast(deps)).rejects.toThrow(`eth_getTransactionReceipt: no gasUsed of ${hash(1)}`);
  });

  it('never advances past a block whose transactions are not a list', async () => {
    const { deps } = scene({ transactions: 'none of yours' as unknown as object[] });
    await expect(readAtLast(deps)).rejects.toThrow('unexpected transactions');
  });
});
