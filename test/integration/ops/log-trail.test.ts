import { expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

interface Line {
  readonly msg: string;
  readonly requestId?: string;
  readonly deliveryId?: string;
  readonly eventId?: string;
  readonly type?: string;
}

const named = ({ eventId, deliveryId }: Line): string => `${eventId} ${deliveryId}`;

it('the log contains the requests, events and deliveries of a payment, each with the payment id', async () => {
  await using sink = await WebhookSink.start();
  const log: string[] = [];
  const write = (fields: object, msg: string): void => void log.push(JSON.stringify({ ...fields, msg }));
  await using till = await Till.start(
    {},
    { logger: { debug: () => undefined, info: write, warn: write, error: write } },
  );
  const shop = await Shop.open(till.api, { webhookUrl: sink.url });
  const other = await shop.createPayment();
  const payment = await shop.createPayment({ allowedCryptos: ['BTC'] });
  const scenario = await till.api.call('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: payment.id, scenario: 'exact', coin: 'BTC' },
    headers: { 'x-request-id': 'the-payer-pays' },
  });
  expect(scenario.body.error).toBeNull();
  await sink.waitForEvent('payment.confirming', payment.id, 120_000);
  // Instead of waiting for the blocks that are mined automatically.
  await till.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: payment.id, scenario: 'confirm' },
  });
  await sink.waitForEvent('payment.completed', payment.id, 120_000);
  const lines = (): Line[] =>
    log.filter((line) => line.includes(payment.id)).map((line) => JSON.parse(line) as Line);
  const trail = await eventually(
    'the last delivery is in the log',
    lines,
    (all) => all.filter(({ msg }) => msg === 'webhook delivered').length >= 3,
  );
  const requests = trail.filter(({ msg }) => msg === 'request');
  expect(requests.map(({ requestId }) => requestId)).toContain('the-payer-pays');
  expect(requests.length).toBeGreaterThanOrEqual(2);
  const events = trail.filter(({ msg }) => msg === 'event stored; its deliveries are queued');
  expect(events.map(({ type }) => type)).toEqual([
    'payment.created',
    'payment.confirming',
    'payment.completed',
  ]);
  // Each delivery is the one that its event named.
  const delivered = trail.filter(({ msg }) => msg === 'webhook delivered');
  expect(delivered.map(named)).toEqual(events.map(named));
  expect(trail.filter((line) => JSON.stringify(line).includes(other.id))).toEqual([]);
  expect(log.join()).not.toContain(shop.secretKey);
});
