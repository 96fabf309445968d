import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CompressedJson } from '../../../src/store/schema/compressed.ts';
import { listEvents, listWebhookLogs } from '../../../src/usecases/webhooks/index.ts';
import { eventually } from '../../_helpers/webhooks/eventually.ts';
import { openShop, type Shop } from '../../_helpers/webhooks/shop.ts';
import { startSink, type Sink } from '../../_helpers/webhooks/sink.ts';

let shop: Shop;
let sink: Sink;
beforeEach(async () => {
  shop = await openShop();
  sink = await startSink();
});
afterEach(async () => {
  await shop.close();
  await sink.close();
});

it('listWebhookLogs shows an attempt whose stored exchange is damaged without headers and body', async () => {
  const merchant = await shop.merchant(sink.url);
  await (await shop.payment(merchant)).emit();
  await shop.queue().start();
  const logs = async () =>
    (await listWebhookLogs(shop, { merchantId: merchant.id, page: 1, limit: 10 })).logs;
  await eventually(async () => (await logs()).length === 1, 'the attempt is logged');
  const [whole] = await logs();
  await shop.db
    .updateTable('webhook_logs')
    .set({ exchangeJson: Buffer.from('x damaged') as unknown as CompressedJson })
    .execute();
  expect(await logs()).toEqual([
    {
      ...whole,
      request: { ...whole?.request, headers: {} },
      response: { status: whole?.status, headers: {}, body: '' },
    },
  ]);
});

it('the webhook queue fails an event whose stored body is damaged, and delivers the next event of the payment', async () => {
  const merchant = await shop.merchant(sink.url);
  const payment = await shop.payment(merchant);
  const damaged = await payment.emit();
  const whole = await payment.emit();
  await shop.db
    .updateTable('events')
    .set({ bodyJson: Buffer.from('x damaged') as unknown as CompressedJson })
    .where('id', '=', damaged.eventId)
    .execute();
  await shop.queue().start();
  await eventually(async () => {
    const pending = shop.db.selectFrom('deliveries').select('id').where('status', '=', 'pending');
    return (await pending.execute()).length === 0;
  }, 'both deliveries settled');

  expect(sink.received.map(({ json }) => json.id)).toEqual([whole.eventId]);
  const { logs } = await listWebhookLogs(shop, { merchantId: merchant.id, page: 1, limit: 10 });
  expect(logs.find(({ eventId }) => eventId === damaged.eventId)).toMatchObject({
    state: 'failed',
    status: 0,
    error: `the stored body of event ${damaged.eventId} is damaged`,
    request: { body: {} },
  });
  const { events } = await listEvents(shop, { merchantId: merchant.id, page: 1, limit: 10 });
  expect(events.map(({ id, truncated }) => ({ id, truncated }))).toEqual([
    { id: whole.eventId, truncated: false },
    { id: damaged.eventId, truncated: true },
  ]);
});
