import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import {
  requireNode,
  startBitcoind,
  startFaultProxy,
  startLitecoind,
  toAtoms,
  type FaultProxy,
  type RegtestNode,
} from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

interface Ready {
  ready: boolean;
  chains: Record<
    string,
    { state: string; height: number | null; lag: number | null; lastError: string | null }
  >;
}

async function payInFull(node: RegtestNode, coin: 'BTC' | 'LTC', payment: PaymentJson): Promise<void> {
  const { address, amount } = payment.options[coin];
  await node.pay({ address, amountAtoms: toAtoms(amount) });
  await node.mine(payment.options[coin].requiredConfirmations);
}

const both = requireNode('BTC') && requireNode('LTC');

describe.skipIf(!both)('an unreliable node of one coin', () => {
  let bitcoind: RegtestNode;
  let litecoind: RegtestNode;
  let proxy: FaultProxy;
  let till: Till;
  let sink: WebhookSink;
  let shop: Shop;

  beforeAll(async () => {
    [bitcoind, litecoind] = await Promise.all([startBitcoind(), startLitecoind()]);
    proxy = await startFaultProxy(bitcoind.rpcUrl);
    sink = await WebhookSink.start();
    till = await Till.start({
      ...liveEnv({ BTC: proxy.url, LTC: litecoind.rpcUrl }),
      TILLD_RPC_TIMEOUT: '2s',
    });
    shop = await Shop.open(till.api, { webhookUrl: sink.url });
    await till.ready();
  });

  afterAll(async () => {
    await till.end();
    await Promise.all([sink.close(), proxy.close(), bitcoind.stop(), litecoind.stop()]);
  });

  afterEach(async () => {
    await proxy.heal();
  });

  const readiness = async (): Promise<Ready> => (await till.api.call<Ready>('GET', '/readyz')).body.data;

  it('does not affect payments in another coin while it is down, and its own payments can be created and are not lost', async () => {
    await proxy.refuse();
    const ready = await eventually(
      'trouble is told',
      readiness,
      (now) => now.chains['BTC']?.state === 'error',
    );
    expect(ready.ready).toBe(false);
    expect(ready.chains['BTC']?.lastError).toBeTruthy();
    expect(ready.chains['LTC']).toMatchObject({ state: 'following', lastError: null });
    const payment = await shop.createPayment({ allowedCryptos: ['BTC', 'LTC'] });
    expect(Object.keys(payment.options).sort()).toEqual(['BTC', 'LTC']);
    await payInFull(litecoind, 'LTC', payment);
    await sink.waitForEvent('payment.completed', payment.id);
    const inBitcoin = await shop.createPayment({ allowedCryptos: ['BTC'] });
    await payInFull(bitcoind, 'BTC', inBitcoin);
    const send = await shop.send({ coin: 'BTC', amount: '0.0001', destination: await bitcoind.newAddress() });
    expect(send.status).toBe(503);
    expect(send.body.error?.code).toBe('NODE_UNAVAILABLE');
    await proxy.accept();
    await sink.waitForEvent('payment.completed', inBitcoin.id, 120_000);
  });

  it.each([
    ['answers 500', { kind: 'status', status: 500 }],
    ['answers 503', { kind: 'status', status: 503 }],
    ['answers garbage', { kind: 'garbage' }],
    ['breaks off its answers', { kind: 'truncate' }],
    ['resets connections', { kind: 'reset' }],
    ['hangs', { kind: 'hang' }],
    ['shuffles batches', { kind: 'reverseBatch' }],
    ['repeats answers', { kind: 'duplicateBatch' }],
  ] as const)(
    'causes no payment to be lost or credited twice when it %s for a while',
    async (_name, fault) => {
      const payment = await shop.createPayment({ allowedCryptos: ['BTC'] });
      const injected = proxy.inject(fault);
      await payInFull(bitcoind, 'BTC', payment);
      await eventually(
        'the fault was met',
        () => injected.hits,
        (hits) => hits > 0,
        30_000,
      );
      injected.clear();
      await sink.waitForEvent('payment.completed', payment.id, 120_000);
      const done = await shop.payment(payment.id);
      expect(done.options.BTC.received).toBe(payment.options.BTC.amount);
      expect(done.transactions).toHaveLength(1);
    },
  );

  it('causes no reversal while it falls behind', async () => {
    const payment = await shop.createPayment({ allowedCryptos: ['BTC'] });
    await payInFull(bitcoind, 'BTC', payment);
    await sink.waitForEvent('payment.completed', payment.id, 120_000);
    const { height } = await bitcoind.tip();
    const frozen = await proxy.freezeTip(height - 3);
    await eventually('it is noticed', readiness, (now) => now.chains['BTC']?.state === 'behind');
    expect(await shop.payment(payment.id)).toMatchObject({ status: 'completed' });
    frozen.clear();
    await eventually('and followed again', readiness, (now) => now.chains['BTC']?.state === 'following');
    expect(sink.types(payment.id)).not.toContain('payment.reversed');
  });
});

describe.skipIf(!both)('a node of the wrong chain', () => {
  it('is rejected by name and the coin not offered when a bitcoind is configured for Litecoin, while Bitcoin works', async () => {
    await using bitcoind = await startBitcoind();
    await using till = await Till.start(liveEnv({ BTC: bitcoind.rpcUrl, LTC: bitcoind.rpcUrl }));
    const shop = await Shop.open(till.api);
    const ready = await eventually(
      'the wrong chain is told',
      async () => (await till.api.call<Ready>('GET', '/readyz')).body.data,
      (now) => now.chains['LTC']?.state === 'wrong_chain' && now.chains['BTC']?.state === 'following',
    );
    expect(ready.chains['LTC']?.lastError).toMatch(/genesis|chain/i);
    const payment = await shop.createPayment({ allowedCryptos: ['BTC', 'LTC'] });
    expect(Object.keys(payment.options)).toEqual(['BTC']);
    const refused = await till.api.call('POST', '/payment/create', {
      token: shop.publicKey,
      body: {
        amount: '1',
        currency: 'USD',
        customerId: shop.customerId,
        orderId: 'x',
        allowedCryptos: ['LTC'],
      },
    });
    expect(refused.status).toBe(503);
    expect(refused.body.error?.code).toBe('COIN_UNAVAILABLE');
  });
});
