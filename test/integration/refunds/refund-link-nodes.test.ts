import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import {
  requireNode,
  startFaultProxy,
  startNode,
  toAtoms,
  type FaultProxy,
  type RegtestNode,
} from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, TillProcess } from '../../_helpers/till.ts';
import {
  claimLink,
  paymentThat,
  read,
  readLink,
  type RefundedPaymentJson,
  type RefundLinkJson,
} from './refund-client.ts';

const COIN = 'BTC';

describe.skipIf(!requireNode(COIN))('a daemon that is killed during the refund of a claim', () => {
  let node: RegtestNode;
  let proxy: FaultProxy;
  let till: TillProcess;
  let shop: Shop;

  beforeAll(async () => {
    node = await startNode(COIN);
    proxy = await startFaultProxy(node.rpcUrl);
    till = await TillProcess.start({ ...liveEnv({ [COIN]: proxy.url }), TILLD_LOG_LEVEL: 'debug' });
    shop = await Shop.open(till.api);
    await till.ready();
    // Pays the fees.
    await paid();
  });

  afterAll(async () => {
    await till.end();
    await proxy.close();
    await node.stop();
  });

  async function paid(): Promise<RefundedPaymentJson> {
    const payment = await shop.createPayment({ allowedCryptos: [COIN] });
    const { address, amount, requiredConfirmations } = payment.options[COIN];
    await node.pay({ address, amountAtoms: toAtoms(amount) });
    await node.mine(requiredConfirmations);
    return paymentThat(shop, payment, 'completed', ({ status }) => status === 'completed');
  }

  async function newLink(payment: { id: string }): Promise<RefundLinkJson> {
    return shop.api.must<RefundLinkJson>('POST', '/payment/refund-link', {
      token: shop.secretKey,
      body: { paymentId: payment.id, preset: 'all' },
    });
  }

  async function linkOf(payment: { id: string }): Promise<RefundLinkJson | undefined> {
    const { refundLinks } = await shop.api.must<{ refundLinks: RefundLinkJson[] }>(
      'GET',
      `/payment/refund-links?paymentId=${payment.id}`,
      { token: shop.secretKey },
    );
    return refundLinks[0];
  }

  async function expectPaidOnce(payment: RefundedPaymentJson): Promise<void> {
    const link = await eventually(
      'the claim is paid',
      async () => linkOf(payment),
      (now) => now?.status === 'paid',
    );
    expect(await node.getMempool()).toEqual([link?.txHash]);
    await node.mine(1);
    const done = await paymentThat(
      shop,
      payment,
      'refund confirmed',
      ({ refunds }) => refunds[0]?.status === 'confirmed',
    );
    expect(done.refunds).toHaveLength(1);
    expect(done.refunds[0]?.refunded).toBe(payment.options[COIN].received);
  }

  it('pays once after a restart between the claim and its send', async () => {
    const payment = await paid();
    const link = await newLink(payment);
    const destination = await node.foreignAddress();
    await proxy.refuse();
    const claim = await claimLink(till.api, link.url, { coin: COIN, destination });
    expect(claim.status).toBe(303);
    expect((await readLink(till.api, link.url)).html).toContain('The refund is being sent');
    await till.kill9();
    await proxy.accept();
    await till.up();
    await till.ready();
    expect((await claimLink(till.api, link.url, { coin: COIN, destination })).status).toBe(303);
    await expectPaidOnce(payment);
    expect((await linkOf(payment))?.destination).toBe(destination);
  });

  it.each([
    ['before the node has the bytes', 'hang'],
    ['after the node took them', 'hangAfter'],
  ] as const)('pays once when it is killed during the send, %s', async (_when, kind) => {
    const payment = await paid();
    const link = await newLink(payment);
    const wish = { coin: COIN, destination: await node.foreignAddress() };
    proxy.resetCounts();
    const held = proxy.inject({ kind }, { methods: ['sendrawtransaction'] });
    const asked = claimLink(till.api, link.url, wish).catch(() => null);
    await proxy.waitForCall('sendrawtransaction');
    if (kind === 'hangAfter') {
      await eventually(
        'the node has it',
        () => node.getMempool(),
        (txids) => txids.length === 1,
      );
    }
    await till.kill9();
    await asked;
    held.clear();
    await till.up();
    await till.ready();
    await expectPaidOnce(payment);
  });

  it('pays once for a cancelled and repeated claim, because a reorg that mines the first send invalidates the second', async () => {
    const payment = await paid();
    const link = await newLink(payment);
    const linkThat = async (what: string, satisfies: (now: RefundLinkJson) => boolean) => {
      const found = await eventually(
        `the link is ${what}`,
        async () => linkOf(payment),
        (now) => now !== undefined && satisfies(now),
        60_000,
      );
      if (found === undefined) throw new Error('the link is gone');
      return found;
    };
    const [mine, other] = [await node.foreignAddress(), await node.foreignAddress()];
    await claimLink(till.api, link.url, { coin: COIN, destination: mine });
    const first = await linkThat('paid', ({ status }) => status === 'paid');
    const raw = await node.rpc<string>('getrawtransaction', [first.txHash ?? '']);
    const token = shop.secretKey;
    await shop.api.must('POST', '/merchant/wallet/send/cancel', { token, body: { sendId: first.sendId } });
    const [cancellation] = await node.getMempool();
    expect(cancellation).not.toBe(first.txHash);
    const depth = payment.options[COIN].requiredConfirmations;
    await node.mine(depth);
    await linkThat('open', ({ status }) => status === 'open');

    await claimLink(till.api, link.url, { coin: COIN, destination: other });
    const { id: linkId, claimId } = await linkThat('claimed', ({ status }) => status === 'claimed');
    await shop.api.must('POST', '/payment/refund-link/approve', { token, body: { linkId, claimId } });
    const second = await linkThat('paid', ({ status }) => status === 'paid');
    const { vin } = await node.rpc<{ vin: { txid: string }[] }>('getrawtransaction', [
      second.txHash ?? '',
      true,
    ]);
    expect(vin.map(({ txid }) => txid)).toEqual([cancellation]);

    await node.reorg({ depth, replaceWith: [raw], transactions: 'mempool' });
    await node.mine(6);
    const ended = await linkThat('paid by the first', ({ txHash }) => txHash === first.txHash);
    expect(ended).toMatchObject({ status: 'paid', destination: mine, sendId: first.sendId });
    const { refunds } = await read(shop, payment);
    expect(refunds.map(({ status }) => status).toSorted()).toEqual(['confirmed', 'failed']);
    expect(await node.getMempool()).toEqual([]);
  });

  it('writes no token of the refund link to the log', async () => {
    const link = await newLink(await paid());
    const token = new URL(link.url).pathname.split('/').at(-1) ?? '';
    await readLink(till.api, link.url);
    await claimLink(till.api, link.url, { coin: COIN, destination: 'nonsense' });
    await fetch(`${till.api.baseUrl}/R/${token}/more`);
    expect(token).toHaveLength(43);
    expect(till.output).toContain('/r/[token]');
    expect(till.output).not.toContain(token);
    expect((await read(shop, { id: link.paymentId })).refunds).toEqual([]);
  });
});
