import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import {
  pegIn,
  pegOut,
  requireNode,
  startLitecoind,
  toAtoms,
  type RegtestNode,
} from '../../_helpers/nodes/index.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

describe.skipIf(!requireNode('LTC'))('a payment out of Litecoin MWEB (peg-out)', () => {
  let world: LiveWorld<RegtestNode, Till>;
  let node: RegtestNode;
  let till: Till;
  let sink: WebhookSink;
  let shop: Shop;

  beforeAll(async () => {
    world = await openLiveWorld('LTC', { node: async () => startLitecoind({ mweb: true }) });
    ({ node, sink, till, shop } = world);
  });

  afterAll(async () => world.end());

  it('is credited once, by the transaction in the block, and settles at its maturity', async () => {
    const payment = await shop.createPayment({ allowedCryptos: ['LTC'] });
    const { address, amount } = payment.options.LTC;
    await pegOut(node, address, toAtoms(amount));
    await node.mine(1);
    await sink.waitForEvent('payment.confirming', payment.id);
    await node.mine(4);
    await eventually(
      'five confirmations',
      () => shop.payment(payment.id),
      (now) => now.options.LTC.confirmations === 5,
    );
    expect(await shop.payment(payment.id)).toMatchObject({ status: 'confirming' });
    await node.mine(1);
    await sink.waitForEvent('payment.completed', payment.id);
    const done = await shop.payment(payment.id);
    expect(done.options.LTC.received).toBe(amount);
    expect(done.transactions).toHaveLength(1);
    expect(done.exception).toBeNull();
  });

  it('is credited once when a competing block contains it in a different transaction', async () => {
    const payment = await shop.createPayment({ allowedCryptos: ['LTC'] });
    const { address, amount } = payment.options.LTC;
    await pegOut(node, address, toAtoms(amount));
    const [block = ''] = await node.mine(1);
    await sink.waitForEvent('payment.confirming', payment.id);
    await node.rpc('invalidateblock', [block]);
    // A foreign peg-in in the competing block gives its HogEx another id.
    await pegIn(node, 300_000_000n);
    await node.mine(2);
    const moved = await eventually(
      'the competing block',
      () => shop.payment(payment.id),
      ({ transactions }) => transactions.some(({ status }) => status === 'reversed'),
    );
    expect(moved.options.LTC).toMatchObject({ received: amount, requiredConfirmations: 6 });
    await node.mine(5);
    await sink.waitForEvent('payment.completed', payment.id);
    const done = await shop.payment(payment.id);
    expect(done).toMatchObject({ exception: null });
    expect(done.options.LTC.received).toBe(amount);
    till.clock.advance(15 * 24 * 3_600_000);
    await node.mine(1);
    await eventually(
      'the next block',
      () => shop.payment(payment.id),
      ({ transactions }) => transactions.some(({ confirmations }) => confirmations > 7),
    );
    expect(await shop.payment(payment.id)).toMatchObject({ status: 'completed' });
    expect((await shop.payment(payment.id)).timeline.map(({ type }) => type)).toEqual([
      'payment.created',
      'payment.confirming',
      'payment.completed',
    ]);
  });

  it('does not affect an ordinary payment in a block next to it', async () => {
    const payment = await shop.createPayment({ allowedCryptos: ['LTC'] });
    const { address, amount, requiredConfirmations } = payment.options.LTC;
    await node.pay({ address, amountAtoms: toAtoms(amount) });
    await sink.waitForEvent('payment.confirming', payment.id);
    await node.mine(requiredConfirmations);
    await sink.waitForEvent('payment.completed', payment.id);
  });
});
