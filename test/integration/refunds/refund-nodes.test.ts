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
import { eventsOf, paymentThat, read, refund, type RefundedPaymentJson } from './refund-client.ts';

describe('refunds on a real BTC node', () => {
  const coin = 'BTC';
  describe.skipIf(!requireNode(coin))('with a daemon that may be killed', () => {
    let node: RegtestNode;
    let proxy: FaultProxy;
    let till: TillProcess;
    let shop: Shop;

    beforeAll(async () => {
      node = await startNode(coin);
      proxy = await startFaultProxy(node.rpcUrl);
      till = await TillProcess.start(liveEnv({ [coin]: proxy.url }));
      shop = await Shop.open(till.api);
      await till.ready();
    });

    afterAll(async () => {
      await till.end();
      await proxy.close();
      await node.stop();
    });

    async function paid(): Promise<RefundedPaymentJson> {
      const payment = await shop.createPayment({ allowedCryptos: [coin] });
      const { address, amount, requiredConfirmations } = payment.options[coin];
      await node.pay({ address, amountAtoms: toAtoms(amount) });
      await node.mine(requiredConfirmations);
      return paymentThat(shop, payment, 'completed', ({ status }) => status === 'completed');
    }

    /** Atoms that the newest block pays to an address. */
    async function minedTo(address: string): Promise<bigint> {
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
    async function expectOneRefund(payment: RefundedPaymentJson, destination: string): Promise<void> {
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
      expect(await minedTo(destination)).toBe(toAtoms(made?.amount ?? '0'));
      expect(toAtoms(made?.amount ?? '0') + toAtoms(made?.fee ?? '0')).toBe(
        toAtoms(payment.options[coin].received),
      );
    }

    it('pay the payer on the network of the payment, even when the merchant is in sandbox mode now', async () => {
      const payment = await paid();
      const destination = await node.foreignAddress();
      const sandbox = async (sandboxMode: boolean) =>
        shop.api.must('POST', '/merchant/sandbox', { token: shop.secretKey, body: { sandboxMode } });
      await sandbox(true);
      const { body } = await refund(shop, { paymentId: payment.id, destination });
      await sandbox(false);
      expect(body.error).toBeNull();
      expect(body.data).toMatchObject({ status: 'refunded', refund: { status: 'broadcast' } });
      expect(await node.getMempool()).toEqual([body.data.refund.txHash]);
      await expectOneRefund(payment, destination);
    });

    it('are released when the node refuses them, and the payment stays completed and is refunded later', async () => {
      const payment = await paid();
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
    });

    it('are refused while the node is down, and nothing is stored', async () => {
      const payment = await paid();
      await proxy.refuse();
      const { status, body } = await refund(shop, {
        paymentId: payment.id,
        destination: await node.foreignAddress(),
      });
      await proxy.accept();
      expect([status, body.error?.code]).toEqual([503, 'NODE_UNAVAILABLE']);
      expect((await read(shop, payment)).refunds).toEqual([]);
    });

    it.each([
      ['before the node has the bytes', 'hang'],
      ['after the node took them, before its answer came', 'hangAfter'],
    ] as const)('survive kill -9 %s with one payment', async (_when, kind) => {
      const payment = await paid();
      const destination = await node.foreignAddress();
      const wish = { paymentId: payment.id, destination };
      const key = `refund-${kind}`;
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
      await expectOneRefund(payment, destination);
    });
  });
});
