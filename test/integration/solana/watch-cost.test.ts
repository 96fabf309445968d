import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSolanaAdapter } from '../../../src/chains/solana/adapter.ts';
import type { ChainAdapter } from '../../../src/domain/chain.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { OpenIndex } from '../../_helpers/svm/open-index.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';
import type { MemoryIndex } from '../../conformance/memory-index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** One round of the follower over a chain where nothing happened. */
async function round(adapter: ChainAdapter, node: SvmNode): Promise<Map<string, number>> {
  const cursor = await adapter.tip();
  node.advance(3);
  const before = node.calls.length;
  await adapter.hashAt(cursor.height);
  let at = cursor;
  for (;;) {
    const block = (await adapter.sparse?.blockAfter(at)) ?? null;
    if (block === null) break;
    at = block;
  }
  await adapter.unconfirmed();
  const asked = Map.groupBy(node.calls.slice(before), (method) => method);
  return new Map([...asked].map(([method, calls]) => [method, calls.length]));
}

describe('the number of RPC requests of AccountWatch per poll', () => {
  let node: SvmNode;

  beforeAll(async () => {
    node = await SvmNode.start();
    node.advance(40);
  });
  afterAll(async () => {
    await node.stop();
  });

  function watching(addresses: readonly string[]): { adapter: ChainAdapter; index: MemoryIndex } {
    const index = new OpenIndex(addresses);
    const clock = { now: () => Date.now() };
    const adapter = createSolanaAdapter({
      network: 'regtest',
      rpcUrl: node.url,
      index,
      clock,
      logger: silent,
    });
    return { adapter, index };
  }

  it.each([
    [1, 1],
    [100, 1],
    [101, 2],
    [250, 3],
    [1_000, 10],
  ])(
    'is, for %i open addresses, %i for balances, and four others whatever their number',
    async (open, requests) => {
      const { adapter } = watching(Array.from({ length: open }, strangerAddress));
      const asked = await round(adapter, node);
      expect(asked.get('getMultipleAccounts')).toBe(requests);
      asked.delete('getMultipleAccounts');
      expect([...asked.values()].reduce((sum, count) => sum + count, 0)).toBe(4);
      await adapter.close();
    },
  );

  it('includes the history of the paid account only', async () => {
    const addresses = Array.from({ length: 250 }, strangerAddress);
    const { adapter, index } = watching(addresses);
    const payer = new Payer(node);
    const cursor = await adapter.tip();
    payer.pay([{ address: addresses[137]!, amount: 5_000_000n }]);
    node.advance(3);
    const before = node.calls.length;
    const block = await adapter.sparse?.blockAfter(cursor);
    expect(block?.credits).toMatchObject([{ watchKey: addresses[137], amount: 5_000_000n }]);
    const asked = node.calls.slice(before);
    expect(asked.filter((method) => method === 'getSignaturesForAddress')).toHaveLength(1);
    expect(asked.filter((method) => method === 'getTransaction')).toHaveLength(1);
    index.record(block?.credits ?? []);
    const quiet = await round(adapter, node);
    expect(quiet.get('getSignaturesForAddress')).toBeUndefined();
    await adapter.close();
  });
});
