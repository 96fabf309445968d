import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer } from '../../_helpers/svm/payer.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const FIRST = 1_000_000n;

describe('thousands of lamports to one address, each in a slot of its own, while the daemon was down', () => {
  let node: SvmNode;
  let till: Till;
  let sink: WebhookSink;
  let payer: Payer;

  beforeAll(async () => {
    node = await SvmNode.start();
    payer = new Payer(node);
    sink = await WebhookSink.start();
    till = await Till.start(liveEnv({ SOL: node.url }));
    await till.ready();
  });

  afterAll(async () => {
    await till.end();
    await Promise.all([sink.close(), node.stop()]);
  });

  /** Answers the payment and what catching up took: processor time of this process, the node's included. */
  async function catchUp(slots: number): Promise<{ payment: PaymentJson; cpuMs: number; paidIn: number[] }> {
    const shop = await Shop.open(till.api, { webhookUrl: sink.url });
    const { id, options } = await shop.createPayment({ allowedCryptos: ['SOL'] });
    const { address } = options['SOL'];
    await till.down();
    payer.pay([{ address, amount: FIRST }]);
    const paidIn = [node.ledger.top.slot];
    for (let made = 1; made < slots; made += 1) {
      node.advance();
      payer.pay([{ address, amount: 1n }]);
      paidIn.push(node.ledger.top.slot);
    }
    // Most of it is final, the rest is confirmed.
    node.advance(10);
    const before = process.cpuUsage();
    await till.up();
    const expected = `0.00${1_000_000 + slots - 1}`;
    const payment = await eventually(
      'all of it is credited',
      () => shop.payment(id),
      (now) => now.options['SOL'].received === expected,
      60_000,
    );
    const { user, system } = process.cpuUsage(before);
    await till.ready();
    return { payment, cpuMs: (user + system) / 1_000, paidIn };
  }

  it('cost in proportion, are told in a few events and keep the slot of each', async () => {
    await catchUp(100);
    const few = await catchUp(200);
    const many = await catchUp(1_200);
    // Six times as many.
    expect(many.cpuMs / few.cpuMs).toBeLessThan(12);
    expect(many.payment).toMatchObject({ status: 'underpaid', exception: null });
    const shown = new Set(many.payment.transactions.map(({ blockHeight }) => blockHeight));
    expect(shown.size).toBe(100);
    expect(many.paidIn).toEqual(expect.arrayContaining([...shown]));
    // Recorded slot by slot it would be an event for each.
    expect(sink.of(many.payment.id).length).toBeLessThan(50);
  });
});
