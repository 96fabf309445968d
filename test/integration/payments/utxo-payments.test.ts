import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { requireNode, toAtoms, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

/** More than how long a node without peers is not believed after it failed. */
const SETTLED_MS = 130_000;
const HOUR_MS = 3_600_000;

describe.each(['BTC', 'LTC'] as const)('%s payments on a real node', (coin) => {
  const due = (payment: PaymentJson): bigint => toAtoms(payment.options[coin].amount);

  describe.skipIf(!requireNode(coin))('from detection to completion', () => {
    let world: LiveWorld<RegtestNode, Till>;
    let node: RegtestNode;
    let till: Till;
    let sink: WebhookSink;
    let shop: Shop;

    beforeAll(async () => {
      world = await openLiveWorld(coin);
      ({ node, sink, till, shop } = world);
    });

    afterAll(async () => world.end());

    const newPayment = async (fields: Record<string, unknown> = {}): Promise<PaymentJson> =>
      shop.createPayment({ allowedCryptos: [coin], ...fields });
    const pay = async (payment: PaymentJson, amountAtoms: bigint): Promise<string> =>
      node.pay({ address: payment.options[coin].address, amountAtoms });
    const settle = async (payment: PaymentJson): Promise<void> => {
      await node.mine(payment.options[coin].requiredConfirmations);
    };
    const statusOf = async (payment: PaymentJson, status: string): Promise<PaymentJson> =>
      eventually(
        `payment is ${status}`,
        () => shop.payment(payment.id),
        (now) => now.status === status,
      );

    it('move from unconfirmed to completed when exact, with signed webhooks in order, and add to the balance', async () => {
      const before = toAtoms(await shop.balance(coin));
      const payment = await newPayment();
      expect(payment).toMatchObject({ status: 'pending', sandbox: false });
      await pay(payment, due(payment));
      await sink.waitForEvent('payment.confirming', payment.id);
      const seen = await shop.payment(payment.id);
      expect(seen.options[coin]).toMatchObject({ received: payment.options[coin].amount, confirmations: 0 });
      expect(toAtoms(await shop.balance(coin))).toBe(before);
      await settle(payment);
      const { body } = await sink.waitForEvent('payment.completed', payment.id);
      expect(body.data.payment).toMatchObject({ status: 'completed', exception: null });
      expect(sink.types(payment.id)).toEqual(['payment.created', 'payment.confirming', 'payment.completed']);
      expect(sink.of(payment.id).map((delivery) => delivery.body.sequence)).toEqual([1, 2, 3]);
      expect(toAtoms(await shop.balance(coin)) - before).toBe(due(payment));
      const secret = await shop.api.must<{ secret: string }>(
        'GET',
        `/merchant/webhook/secret?merchantId=${shop.merchantId}`,
        { token: shop.token },
      );
      sink.verifyAll(secret.secret);
      const readLogs = async () =>
        shop.api.must<{ logs: { status: number; endpoint: string }[] }>(
          'GET',
          `/merchant/webhook-logs?paymentId=${payment.id}`,
          { token: shop.secretKey },
        );
      // An attempt is logged a moment after its answer.
      const logs = await eventually('the log of the last attempt', readLogs, (all) => all.logs.length >= 3);
      expect(logs.logs.map((log) => log.status)).toEqual([200, 200, 200]);
    });

    it('add up several outputs of one transaction and several transactions', async () => {
      const payment = await newPayment();
      const third = due(payment) / 3n;
      const { address } = payment.options[coin];
      await node.pay({ address, amounts: [third, third] });
      await sink.waitForEvent('payment.underpaid', payment.id);
      await pay(payment, due(payment) - 2n * third);
      await sink.waitForEvent('payment.confirming', payment.id);
      await settle(payment);
      const done = await statusOf(payment, 'completed');
      expect(done.transactions).toHaveLength(3);
      expect(done.options[coin].received).toBe(payment.options[coin].amount);
      expect(done.exception).toBeNull();
    });

    it('stay underpaid after the deadline, and the merchant may accept the amount', async () => {
      const payment = await newPayment();
      await pay(payment, (due(payment) * 9n) / 10n);
      await sink.waitForEvent('payment.underpaid', payment.id);
      await settle(payment);
      await eventually(
        'money is confirmed',
        () => shop.payment(payment.id),
        (now) => now.options[coin].confirmations > 0,
      );
      till.clock.advance(2 * HOUR_MS);
      const closed = await eventually(
        'the shortfall is final',
        () => shop.payment(payment.id),
        (now) => now.exception === 'underpaid',
      );
      expect(closed.status).toBe('underpaid');
      await shop.api.must('POST', '/payment/resolve', {
        token: shop.secretKey,
        body: { paymentId: payment.id, action: 'accept' },
      });
      await sink.waitForEvent('payment.completed', payment.id);
      expect(sink.types(payment.id)).not.toContain('payment.expired');
    });

    it('complete when overpaid and report the excess', async () => {
      const payment = await newPayment();
      await pay(payment, due(payment) + due(payment) / 10n);
      await settle(payment);
      const { body } = await sink.waitForEvent('payment.overpaid', payment.id);
      expect(body.data.payment).toMatchObject({ status: 'completed', exception: 'overpaid' });
    });

    it('expire without money, and complete later with late money that covers the price', async () => {
      const payment = await newPayment();
      till.clock.advance(2 * HOUR_MS);
      await sink.waitForEvent('payment.expired', payment.id);
      await pay(payment, due(payment));
      await sink.waitForEvent('payment.late', payment.id);
      await settle(payment);
      await sink.waitForEvent('payment.completed', payment.id);
      expect(await shop.payment(payment.id)).toMatchObject({ status: 'completed', exception: 'late' });
      expect(sink.types(payment.id)).toEqual([
        'payment.created',
        'payment.expired',
        'payment.late',
        'payment.confirming',
        'payment.completed',
      ]);
    });

    it('never expire and are on time when seen before the deadline and mined after it', async () => {
      const payment = await newPayment();
      await pay(payment, due(payment));
      await sink.waitForEvent('payment.confirming', payment.id);
      till.clock.advance(2 * HOUR_MS);
      await settle(payment);
      await sink.waitForEvent('payment.completed', payment.id);
      expect(await shop.payment(payment.id)).toMatchObject({ exception: null });
      expect(sink.types(payment.id)).not.toContain('payment.expired');
    });

    it('lose the credit when the transaction is replaced (RBF) by one to another address, and can still be paid', async () => {
      const payment = await newPayment();
      const txid = await pay(payment, due(payment));
      await sink.waitForEvent('payment.confirming', payment.id);
      await node.replaceTo(txid, await node.foreignAddress());
      await sink.waitForEvent('payment.reversed', payment.id);
      expect(await shop.payment(payment.id)).toMatchObject({ status: 'pending' });
      await node.mine(1);
      await pay(payment, due(payment));
      await settle(payment);
      await sink.waitForEvent('payment.completed', payment.id);
    });

    it('are credited once when the payer bumps the fee', async () => {
      const payment = await newPayment();
      const txid = await pay(payment, due(payment));
      await sink.waitForEvent('payment.confirming', payment.id);
      await node.bumpFee(txid);
      await settle(payment);
      await sink.waitForEvent('payment.completed', payment.id);
      const done = await shop.payment(payment.id);
      expect(done.options[coin].received).toBe(payment.options[coin].amount);
      expect(done.exception).toBeNull();
    });

    it.each([1, 3])('stay completed after a reorg of depth %i that moves the transaction', async (depth) => {
      const payment = await newPayment();
      await pay(payment, due(payment));
      await node.mine(3);
      await sink.waitForEvent('payment.completed', payment.id);
      await node.reorg({ depth, transactions: 'moved' });
      const { height } = await node.tip();
      await followedTo(height);
      const after = await shop.payment(payment.id);
      expect(after).toMatchObject({ status: 'completed', exception: null });
      expect(after.options[coin].received).toBe(payment.options[coin].amount);
      expect(sink.types(payment.id)).not.toContain('payment.reversed');
    });

    it.each([1, 3])(
      'emit payment.reversed after a reorg of depth %i that drops the transaction of a completed payment',
      async (depth) => {
        const payment = await newPayment();
        const balance = await shop.balance(coin);
        const required = payment.options[coin].requiredConfirmations;
        const txid = await pay(payment, due(payment));
        await node.mine(Math.max(depth, required));
        await sink.waitForEvent('payment.completed', payment.id);
        await node.reorg({ depth: Math.max(depth, required), drop: [txid] });
        const { body } = await sink.waitForEvent('payment.reversed', payment.id);
        expect(body.data.payment).toMatchObject({ status: 'pending' });
        expect((await shop.payment(payment.id)).options[coin].received).toBe('0');
        expect(await shop.balance(coin)).toBe(balance);
        till.clock.advance(2 * HOUR_MS);
        await sink.waitForEvent('payment.failed', payment.id);
        expect(sink.types(payment.id)).not.toContain('payment.expired');
      },
    );

    it('restart the confirmations on a reorg before completion', async () => {
      const payment = await newPayment();
      await pay(payment, due(payment));
      await node.mine(1);
      await eventually(
        'one confirmation',
        () => shop.payment(payment.id),
        (now) => now.options[coin].confirmations === 1,
      );
      await node.reorg({ depth: 1, transactions: 'mempool' });
      await eventually(
        'none again',
        () => shop.payment(payment.id),
        (now) => now.options[coin].confirmations === 0,
      );
      expect(await shop.payment(payment.id)).toMatchObject({ status: 'confirming' });
      await settle(payment);
      await sink.waitForEvent('payment.completed', payment.id);
    });

    it('complete on time by their block time when paid while the daemon was down', async () => {
      const payment = await newPayment();
      await till.down();
      await pay(payment, due(payment));
      await settle(payment);
      till.clock.advance(2 * HOUR_MS);
      await till.up();
      await sink.waitForEvent('payment.completed', payment.id);
      expect(await shop.payment(payment.id)).toMatchObject({ status: 'completed', exception: null });
      expect(sink.types(payment.id)).not.toContain('payment.expired');
    });

    it('are not lost and do not expire when the node restarts', async () => {
      const payment = await newPayment();
      await node.shutDown();
      till.clock.advance(2 * HOUR_MS);
      await eventually(
        'trouble is told',
        () => till.api.call('GET', '/readyz'),
        ({ status }) => status === 503,
      );
      expect(await shop.payment(payment.id)).toMatchObject({ status: 'pending' });
      await node.restart();
      await till.ready();
      // Without peers or a new block nothing shows that it has all that it had before.
      const { body } = await till.api.call<{ chains: Record<string, { lastSeenAt: number }> }>(
        'GET',
        '/readyz',
      );
      expect(body.data.chains[coin]?.lastSeenAt).toBeLessThan(Date.parse(payment.expiresAt));
      till.clock.advance(SETTLED_MS);
      await sink.waitForEvent('payment.expired', payment.id, 45_000);
    });

    async function followedTo(height: number): Promise<void> {
      await eventually(
        `chain followed to ${height}`,
        async () =>
          (
            await till.api.call<{ chains: Record<string, { height: number; state: string }> }>(
              'GET',
              '/readyz',
            )
          ).body.data,
        (data) => data.chains[coin]?.height === height && data.chains[coin]?.state === 'following',
      );
    }
  });
});
