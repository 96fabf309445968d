import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';
import { liveEnv, TillProcess } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const due = ({ options }: PaymentJson): bigint => parseCoinAmount(options['SOL'].amount, 'SOL');

describe('kill -9 beside a Solana node', () => {
  let node: SvmNode;
  let till: TillProcess;
  let sink: WebhookSink;
  let shop: Shop;
  let payer: Payer;

  beforeAll(async () => {
    node = await SvmNode.start();
    payer = new Payer(node);
    sink = await WebhookSink.start();
    till = await TillProcess.start(liveEnv({ SOL: node.url }));
    shop = await Shop.open(till.api, { webhookUrl: sink.url });
    await till.ready();
  });

  afterAll(async () => {
    await till.end();
    await Promise.all([sink.close(), node.stop()]);
  });

  it('at any moment of payments: each is credited once', async () => {
    const payments: PaymentJson[] = [];
    for (let round = 0; round < 3; round += 1) {
      const payment = await shop.createPayment({ allowedCryptos: ['SOL'] });
      payments.push(payment);
      payer.pay([{ address: payment.options['SOL'].address, amount: due(payment) }]);
      node.advance(round * 16 + 1);
      await sleep(round * 60);
      await till.kill9();
      node.advance(33);
      await till.up();
    }
    for (const payment of payments) {
      await sink.waitForEvent('payment.completed', payment.id, 30_000);
      expect((await shop.payment(payment.id)).transactions).toHaveLength(1);
    }
    const total = payments.reduce((sum, payment) => sum + due(payment), 0n);
    expect(parseCoinAmount(await shop.balance('SOL'), 'SOL')).toBe(total);
  });

  it.each([
    ['before the node had the bytes', { kind: 'delay', ms: 5_000 } as const],
    ['after the node took the bytes', { kind: 'cut', after: true } as const],
  ])('around a send, %s: it arrives once', async (_when, fault) => {
    const destination = strangerAddress();
    const body = { coin: 'SOL', amount: '0.2', destination };
    const headers = { 'idempotency-key': `send ${fault.kind}` };
    const held = node.inject(fault, { methods: ['sendTransaction'] });
    const asked = shop.send(body, headers).catch(() => null);
    await eventually(
      'the node is asked',
      () => held.hits,
      (hits) => hits > 0,
    );
    await till.kill9();
    await asked;
    held.clear();
    await till.up();
    await till.ready();
    await eventually(
      'it arrived',
      () => node.ledger.machine.lamports(destination),
      (lamports) => lamports === 200_000_000n,
    );
    node.advance(2);
    const again = await shop.send(body, headers);
    expect(node.ledger.transactionsOf(destination).map(({ wire }) => wire.signature)).toEqual([
      again.body.data.txHash,
    ]);
    const path = `/merchant/wallet/send-status?sendId=${again.body.data.id}`;
    await eventually(
      'the send is confirmed',
      () => shop.api.must<Record<string, string>>('GET', path, { token: shop.secretKey }),
      ({ status }) => status === 'confirmed',
    );
  });
});
