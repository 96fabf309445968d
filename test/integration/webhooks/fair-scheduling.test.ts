import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../_helpers/webhooks/eventually.ts';
import { openShop, type Merchant, type Shop } from '../../_helpers/webhooks/shop.ts';
import { ok, startSink, type Sink } from '../../_helpers/webhooks/sink.ts';

const AT_FIRST = 60;
const IN_ALL = 500;

let shop: Shop;
const sinks: Sink[] = [];
beforeEach(async () => {
  shop = await openShop();
});
afterEach(async () => {
  await Promise.all(sinks.splice(0).map(async (sink) => sink.close()));
  await shop.close();
});

it('a delivery to a new endpoint is made soon, although fast endpoints always have new deliveries', async () => {
  let arrived = 0;
  let before = Number.POSITIVE_INFINITY;
  const busy: Merchant[] = [];
  for (let n = 0; n < 2; n += 1) {
    const sink = await startSink((request, response, index) => {
      arrived += 1;
      if (arrived <= IN_ALL) void more();
      ok(request, response, index);
    });
    sinks.push(sink);
    busy.push(await shop.merchant(sink.url));
  }
  const rare = await startSink((request, response, index) => {
    before = arrived;
    ok(request, response, index);
  });
  sinks.push(rare);
  const other = await shop.merchant(rare.url);
  const queue = shop.queue({ concurrency: 2, perEndpoint: 1 });
  const more = async (): Promise<void> => {
    const merchant = busy[arrived % 2];
    if (merchant !== undefined) await (await shop.payment(merchant)).emit();
    queue.wake();
  };
  for (let n = 0; n < AT_FIRST; n += 1)
    for (const merchant of busy) await (await shop.payment(merchant)).emit();
  await queue.start();
  await eventually(() => Promise.resolve(arrived >= 20), 'deliveries flow');
  await (await shop.payment(other)).emit();
  queue.wake();
  await eventually(() => Promise.resolve(rare.received.length === 1), 'the other has its turn', 30_000);
  // Those that were due before it, and what was leased ahead by then; of what came later there is always more.
  expect(before).toBeLessThan(300);
});
