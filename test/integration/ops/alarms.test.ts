import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { requireNode, toAtoms, type FaultProxy, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer } from '../../_helpers/svm/payer.ts';
import { Till } from '../../_helpers/till.ts';

type Coin = 'BTC' | 'ETH' | 'SOL';

/** Health of the node is asked again after this long. */
const STATUS_MS = 31_000;

const isPaid = ({ status }: PaymentJson): boolean => status === 'completed';

const isSeen = ({ status }: PaymentJson): boolean => status === 'confirming';

const otherChain = (info: unknown): unknown => ({ ...(info as object), chain: 'test' });

const oldAgave = (): unknown => ({ 'feature-set': 1, 'solana-core': '1.18.26' });

interface AnyBlock {
  readonly transactions?: unknown[];
}

const newTypes = (block: unknown): unknown => {
  const { transactions } = (block ?? {}) as AnyBlock;
  if (transactions === undefined) return block;
  const typed = transactions.map((each) => (typeof each === 'object' ? { ...each, type: '0x2a' } : each));
  return { ...(block as AnyBlock), transactions: typed };
};

const nonsense = (block: unknown): unknown => {
  const { transactions } = (block ?? {}) as AnyBlock;
  return transactions === undefined ? block : { ...(block as AnyBlock), transactions: 'none of yours' };
};

/** What /readyz and /metrics say of one chain, which must be the same. */
async function alarmsOf(till: Till, coin: Coin): Promise<{ alarms: string[]; told: string }> {
  const { body } = await till.api.call<{
    chains: Record<string, { alarms: string[]; warnings: string[]; lastError: string | null }>;
  }>('GET', '/readyz');
  const chain = body.data.chains[coin];
  const text = await (await fetch(`${till.api.baseUrl}/metrics`)).text();
  const measured = [
    ...text.matchAll(/^tilld_chain_alarm\{coin="(\w+)",mode="live",kind="(\w+)"\} 1$/gm),
  ].flatMap(([, measuredCoin, kind]) => (measuredCoin === coin && kind !== undefined ? [kind] : []));
  const alarms = chain?.alarms ?? [];
  return {
    alarms: measured.toSorted().join() === alarms.toSorted().join() ? alarms : ['they disagree'],
    told: [...(chain?.warnings ?? []), chain?.lastError ?? ''].join(' '),
  };
}

async function raised(till: Till, coin: Coin, alarm: string | null): Promise<string> {
  const { told } = await eventually(
    `${coin}: ${alarm ?? 'no alarm'}`,
    async () => alarmsOf(till, coin),
    ({ alarms }) => (alarm === null ? alarms.length === 0 : alarms.includes(alarm)),
    40_000,
  );
  return told;
}

describe.skipIf(!requireNode('BTC'))('protocol alarms with a real Bitcoin node', () => {
  let world: LiveWorld<RegtestNode, Till>;
  let node: RegtestNode;
  let proxy: FaultProxy;
  let till: Till;
  let shop: Shop;

  beforeAll(async () => {
    world = await openLiveWorld('BTC');
    ({ node, proxy, till, shop } = world);
  });
  afterAll(async () => world.end());

  it.each([
    ['unknown_version', 'a transaction flag from the future', /unknown transaction flag 2 /],
    ['unreadable', 'half a block', /malformed at byte/],
  ] as const)(
    'raise %s on %s, and reading of the coin stops without skipping a block',
    async (alarm, _name, reason) => {
      const payment = await shop.createPayment({ allowedCryptos: ['BTC'] });
      const { address, amount, requiredConfirmations } = payment.options.BTC;
      // After the header, the count and the version of the coinbase comes its marker and then the flag.
      const flagAt = 2 * (80 + 1 + 4 + 1);
      const rewrite = (raw: unknown): unknown => {
        if (typeof raw !== 'string') return raw;
        return alarm === 'unreadable'
          ? raw.slice(0, 200)
          : `${raw.slice(0, flagAt)}02${raw.slice(flagAt + 2)}`;
      };
      const fault = proxy.inject({ kind: 'rewrite', rewrite }, { methods: ['getblock'] });
      await node.pay({ address, amountAtoms: toAtoms(amount) });
      await node.mine(requiredConfirmations);
      expect(await raised(till, 'BTC', alarm)).toMatch(reason);
      expect((await till.api.call('GET', '/readyz')).status).toBe(503);
      fault.clear();
      await raised(till, 'BTC', null);
      await eventually('paid', () => shop.payment(payment.id), isPaid);
    },
  );

  it('are not raised for an unknown transaction version, which anyone can have mined, and its payment is credited', async () => {
    const payment = await shop.createPayment({ allowedCryptos: ['BTC'] });
    const { address, amount, requiredConfirmations } = payment.options.BTC;
    const made = await node.rpc<string>('createrawtransaction', [[], [{ [address]: amount }]]);
    const funded = await node.rpc<{ hex: string }>('fundrawtransaction', [made]);
    const changed = `04000000${funded.hex.slice(8)}`;
    const signed = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', [changed]);
    await node.rpc('generateblock', [await node.newAddress(), [signed.hex]]);
    await node.mine(requiredConfirmations);
    await eventually('paid', () => shop.payment(payment.id), isPaid);
    till.clock.advance(STATUS_MS);
    await till.ready();
    await raised(till, 'BTC', null);
    const metrics = await (await fetch(`${till.api.baseUrl}/metrics`)).text();
    expect(metrics).toContain('tilld_odd_versions_total{coin="BTC",mode="live"} 1\n');
  });

  it.each([
    ['node_outdated', { subversion: '/Satoshi:24.0.1/' }, /24\.0\.1 is older than 29/],
    ['clock_skew', { timeoffset: -900 }, /clock differs from its peers' by -900 seconds/],
    [
      'blocks_only',
      { localrelay: false },
      /runs with -blocksonly: payments are seen only once a block has them/,
    ],
  ] as const)(
    'raise %s when the node reports it, and the node stays in use',
    async (alarm, change, reason) => {
      const rewrite = (info: unknown): unknown => ({ ...(info as object), ...change });
      const fault = proxy.inject({ kind: 'rewrite', rewrite }, { methods: ['getnetworkinfo'] });
      till.clock.advance(STATUS_MS);
      expect(await raised(till, 'BTC', alarm)).toMatch(reason);
      expect((await till.api.call('GET', '/readyz')).status).toBe(200);
      fault.clear();
      till.clock.advance(STATUS_MS);
      await raised(till, 'BTC', null);
    },
  );

  it('raise clock_skew when the system clock is behind the block times', async () => {
    await node.mine(1);
    await till.ready();
    const behindMs = till.clock.now() - Date.now() + 3_600_000;
    till.clock.advance(-behindMs);
    expect(await raised(till, 'BTC', 'clock_skew')).toMatch(/minutes ahead of this machine's clock/);
    till.clock.advance(behindMs);
    await raised(till, 'BTC', null);
  });

  it('raise wrong_chain for a node that switches to another network, and the node is not used any more', async () => {
    const fault = proxy.inject({ kind: 'rewrite', rewrite: otherChain }, { methods: ['getblockchaininfo'] });
    till.clock.advance(STATUS_MS);
    expect(await raised(till, 'BTC', 'wrong_chain')).toContain('expected Bitcoin regtest');
    fault.clear();
    await raised(till, 'BTC', null);
  });
});

describe.skipIf(!requireAnvil())('protocol alarms with a real Ethereum node', () => {
  let world: LiveWorld<Anvil, Till>;
  let anvil: Anvil;
  let proxy: FaultProxy;
  let till: Till;
  let shop: Shop;

  beforeAll(async () => {
    world = await openLiveWorld('ETH');
    ({ node: anvil, proxy, till, shop } = world);
  });
  afterAll(async () => world.end());

  it('raise new_transactions for an unknown transaction type in a block, and its payment is credited', async () => {
    const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
    const { address, amount, requiredConfirmations } = payment.options.ETH;
    const fault = proxy.inject({ kind: 'rewrite', rewrite: newTypes }, { methods: ['eth_getBlockByNumber'] });
    await anvil.pay({ address, amount: parseCoinAmount(amount, 'ETH') });
    await anvil.mine(requiredConfirmations);
    await eventually('paid', () => shop.payment(payment.id), isPaid);
    fault.clear();
    till.clock.advance(STATUS_MS);
    expect(await raised(till, 'ETH', 'new_transactions')).toMatch(/type not known.*42 \(block \d+\)/);
  });

  it('raise unreadable for a malformed block, and the block is not skipped', async () => {
    const height = await anvil.height();
    const fault = proxy.inject({ kind: 'rewrite', rewrite: nonsense }, { methods: ['eth_getBlockByNumber'] });
    await anvil.mine(2);
    expect(await raised(till, 'ETH', 'unreadable')).toContain('transactions');
    fault.clear();
    await eventually(
      'it is followed again',
      async () => (await alarmsOf(till, 'ETH')).alarms,
      (alarms) => !alarms.includes('unreadable'),
      40_000,
    );
    await till.ready();
    expect(await anvil.height()).toBe(height + 2);
  });

  it('raise node_outdated for an old version of the node, and clock_skew for a block time ahead of the system clock', async () => {
    const old = 'Geth/v1.13.4-stable-3f907d6a/linux-amd64/go1.21.3';
    const rewrite = (result: unknown, method: string): unknown =>
      method === 'web3_clientVersion' ? old : result;
    const fault = proxy.inject({ kind: 'rewrite', rewrite }, { methods: ['web3_clientVersion'] });
    till.clock.advance(STATUS_MS);
    expect(await raised(till, 'ETH', 'node_outdated')).toContain('1.13.4 is older than 1.16.7');
    fault.clear();
    const ahead = Math.floor(till.clock.now() / 1000) + 600;
    await anvil.rpc('evm_setNextBlockTimestamp', [ahead]);
    await anvil.mine(1);
    expect(await raised(till, 'ETH', 'clock_skew')).toContain('ahead of this machine');
  });
});

describe('protocol alarms with a real Solana machine', () => {
  let world: LiveWorld<SvmNode, Till>;
  let node: SvmNode;
  let till: Till;
  let shop: Shop;

  beforeAll(async () => {
    world = await openLiveWorld('SOL');
    ({ node, till, shop } = world);
  });
  afterAll(async () => world.end());

  it('raise unknown_version for a transaction that cannot be parsed, and it is credited once it can be parsed', async () => {
    const payer = new Payer(node);
    const payment = await shop.createPayment({ allowedCryptos: ['SOL'] });
    const { address, amount } = payment.options.SOL;
    const signature = payer.pay([{ address, amount: parseCoinAmount(amount, 'SOL') }]);
    const about = ([asked]: readonly unknown[]) => asked === signature;
    const fault = node.inject(
      { kind: 'error', code: -32015, message: 'Transaction version (2) is not supported' },
      { methods: ['getTransaction'], about },
    );
    node.advance(33);
    const others = await shop.createPayment({ allowedCryptos: ['SOL'] });
    const other = others.options.SOL;
    payer.pay([{ address: other.address, amount: parseCoinAmount(other.amount, 'SOL') }]);
    node.advance(33);
    await eventually('another order is paid meanwhile', () => shop.payment(others.id), isPaid);
    till.clock.advance(STATUS_MS);
    expect(await raised(till, 'SOL', 'unknown_version')).toContain('this version of tilld cannot read');
    const { body } = await till.api.call<{ chains: Record<string, object> }>('GET', '/readyz');
    expect(body.data.chains['SOL']).toMatchObject({
      state: 'following',
      unread: { count: 1, transactions: [{ txid: signature, account: address }] },
    });
    expect(await shop.payment(payment.id)).toMatchObject({ status: 'pending' });
    fault.clear();
    till.clock.advance(STATUS_MS);
    node.advance(2);
    await eventually('credited', () => shop.payment(payment.id), isSeen);
    node.advance(33);
    await eventually('paid', () => shop.payment(payment.id), isPaid);
    till.clock.advance(STATUS_MS);
    await raised(till, 'SOL', null);
  });

  it('raise node_outdated for an old version of the node', async () => {
    const fault = node.inject({ kind: 'rewrite', rewrite: oldAgave }, { methods: ['getVersion'] });
    till.clock.advance(STATUS_MS);
    expect(await raised(till, 'SOL', 'node_outdated')).toContain('1.18.26 is older than 4.2.2');
    fault.clear();
    till.clock.advance(STATUS_MS);
    await raised(till, 'SOL', null);
  });
});
