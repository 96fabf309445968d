import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import {
  NODE_COINS,
  requireNode,
  startFaultProxy,
  startNode,
  toAtoms,
  type FaultProxy,
  type NodeCoin,
  type RegtestNode,
} from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, TillProcess } from '../../_helpers/till.ts';
import { eventsOf, paymentThat, read, refund, type RefundedPaymentJson } from './refund-client.ts';

describe('refunds on real BTC and LTC nodes', () => {
  describe.skipIf(!NODE_COINS.every(requireNode))('with a daemon that may be killed', () => {
    let nodes: Record<NodeCoin, RegtestNode>;
    let proxies: Record<NodeCoin, FaultProxy>;
    let till: TillProcess;
    let shop: Shop;

    beforeAll(async () => {
      const [BTC, LTC] = await Promise.all([startNode('BTC'), startNode('LTC')]);
      nodes = { BTC, LTC };
      proxies = { BTC: await startFaultProxy(BTC.rpcUrl), LTC: await startFaultProxy(LTC.rpcUrl) };
      till = await TillProcess.start(liveEnv({ BTC: proxies.BTC.url, LTC: proxies.LTC.url }));
      shop = await Shop.open(till.api);
      await till.ready();
    });

    afterAll(async () => {
      await till?.end();
      for (const coin of NODE_COINS) {
        await proxies?.[coin].close();
        await nodes?.[coin].stop();
      }
    });

    async function paid(coin: NodeCoin): Promise<RefundedPaymentJson> {
      const node = nodes[coin];
      const payment = await shop.createPayment({ allowedCryptos: [coin] });
      const { address, amount, requiredConfirmations } = payment.options[coin];
      await node.pay({ address, amountAtoms: toAtoms(amount) });
      await node.mine(requiredConfirmations);
      return paymentThat(shop, payment, 'completed', ({ status }) => status === 'completed');
    }

    /** Atoms that the newest block pays to an address. */
    async function minedTo(coin: NodeCoin, address: string): Promise<bigint> {
      const node = nodes[coin];
      const { height } = await node.tip();
      const block = await node.rpc<{
        tx: { vout: { value: string; scriptPubKey: { address?: string; addresses?: string[] } }[] }[];
      }>('getblock', [await node.blockHash(height), 2]);
      return block.tx
        .flatMap(({ vout }) => vout)
        .filter(({ scriptPubKey: { address: one, addresses = [] } }) => [one, ...addresses].includes(address))
        .reduce((sum, { value }) => sum + toAtoms(value), 0n);
    }

    /** Mines and sees the payment's only refund confirmed, paying the payer once and no more than came. */
    async function expectOneRefund(
      coin: NodeCoin,
      payment: RefundedPaymentJson,
      destination: string,
    ): Promise<void> {
      const node = nodes[coin];
      await eventually(
        'one transaction waits',
        () => node.getMempool(),
        (txids) => txids.length === 1,
      );
      await node.mine(1);
      const done = await paymentThat(
        shop,
        payment,
        'refund confirmed',
        ({ refunds }) => refunds[0]?.status === 'confirmed',
      );
      expect(done.status).toBe('refunded');
      expect(done.refunds).toHaveLength(1);
      expect(eventsOf(done).filter((type) => type === 'refunded')).toHaveLength(1);
      const [made] = done.refunds;
      expect(await minedTo(coin, destination)).toBe(toAtoms(made?.amount ?? '0'));
      expect(toAtoms(made?.amount ?? '0') + toAtoms(made?.fee ?? '0')).toBe(
        toAtoms(payment.options[coin].received),
      );
    }

    it.each(NODE_COINS)(
      'of %s pay on the network of the payment, even when the merchant has switched to sandbox mode',
      async (coin) => {
        const node = nodes[coin];
        const payment = await paid(coin);
        const destination = await node.foreignAddress();
        const sandbox = async (sandboxMode: boolean) =>
          shop.api.must('POST', '/merchant/sandbox', { token: shop.secretKey, body: { sandboxMode } });
        await sandbox(true);
        const { body } = await refund(shop, { paymentId: payment.id, destination });
        await sandbox(false);
        expect(body.error).toBeNull();
        expect(body.data).toMatchObject({ status: 'refunded', refund: { status: 'broadcast' } });
        expect(await node.getMempool()).toEqual([body.data.refund.txHash]);
        await expectOneRefund(coin, payment, destination);
      },
    );

    it.each(NODE_COINS)(
      'of %s release their funds when the node rejects them, and the payment stays completed and can be refunded later',
      async (coin) => {
        const [node, proxy] = [nodes[coin], proxies[coin]];
        const payment = await paid(coin);
        const destination = await node.foreignAddress();
        const fault = proxy.inject(
          { kind: 'rpcError', code: -26, message: 'scriptpubkey' },
          { methods: ['sendrawtransaction'] },
        );
        const refused = await refund(shop, { paymentId: payment.id, destination });
        fault.clear();
        expect(refused.body.error?.code).toBe('SEND_REJECTED');
        expect(await read(shop, payment)).toMatchObject({
          status: 'completed',
          refunds: [{ status: 'failed' }],
        });
        const again = await refund(shop, { paymentId: payment.id, destination });
        expect(again.body.data).toMatchObject({ status: 'refunded', refund: { status: 'broadcast' } });
        await node.mine(1);
        await paymentThat(shop, payment, 'refund confirmed', ({ refunds }) =>
          refunds.some(({ status }) => status === 'confirmed'),
        );
      },
    );

    it.each(NODE_COINS)('of %s are refused while the node is down, and nothing is stored', async (coin) => {
      const [node, proxy] = [nodes[coin], proxies[coin]];
      const payment = await paid(coin);
      await proxy.refuse();
      const { status, body } = await refund(shop, {
        paymentId: payment.id,
        destination: await node.foreignAddress(),
      });
      await proxy.accept();
      expect([status, body.error?.code]).toEqual([503, 'NODE_UNAVAILABLE']);
      expect((await read(shop, payment)).refunds).toEqual([]);
    });

    it.each(
      NODE_COINS.flatMap((coin) => [
        [coin, 'before the node has the bytes', 'hang'] as const,
        [coin, 'after the node took them, before its answer came', 'hangAfter'] as const,
      ]),
    )('of %s pay once when the daemon is killed %s', async (coin, _when, kind) => {
      const [node, proxy] = [nodes[coin], proxies[coin]];
      const payment = await paid(coin);
      const destination = await node.foreignAddress();
      const wish = { paymentId: payment.id, destination };
      const key = `refund-${coin}-${kind}`;
      proxy.resetCounts();
      const held = proxy.inject({ kind }, { methods: ['sendrawtransaction'] });
      const asked = refund(shop, wish, { key }).catch(() => null);
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
      const again = await refund(shop, wish, { key });
      expect(again.status).toBe(200);
      const keyless = await refund(shop, wish);
      expect(keyless.body.error?.code).toBe('INVALID_STATE');
      await expectOneRefund(coin, payment, destination);
    });
  });
});
