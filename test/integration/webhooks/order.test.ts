import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../_helpers/webhooks/eventually.ts';
import { openShop, type Shop } from '../../_helpers/webhooks/shop.ts';
import { startSink, type Sink } from '../../_helpers/webhooks/sink.ts';

const EVENTS = 40;

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

it('the webhook queue delivers every event once, and the events of each payment in order', async () => {
  const merchant = await shop.merchant(sink.url);
  const payments = await Promise.all([0, 1, 2, 3].map(async () => shop.payment(merchant)));
  for (let n = 0; n < EVENTS; n += 1) await payments[n % 4]?.emit();
  await shop.queue({ concurrency: 64, perEndpoint: 64 }).start();
  await eventually(async () => {
    const left = await shop.db
      .selectFrom('deliveries')
      .select('id')
      .where('status', '=', 'pending')
      .execute();
    return left.length === 0;
  }, 'all deliveries');
  const logs = await shop.db.selectFrom('webhook_logs').select(['status']).execute();
  expect(logs.map(({ status }) => status)).toEqual(Array.from({ length: EVENTS }, () => 200));
  expect(new Set(sink.received.map(({ json }) => json.id)).size).toBe(EVENTS);
  const byPayment = Map.groupBy(sink.received, ({ json }) => (json.data['payment'] as { id: string }).id);
  expect(byPayment.size).toBe(4);
  for (const of of byPayment.values()) {
    expect(of.map(({ json }) => json.sequence)).toEqual(Array.from({ length: EVENTS / 4 }, (_, n) => n + 1));
  }
});
