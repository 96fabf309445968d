import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type PaymentJson, type SendJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { TwoBackends } from '../../_helpers/anvil/two-backends.ts';
import { type Fault, startFaultProxy, type FaultProxy } from '../../_helpers/nodes/index.ts';
import { openLiveProcess, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, Till, TillProcess } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const wei = (text: string): bigint => parseCoinAmount(text, 'ETH');

/** Pays an order the way every third payer does: from an account, or through a contract. */
async function payOrder(anvil: Anvil, payment: PaymentJson, turn: number): Promise<string> {
  const output = { address: payment.options.ETH.address, amount: wei(payment.options.ETH.amount) };
  return turn % 3 === 2 ? anvil.payInside([output]) : anvil.pay(output);
}

async function expectPaidOnce(shop: Shop, sink: WebhookSink, payment: PaymentJson): Promise<void> {
  await sink.waitForEvent('payment.completed', payment.id, 120_000);
  const done = await shop.payment(payment.id);
  expect(done).toMatchObject({ status: 'completed', exception: null });
  expect(done.options.ETH.received).toBe(payment.options.ETH.amount);
  expect(done.transactions.filter(({ status }) => status !== 'reversed')).toHaveLength(1);
  expect(sink.types(payment.id)).not.toContain('payment.reversed');
}

async function mineUntil(anvil: Anvil, what: string, isDone: () => Promise<boolean>): Promise<void> {
  await eventually(
    what,
    async () => {
      await anvil.mine(1);
      await sleep(100);
      return isDone();
    },
    (done) => done,
    60_000,
  );
}

/** A block as a node may show it that dropped its transactions. */
function emptied(block: unknown): unknown {
  return typeof block === 'object' && block !== null ? { ...block, transactions: [] } : block;
}

describe.skipIf(!requireAnvil())('an unreliable Ethereum node', () => {
  let anvil: Anvil;
  let sink: WebhookSink;

  beforeAll(async () => {
    [anvil, sink] = await Promise.all([Anvil.start(), WebhookSink.start()]);
  });
  afterAll(async () => {
    await Promise.all([anvil.stop(), sink.close()]);
  });

  it('causes no payment to be lost while it limits the rate, stalls, reports a wrong tip and reorders responses', async () => {
    await using proxy = await startFaultProxy(anvil.rpcUrl);
    await using till = await Till.start({ ...liveEnv({ ETH: proxy.url }), TILLD_RPC_TIMEOUT: '1s' });
    const shop = await Shop.open(till.api, { webhookUrl: sink.url });
    await till.ready();
    const ended = new AbortController();
    const havoc = wreak(proxy, ended.signal);
    const payments: PaymentJson[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
      payments.push(payment);
      await payOrder(anvil, payment, turn);
      await sleep(80);
      if (turn % 2 === 1) await anvil.mine(1);
    }
    await anvil.mine(4);
    await Promise.all(payments.map((payment) => expectPaidOnce(shop, sink, payment)));
    ended.abort();
    const hits = await havoc;
    expect(Object.keys(hits)).toHaveLength(8);
    expect(Math.min(...Object.values(hits))).toBeGreaterThan(0);
    const paid = payments.reduce((sum, payment) => sum + wei(payment.options.ETH.amount), 0n);
    let fees = 0n;
    await mineUntil(anvil, 'all deposits are moved', async () => {
      const balance = wei(await shop.balance('ETH'));
      const left = await Promise.all(payments.map(({ options }) => anvil.balance(options.ETH.address)));
      fees = paid - balance;
      return left.every((amount) => amount === 0n) && (await anvil.balance(shop.wallets.ETH)) === balance;
    });
    expect(fees).toBeGreaterThan(0n);
    expect(fees * 100n).toBeLessThan(paid);
  }, 240_000);

  it('causes no payment to be missed or duplicated when a load balancer has backends at different heights', async () => {
    await using both = await TwoBackends.start(anvil.rpcUrl, 2);
    await using till = await Till.start(liveEnv({ ETH: both.url }));
    const shop = await Shop.open(till.api, { webhookUrl: sink.url });
    const payments: PaymentJson[] = [];
    for (let turn = 0; turn < 9; turn += 1) {
      const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
      payments.push(payment);
      await payOrder(anvil, payment, turn);
      await anvil.mine(1);
      await sleep(100);
    }
    await anvil.mine(6);
    await Promise.all(payments.map((payment) => expectPaidOnce(shop, sink, payment)));
    const last = payments.at(-1)!;
    await mineUntil(
      anvil,
      'deposits are moved',
      async () => (await anvil.balance(last.options.ETH.address)) === 0n,
    );
  });

  it('does not hide contract payments in a block whose trace takes too long', async () => {
    await using proxy = await startFaultProxy(anvil.rpcUrl);
    await using till = await Till.start(liveEnv({ ETH: proxy.url }));
    const shop = await Shop.open(till.api, { webhookUrl: sink.url });
    await till.ready();
    const payments = [
      await shop.createPayment({ allowedCryptos: ['ETH'] }),
      await shop.createPayment({ allowedCryptos: ['ETH'] }),
    ];
    const slow = proxy.inject(
      { kind: 'rpcError', code: -32000, message: 'execution aborted (timeout = 5s)' },
      { methods: ['debug_traceBlockByHash'] },
    );
    await payOrder(anvil, payments[0]!, 2);
    await anvil.mine(1);
    await eventually(
      'the payment is seen',
      async () => (await shop.payment(payments[0]!.id)).status,
      (status) => status === 'confirming',
    );
    slow.clear();
    await payOrder(anvil, payments[1]!, 2);
    await anvil.mine(4);
    for (const payment of payments) await expectPaidOnce(shop, sink, payment);
  });

  it.each<[client: string, fault: Fault]>([
    ['geth', { kind: 'rpcError', code: -32000, message: 'missing trie node: state is not available' }],
    ['Nethermind', { kind: 'rpcError', code: -32002, message: 'No state available for block 0x0a1b' }],
    ['Besu', { kind: 'rewrite', rewrite: () => null }],
  ])(
    'does not hide contract payments made during a downtime of the daemon when it lacks traces and old states, with the error of %s',
    async (_client, noState) => {
      // Every block of it is read at the start.
      await using fresh = await Anvil.start();
      await using proxy = await startFaultProxy(fresh.rpcUrl);
      proxy.inject(
        { kind: 'rpcError', code: -32601, message: 'the method does not exist' },
        { methods: ['debug_traceBlockByHash', 'trace_block'] },
      );
      await using till = await Till.start(liveEnv({ ETH: proxy.url }));
      const shop = await Shop.open(till.api, { webhookUrl: sink.url });
      await till.ready();
      const payments = [
        await shop.createPayment({ allowedCryptos: ['ETH'] }),
        await shop.createPayment({ allowedCryptos: ['ETH'] }),
      ];
      await till.down();
      for (const payment of payments) await payOrder(fresh, payment, 2);
      await fresh.mine(150);
      const pruned = proxy.inject(noState, { methods: ['eth_getBalance', 'eth_call'] });
      await till.up();
      await till.ready(90_000);
      expect(await shop.payment(payments[0]!.id)).toMatchObject({ status: 'pending' });
      pruned.clear();
      await fresh.mine(4);
      for (const payment of payments) await expectPaidOnce(shop, sink, payment);
    },
    180_000,
  );

  it('is still used when it returns an error for a block whose state it pruned', async () => {
    await using fresh = await Anvil.start({ keptStates: 150 });
    await using proxy = await startFaultProxy(fresh.rpcUrl);
    proxy.inject(
      { kind: 'rpcError', code: -32601, message: 'the method does not exist' },
      { methods: ['debug_traceBlockByHash', 'trace_block'] },
    );
    await using till = await Till.start(liveEnv({ ETH: proxy.url }));
    const shop = await Shop.open(till.api, { webhookUrl: sink.url });
    await till.ready();
    const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
    await till.down();
    await payOrder(fresh, payment, 2);
    await fresh.mine(200);
    await till.up();
    await expectPaidOnce(shop, sink, payment);
  });

  it('does not slow down the reading of many blocks when it lacks traces of old ones', async () => {
    await using fresh = await Anvil.start();
    await using proxy = await startFaultProxy(fresh.rpcUrl);
    await using till = await Till.start(liveEnv({ ETH: proxy.url }));
    const shop = await Shop.open(till.api, { webhookUrl: sink.url });
    await till.ready();
    const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
    await till.down();
    proxy.inject(
      { kind: 'rpcError', code: -32000, message: 'required historical state unavailable (reexec=128)' },
      { methods: ['debug_traceBlockByHash'] },
    );
    for (let height = 0; height < 20; height += 1) {
      await fresh.pay({ address: await fresh.newAddress(), amount: 1n });
      await fresh.mine(1);
    }
    await payOrder(fresh, payment, 2);
    await fresh.mine(4);
    await till.up();
    await sink.waitForEvent('payment.completed', payment.id, 120_000);
  }, 240_000);

  it('causes an error when it returns a block without its pruned transactions', async () => {
    await using proxy = await startFaultProxy(anvil.rpcUrl);
    await using till = await Till.start(liveEnv({ ETH: proxy.url }));
    const shop = await Shop.open(till.api, { webhookUrl: sink.url });
    await till.ready(90_000);
    const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
    const dropped = proxy.inject(
      { kind: 'rewrite', rewrite: emptied },
      { methods: ['eth_getBlockByNumber'] },
    );
    const before = await anvil.height();
    await payOrder(anvil, payment, 0);
    await anvil.mine(1);
    const eth = await eventually(
      'it is told',
      async () =>
        (
          await till.api.call<{ chains: Record<string, { height: number; alarms: string[] }> }>(
            'GET',
            '/readyz',
          )
        ).body.data.chains['ETH'],
      (chain) => chain?.alarms.includes('pruned') === true,
    );
    expect(eth?.height).toBe(before);
    dropped.clear();
    await anvil.mine(4);
    await expectPaidOnce(shop, sink, payment);
  }, 240_000);

  it('is rejected with the name of its chain when it serves another chain, and the coin is not offered', async () => {
    await using other = await Anvil.start({ chainId: 1 });
    await using till = await Till.start(liveEnv({ ETH: other.rpcUrl }));
    const shop = await Shop.open(till.api);
    const health = await eventually(
      'the wrong chain is told',
      async () =>
        (
          await till.api.call<{ chains: Record<string, { state: string; lastError: string }> }>(
            'GET',
            '/readyz',
          )
        ).body.data.chains['ETH'],
      (eth) => eth?.state === 'wrong_chain',
    );
    expect(health?.lastError).toMatch(/chain id 1/);
    const refused = await till.api.call('POST', '/payment/create', {
      token: shop.publicKey,
      body: {
        amount: '1',
        currency: 'USD',
        customerId: shop.customerId,
        orderId: 'x',
        allowedCryptos: ['ETH'],
      },
    });
    expect(refused.body.error?.code).toBe('COIN_UNAVAILABLE');
  });
});

/** One trouble after the other, a moment of peace between them; answers how often each was met. */
async function wreak(proxy: FaultProxy, signal: AbortSignal): Promise<Record<string, number>> {
  const hits: Record<string, number> = {};
  const older: unknown[] = [];
  const stale = (result: unknown, method: string): unknown => {
    if (method !== 'eth_getBlockByNumber') return result;
    older.push(result);
    return older.at(-3) ?? result;
  };
  const troubles = [
    ['limited', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }],
    ['late', { kind: 'delay', delayMs: 300 }],
    ['reordered', { kind: 'reverseBatch' }],
    ['hanging', { kind: 'hang' }],
    ['stale', { kind: 'rewrite', rewrite: stale }],
    ['repeated', { kind: 'duplicateBatch' }],
    ['cut off', { kind: 'truncate' }],
    ['busy', { kind: 'rpcError', code: -32005, message: 'limit exceeded' }],
  ] as const;
  for (let turn = 0; turn < troubles.length || !signal.aborted; turn += 1) {
    const [name, fault] = troubles[turn % troubles.length]!;
    const injected = proxy.inject(fault);
    await eventually(
      `the node is ${name}`,
      () => injected.hits,
      (count) => count > 0,
      60_000,
    );
    await sleep(150);
    injected.clear();
    hits[name] = (hits[name] ?? 0) + injected.hits;
    await sleep(300);
  }
  return hits;
}

describe.skipIf(!requireAnvil())('a daemon that is killed while it reads an Ethereum node', () => {
  let world: LiveWorld<Anvil, TillProcess>;
  let anvil: Anvil;
  let proxy: FaultProxy;
  let till: TillProcess;
  let sink: WebhookSink;
  let shop: Shop;

  beforeAll(async () => {
    world = await openLiveProcess('ETH');
    ({ node: anvil, proxy, sink, till, shop } = world);
    await anvil.pay({ address: shop.wallets.ETH, amount: wei('1') });
    await anvil.mine(1);
    await eventually(
      'the wallet is funded',
      () => shop.balance('ETH'),
      (balance) => balance === '1',
    );
  });

  afterAll(async () => world.end());

  const waiting = async (): Promise<string[]> =>
    (await anvil.rpc<{ transactions: string[] }>('eth_getBlockByNumber', ['pending', false])).transactions;

  it.each([
    ['after signing, before the node has the bytes', 'hang', 0],
    ['after the node accepted the bytes, before its response', 'hangAfter', 1],
  ] as const)('broadcasts the same bytes once after a crash %s', async (name, kind, held) => {
    const order = { coin: 'ETH', amount: '0.1', destination: await anvil.newAddress() };
    const fault = proxy.inject({ kind }, { methods: ['eth_sendRawTransaction'] });
    const calls = proxy.calls('eth_sendRawTransaction');
    const asked = shop.send(order, { 'idempotency-key': name }).catch(() => null);
    await proxy.waitForCall('eth_sendRawTransaction', calls + 1);
    await eventually('the node has what it may have', waiting, (txids) => txids.length === held);
    await till.kill9();
    await asked;
    fault.clear();
    await till.up();
    const [txid] = await eventually('the node has it', waiting, (txids) => txids.length === 1);
    const again = await shop.send(order, { 'idempotency-key': name });
    expect(again.body.data.txHash).toBe(txid);
    await anvil.mine(1);
    await eventually(
      'the send is confirmed',
      () =>
        shop.api.must<SendJson>('GET', `/merchant/wallet/send-status?sendId=${again.body.data.id}`, {
          token: shop.secretKey,
        }),
      (send) => send.status === 'confirmed',
    );
    expect(await anvil.balance(order.destination)).toBe(wei('0.1'));
    expect(await anvil.balance(shop.wallets.ETH)).toBe(wei(await shop.balance('ETH')));
  });

  it('does not let a rejected send block the later ones', async () => {
    const calls = proxy.calls('eth_sendRawTransaction');
    const scope = { methods: ['eth_sendRawTransaction'], times: 1 };
    proxy.inject({ kind: 'delay', delayMs: 1_000 }, scope);
    proxy.inject({ kind: 'rpcError', code: -32000, message: 'insufficient funds for gas' }, scope);
    const destination = await anvil.newAddress();
    const refused = shop.send({ coin: 'ETH', amount: '0.01', destination });
    await proxy.waitForCall('eth_sendRawTransaction', calls + 1);
    const next = await shop.send({ coin: 'ETH', amount: '0.02', destination });
    expect((await refused).body.error?.code).toBe('SEND_REJECTED');
    await mineUntil(anvil, 'the later send is mined', async () => (await anvil.balance(destination)) > 0n);
    expect(next.body.data.status).toBe('broadcast');
    expect(await anvil.balance(destination)).toBe(wei('0.02'));
    await eventually(
      'the ledger knows what is left',
      async () => wei(await shop.balance('ETH')) - (await anvil.balance(shop.wallets.ETH)),
      (difference) => difference === 0n,
    );
  });

  it('credits each payment once and sweeps all deposits when it is killed at any moment', async () => {
    const payments: PaymentJson[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
      payments.push(payment);
      await payOrder(anvil, payment, turn);
      await sleep(turn * 60);
      if (turn % 2 === 0) await anvil.mine(3);
      await sleep(turn * 20);
      await till.kill9();
      if (turn % 2 === 1) await anvil.mine(3);
      await till.up();
    }
    await anvil.mine(3);
    for (const payment of payments) await expectPaidOnce(shop, sink, payment);
    await mineUntil(anvil, 'all deposits are moved', async () => {
      const left = await Promise.all(payments.map(({ options }) => anvil.balance(options.ETH.address)));
      const balance = wei(await shop.balance('ETH'));
      return left.every((amount) => amount === 0n) && (await anvil.balance(shop.wallets.ETH)) === balance;
    });
  });
});
