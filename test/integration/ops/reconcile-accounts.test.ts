import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { createSolanaAdapter } from '../../../src/chains/solana/adapter.ts';
import { createChainIndex } from '../../../src/store/watch/chain-index.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { reconcile } from '../../../src/usecases/chain-sync/reconcile.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { startFaultProxy, type FaultProxy } from '../../_helpers/nodes/index.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';
import { silent } from '../../_helpers/wallet-world.ts';
import { runTool, type ToolResult } from '../../_helpers/tool.ts';

const due = (payment: PaymentJson, coin: 'ETH' | 'SOL'): bigint =>
  parseCoinAmount(payment.options[coin].amount, coin);

const isPaid = ({ status }: PaymentJson): boolean => status === 'completed';

async function metric(till: Till, name: string): Promise<number> {
  const text = await (await fetch(`${till.api.baseUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? Number.NaN);
}

describe.skipIf(!requireAnvil())('reconciliation of the ledger with a real Ethereum node', () => {
  let anvil: Anvil;
  let proxy: FaultProxy;
  let till: Till;
  let shop: Shop;
  let paid: PaymentJson;

  beforeAll(async () => {
    anvil = await Anvil.start();
    proxy = await startFaultProxy(anvil.rpcUrl);
    till = await Till.start(liveEnv({ ETH: anvil.rpcUrl }));
    shop = await Shop.open(till.api);
    await till.ready();
    for (const inside of [false, true]) {
      paid = await shop.createPayment({ allowedCryptos: ['ETH'] });
      const { address, requiredConfirmations } = paid.options.ETH;
      const output = { address, amount: due(paid, 'ETH') };
      await (inside ? anvil.payInside([output]) : anvil.pay(output));
      await anvil.mine(requiredConfirmations);
      await eventually('paid', () => shop.payment(paid.id), isPaid);
    }
    await eventually(
      'both deposits are moved',
      async () => {
        await anvil.mine(1);
        return parseCoinAmount(await shop.balance('ETH'), 'ETH');
      },
      (now) => now > due(paid, 'ETH'),
    );
    const sent = await shop.send({ coin: 'ETH', amount: '0.01', destination: await anvil.newAddress() });
    expect(sent.body.error).toBeNull();
    await eventually(
      'the send is confirmed',
      async () => {
        await anvil.mine(1);
        return shop.api.must<{ status: string }>(
          'GET',
          `/merchant/wallet/send-status?txHash=${sent.body.data.txHash}`,
          { token: shop.secretKey },
        );
      },
      ({ status }) => status === 'confirmed',
    );
    await till.ready();
  });
  afterAll(async () => {
    await till.end();
    await Promise.all([proxy.close(), anvil.stop()]);
  });

  const byTool = async (url = anvil.rpcUrl): Promise<ToolResult> =>
    runTool('reconcile', ['--data-dir', till.dataDir], {
      env: { ...liveEnv({ ETH: url }), TILLD_RPC_TIMEOUT: '2s' },
    });

  it('reports no difference of a wei after payments, sweeps and a send, also while blocks arrive', async () => {
    const [agreed] = await Promise.all([byTool(), anvil.mine(2)]);
    expect(agreed, agreed.stderr).toMatchObject({ code: 0 });
    expect(agreed.stdout).toMatch(/^ETH: 3 addresses, 0\.0[0-9]+ ETH unspent at height \d+, 0 differences$/m);
    const held = await anvil.balance(shop.wallets.ETH);
    expect(agreed.stdout).toContain(`${formatCoinAmount(held, 'ETH')} ETH`);
    expect(await metric(till, 'tilld_reconcile_unknown{coin="ETH",mode="live"}')).toBe(0);
  });

  it('reports an unknown result, instead of no difference, when the node does not respond', async () => {
    const fault = proxy.inject({ kind: 'reset' });
    const told = await byTool(proxy.url);
    fault.clear();
    expect(told.code).toBe(1);
    expect(told.stdout).toMatch(/^ETH: unknown, /m);
    expect(told.stdout).not.toContain('differences');
    expect(await metric(till, 'tilld_reconcile_unknown{coin="ETH",mode="live"}')).toBe(1);
    const stateless = proxy.inject(
      { kind: 'rpcError', code: -32000, message: 'missing trie node' },
      { methods: ['eth_getBalance', 'eth_call'] },
    );
    expect((await byTool(proxy.url)).stdout).toContain('ETH: unknown, the node keeps no balances of block');
    stateless.clear();
    expect((await byTool(proxy.url)).code).toBe(0);
    expect(await metric(till, 'tilld_reconcile_unknown{coin="ETH",mode="live"}')).toBe(0);
  });

  it('reports a balance that no transaction explains, and removes no credit', async () => {
    const before = await shop.balance('ETH');
    const address = shop.wallets.ETH;
    const held = await anvil.balance(address);
    await anvil.rpc('anvil_setBalance', [address, `0x${(held / 2n).toString(16)}`]);
    await anvil.mine(2);
    await till.ready();
    const told = await byTool();
    expect(told.code).toBe(1);
    expect(told.stdout).toContain('1 differences');
    const [ledger, chain] = [held, held / 2n].map((amount) => formatCoinAmount(amount, 'ETH'));
    expect(told.stdout).toContain(`${address.toLowerCase()}: ledger ${ledger} ETH, chain ${chain} ETH`);
    expect(await metric(till, 'tilld_reconcile_differences{coin="ETH",mode="live"}')).toBe(1);
    expect(await shop.balance('ETH')).toBe(before);
  });
});

describe('reconciliation of the ledger with a real Solana machine', () => {
  let world: LiveWorld<SvmNode, Till>;
  let node: SvmNode;
  let till: Till;
  let shop: Shop;
  let payments: PaymentJson[];

  beforeAll(async () => {
    world = await openLiveWorld('SOL');
    ({ node, till, shop } = world);
    const payer = new Payer(node);
    payments = await Promise.all([1, 2, 3].map(async () => shop.createPayment({ allowedCryptos: ['SOL'] })));
    payer.pay(
      payments.map((payment) => ({ address: payment.options.SOL.address, amount: due(payment, 'SOL') })),
    );
    payer.pay([{ address: shop.wallets.SOL, amount: 1_000_000_000n }]);
    node.advance(33);
    for (const { id } of payments) await eventually('paid', () => shop.payment(id), isPaid);
    const sent = await shop.send({ coin: 'SOL', amount: '1.2', destination: strangerAddress() });
    expect(sent.body.error).toBeNull();
    node.advance(35);
    await till.ready();
  });
  afterAll(async () => world.end());

  const byTool = async (): Promise<ToolResult> =>
    runTool('reconcile', ['--data-dir', till.dataDir], {
      env: { ...liveEnv({ SOL: node.url }), TILLD_RPC_TIMEOUT: '2s' },
    });

  /** As the daemon does, which has less patience with differences here. */
  const byHand = async () => {
    const { db } = await openDatabase(join(till.dataDir, 'tilld.sqlite'));
    const index = createChainIndex(db, { coin: 'SOL', mode: 'live' });
    const options = {
      network: 'regtest',
      rpcUrl: node.url,
      index,
      clock: till.clock,
      logger: silent,
    } as const;
    const adapter = createSolanaAdapter(options);
    try {
      return await reconcile({ db, clock: till.clock, logger: silent, patienceMs: 1_500 }, adapter);
    } finally {
      await Promise.all([adapter.close(), db.close()]);
    }
  };

  it('reports no difference of a lamport after payments and a send from several addresses', async () => {
    node.tick(100);
    const agreed = await byTool();
    node.hold();
    expect(agreed.stdout + agreed.stderr).toMatch(/^SOL: 4 addresses, 1\.29\d* SOL .* 0 differences$/m);
    expect(agreed.code).toBe(0);
  });

  it('reports an unknown result when the node does not respond', async () => {
    const fault = node.inject({ kind: 'cut' }, { methods: ['getMultipleAccounts'] });
    const told = await byTool();
    fault.clear();
    expect(told.code).toBe(1);
    expect(told.stdout).toMatch(/^SOL: unknown, /m);
  });

  it('reports a balance without history and credits nothing', async () => {
    const before = await shop.balance('SOL');
    const { confirmations } = (await shop.payment(payments[2]?.id ?? '')).options.SOL;
    const address = payments[2]?.options.SOL.address ?? '';
    const unexplained = 'tilld_chain_unexplained_accounts{coin="SOL",mode="live"}';
    const height = 'tilld_chain_height{coin="SOL",mode="live"}';
    await till.ready();
    const lamports = node.ledger.machine.lamports(address) + 7_000_000n;
    node.ledger.put(address, {
      lamports,
      data: new Uint8Array(),
      owner: '1'.repeat(32),
      executable: false,
    });
    node.advance(2);
    // The account waits for its history, and is told of; nothing else waits for it.
    await eventually(
      'it is told of',
      async () => {
        till.clock.advance(5_000);
        node.advance(1);
        return metric(till, unexplained);
      },
      (accounts) => accounts === 1,
      60_000,
    );
    till.clock.advance(30_000);
    node.advance(40);
    const tip = node.ledger.tip('confirmed').slot;
    await eventually(
      'it is followed again',
      async () => metric(till, height),
      (at) => at >= tip - 1,
      60_000,
    );
    expect(await byHand()).toMatchObject({
      kind: 'compared',
      differences: [{ subject: address, ledger: lamports - 7_000_000n, chain: lamports }],
    });
    // Nothing recorded before was recorded once more, under a newer block.
    const after = await shop.payment(payments[2]?.id ?? '');
    expect(after).toMatchObject({ status: 'completed', exception: null });
    expect(after.options.SOL.confirmations).toBeGreaterThanOrEqual(confirmations + 40);
    expect(after.timeline.map(({ type }) => type)).not.toContain('payment.reversed');
    expect(await metric(till, 'tilld_reconcile_differences{coin="SOL",mode="live"}')).toBe(1);
    expect(await shop.balance('SOL')).toBe(before);
  });
});
