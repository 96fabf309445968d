import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { consolidate } from '../../../src/usecases/wallet/sweep/consolidate.ts';
import { consolidateRound } from '../../../src/usecases/wallet/sweep/consolidate-rounds.ts';
import { openLiveWorld } from '../../_helpers/live-world.ts';
import { NODE_COINS, type RegtestNode, requireNode, startNode } from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { COIN, PricedNode } from '../../_helpers/priced-node.ts';
import { claimLink, read, type RefundLinkJson } from '../refunds/refund-client.ts';
import { signed } from '../../_helpers/signed.ts';

const BTC = 'BTC';
const CHAIN = { coin: BTC, mode: 'live' } as const;
/** Atoms per 1,000 vB. */
const LOW = 1_000n;
const THRESHOLD = 2_000n;
const SPIKE = 200_000n;
const HOUR_MS = 3_700_000;

const atoms = (text: string) => parseCoinAmount(text, BTC);
const dear = (answer: unknown) => ({ ...(answer as object), mempoolminfee: 0.0012 });

describe.skipIf(!requireNode(BTC))('fee budgets with a real BTC node', () => {
  let node: RegtestNode;
  let till: PricedNode;

  beforeAll(async () => {
    node = await startNode(BTC);
  });
  afterAll(async () => node.stop());
  beforeEach(async () => {
    till = await new PricedNode(BTC, node, { consolidateBelowRate: THRESHOLD }).open();
    till.rate = LOW;
  });
  afterEach(async () => till.close());

  async function hour(): Promise<void> {
    till.world.clock.advance(HOUR_MS);
    await bumpSends(till.world.deps, CHAIN);
  }

  async function hasInMempool(txid: string): Promise<boolean> {
    return (await node.getMempool()).includes(txid);
  }

  async function onlySend() {
    return till.world.db.selectFrom('sends').selectAll().executeTakeFirstOrThrow();
  }

  test('limit the fee of a consolidation that was created at a low rate when rates rise to 200 sat/vB', async () => {
    await till.fund(...Array.from({ length: 210 }, () => 40_000n));
    await consolidateRound(till.world.deps, CHAIN);
    const started = await onlySend();
    for (const rate of [SPIKE, 2n * SPIKE, SPIKE]) {
      till.rate = rate;
      await hour();
    }
    const vsize = 210n * 68n + 60n;
    const now = await till.status(started.id);
    expect(atoms(now.fee)).toBeLessThanOrEqual((vsize * THRESHOLD) / 1000n);
    expect(atoms(now.maxFee)).toBeLessThanOrEqual((vsize * THRESHOLD) / 1000n);
    expect(now).toMatchObject({ status: 'broadcast', feeLimited: true });
    expect(await hasInMempool(signed(now).txHash)).toBe(true);
    till.rate = LOW;
    await hour();
    expect(await till.status(started.id)).toMatchObject({ fee: now.fee, feeLimited: false });
  });

  test('limit a consolidation with maxFee 0.00005 to that fee permanently', async () => {
    const maxFee = '0.00005';
    await till.fund(...Array.from({ length: 30 }, () => 60_000n));
    const { merchant, deps } = till.world;
    const { sendId, ...made } = await consolidate(deps, { merchant, coin: BTC, maxFee });
    expect(made).toMatchObject({ maxFee });
    for (let hours = 0; hours < 8; hours += 1) {
      till.rate = SPIKE * 2n ** BigInt(hours % 2);
      await hour();
      expect(atoms((await till.status(sendId)).fee)).toBeLessThanOrEqual(atoms(maxFee));
    }
    expect(await till.status(sendId)).toMatchObject({ maxFee, feeLimited: true });
    const raised = await bumpSend(deps, { merchantId: merchant.id, sendId, maxFee: '0.005' });
    expect(raised).toMatchObject({ maxFee: '0.005', feeLimited: false });
    expect(atoms(raised.fee)).toBeGreaterThan(atoms(maxFee));
    expect(await hasInMempool(signed(raised).txHash)).toBe(true);
  });

  test('delay a fee bump until fees fall, and then the bump is made', async () => {
    await till.fund(COIN);
    const sent = await till.send('0.0002', { maxFee: '0.000003' });
    till.rate = SPIKE;
    await hour();
    await hour();
    expect(await till.status(sent.id)).toMatchObject({ maxFee: '0.000003', feeLimited: true });
    till.rate = 2_000n;
    await hour();
    const now = await till.status(sent.id);
    expect(now.feeLimited).toBe(false);
    expect(atoms(now.fee)).toBeLessThanOrEqual(300n);
    await till.mine();
    expect(await till.status(sent.id)).toMatchObject({ status: 'confirmed', feeLimited: false });
  });
});

describe.each(NODE_COINS)('fees of a %s node with a minimum relay fee of 0.1 atoms per vB', (coin) => {
  describe.skipIf(!requireNode(coin))('on regtest', () => {
    test('use the minimum and the increment of the node for sends, bumps and consolidations', async () => {
      const relay = ['-minrelaytxfee=0.000001', '-incrementalrelayfee=0.000001', '-blockmintxfee=0.000001'];
      const node = await startNode(coin, { extraArgs: relay });
      const till = await new PricedNode(coin, node).open();
      const parse = (text: string) => parseCoinAmount(text, coin);
      try {
        till.rate = null;
        await till.fund(COIN, COIN, COIN);
        const vsize = 141n;
        const cheap = await till.send('0.5');
        expect(parse(cheap.fee)).toBeLessThan(vsize / 5n);
        expect(await node.getMempool()).toContain(cheap.txHash);
        const { merchant, deps } = till.world;
        const raised = await bumpSend(deps, { merchantId: merchant.id, sendId: cheap.id, feeRate: '0.25' });
        expect(parse(raised.fee)).toBeLessThan(vsize / 2n);
        expect(await node.getMempool()).toContain(raised.txHash);
        const moved = await consolidate(deps, { merchant, coin });
        expect(parse(moved.fee)).toBeLessThan(vsize);
        expect(await node.getMempool()).toContain(moved.txHash);
        await till.mine();
        expect(await till.status(cheap.id)).toMatchObject({ status: 'confirmed', txHash: raised.txHash });
      } finally {
        await till.close();
        await node.stop();
      }
    });
  });
});

describe.skipIf(!requireNode(BTC))('a refund claim of 1,000 sat with a real BTC node', () => {
  test('never costs more than 1,000 sat in fees', async () => {
    await using world = await openLiveWorld(BTC);
    const { node, proxy, shop, till } = world;
    await node.pay({ address: shop.wallets.BTC, amounts: [COIN] });
    await node.mine(3);
    await eventually(
      'the wallet is full',
      async () => shop.balance(BTC),
      (balance) => balance === '1',
    );
    const payment = await shop.createPayment({ allowedCryptos: [BTC], amount: '1' });
    await node.pay({ address: payment.options.BTC?.address ?? '', amounts: [1_000n] });
    await node.mine(2);
    await eventually(
      'it is paid',
      async () => shop.payment(payment.id),
      ({ status }) => status === 'completed',
    );
    const link = await till.api.must<RefundLinkJson>('POST', '/payment/refund-link', {
      token: shop.secretKey,
      body: { paymentId: payment.id, preset: 'all' },
    });
    await claimLink(till.api, link.url, { coin: BTC, destination: await node.foreignAddress() });
    const claimed = await eventually(
      'the claim is sent',
      async () => read(shop, payment),
      ({ refunds }) => refunds.length === 1,
    );
    const sendId = claimed.refunds[0]?.sendId ?? '';
    const status = async () =>
      till.api.must<{ fee: string; maxFee: string; feeLimited: boolean }>(
        'GET',
        `/merchant/wallet/send-status?sendId=${sendId}`,
        { token: shop.secretKey },
      );
    expect((await status()).maxFee).toBe('0.00001');
    proxy.inject({ kind: 'rewrite', rewrite: dear }, { methods: ['getmempoolinfo'] });
    till.clock.advance(HOUR_MS);
    const limited = await eventually('its raise waits', status, ({ feeLimited }) => feeLimited);
    expect(atoms(limited.fee)).toBeLessThanOrEqual(1_000n);
  });
});
