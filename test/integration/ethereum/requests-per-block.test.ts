import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createEthereumAdapter } from '../../../src/chains/ethereum/adapter.ts';
import type { ChainAdapter, ChainIndex } from '../../../src/domain/chain.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { startFaultProxy, type FaultProxy } from '../../_helpers/nodes/index.ts';
import { MemoryIndex } from '../../conformance/memory-index.ts';
import { silent } from '../../_helpers/wallet-world.ts';

/** Addresses whose turn a block is: as many as the daemon looks at for a shop whose orders name four coins. */
const IN_TURN = 100;

/** So many open accounts, the first of them the one that is paid. */
function openAccounts(paid: string, count: number): ChainIndex {
  const others = Array.from({ length: count - 1 }, (_, at) => accountOf(0x100000 + at));
  const index = new MemoryIndex();
  index.watch(paid);
  return Object.assign(index, {
    open: async () => [paid, ...others].map((watchKey) => ({ watchKey, since: 0 })),
    turn: async () =>
      Array.from({ length: IN_TURN }, (_, at) => ({ watchKey: accountOf(0x900000 + at), since: 0 })),
  });
}

function accountOf(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

describe.skipIf(!requireAnvil())('the number of RPC requests for an Ethereum block with a payment', () => {
  let anvil: Anvil;
  let proxy: FaultProxy;
  let adapter: ChainAdapter;

  beforeAll(async () => {
    anvil = await Anvil.start();
    proxy = await startFaultProxy(anvil.rpcUrl);
  });
  afterEach(async () => {
    await proxy.heal();
    await adapter.close();
  });
  afterAll(async () => {
    await proxy.close();
    await anvil.stop();
  });

  /** Calls that a block costs with so many open payments, once the daemon runs. */
  const callsWith = async (open: number): Promise<number> => {
    const paid = accountOf(0xd00000 + (await anvil.height()));
    const index = openAccounts(paid, open);
    const clock = { now: () => Date.now() };
    adapter = createEthereumAdapter({
      network: 'regtest',
      rpcUrl: proxy.url,
      index,
      clock,
      logger: silent,
    });
    await anvil.pay({ address: await anvil.newAddress(), amount: 7n });
    await anvil.mine(1);
    const { height } = await adapter.tip();
    await adapter.blockAt(height);
    await anvil.pay({ address: paid, amount: 7n });
    await anvil.mine(1);
    proxy.resetCounts();
    const block = await adapter.blockAt(height + 1);
    expect(block?.credits).toMatchObject([{ watchKey: paid, amount: 7n }]);
    const calls = Object.values(proxy.callCounts).reduce((sum, count) => sum + count, 0);
    return calls;
  };

  const untraced = (): void => {
    proxy.inject(
      { kind: 'rpcError', code: -32601, message: 'the method does not exist' },
      { methods: ['debug_traceBlockByHash', 'trace_block'] },
    );
  };

  // What the README says that a plan must allow.
  it.each([
    [100, 3],
    [1_000, 4],
    [10_000, 17],
  ])('with %i open payments at a node without traces is %i', async (open, calls) => {
    untraced();
    expect(await callsWith(open)).toBe(calls);
  });

  it.each([100, 1_000, 10_000])('with %i open payments at a node with traces is 4', async (open) => {
    expect(await callsWith(open)).toBe(4);
  });

  it('includes one per balance with 1,000 open payments at a node that refuses eth_call', async () => {
    untraced();
    const refusal = { kind: 'rpcError', code: -32601, message: 'the method is not available' } as const;
    proxy.inject(refusal, { methods: ['eth_call'] });
    expect(await callsWith(1_000)).toBe(2 + 1_000 + IN_TURN);
  });
});
