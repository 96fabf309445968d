import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../_helpers/webhooks/eventually.ts';
import { openShop, silent, type Merchant, type Shop } from '../../_helpers/webhooks/shop.ts';
import { ok, startSink, type Answer, type Sink } from '../../_helpers/webhooks/sink.ts';

const EVENTS = 100;

let shop: Shop;
let sink: Sink;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(async () => {
  await sink.close();
  await shop.close();
});

/** An endpoint with a backlog that answers the first ten at once, and then in another way. */
async function backlog(then: Answer): Promise<Merchant> {
  sink = await startSink((request, response, index) => (index < 10 ? ok : then)(request, response, index));
  const merchant = await shop.merchant(sink.url);
  for (let n = 0; n < EVENTS; n += 1) await (await shop.payment(merchant)).emit();
  return merchant;
}

const rows = async () => shop.db.selectFrom('deliveries').selectAll().execute();

it('the webhook queue releases deliveries in flight to a silent endpoint when the daemon stops', async () => {
  const held: (() => void)[] = [];
  await backlog((_request, response) => void held.push(() => response.end()));
  const queue = shop.queue();
  await queue.start();
  await eventually(() => held.length === 4, 'four attempts under way');
  expect(sink.received).toHaveLength(14);
  await queue.stop({ deadlineMs: 50 });
  const left = (await rows()).filter((row) => row.status === 'pending');
  expect(left).toHaveLength(EVENTS - 10);
  expect(left.filter((row) => row.leaseToken !== null || row.attempts !== 0)).toEqual([]);

  sink.answer(ok);
  await shop.queue().start();
  await eventually(async () => (await rows()).every((row) => row.status === 'delivered'), 'all deliveries');
  const ids = sink.received.map(({ json }) => json.id);
  expect(new Set(ids).size).toBe(EVENTS);
  // Those that were under way when it stopped count as never made.
  expect(ids).toHaveLength(EVENTS + 4);
});

it('the webhook queue sends almost nothing more to an endpoint that answered 410, however many deliveries wait for it', async () => {
  await backlog((_request, response) => void response.writeHead(410).end());
  const queue = shop.queue();
  queue.wake();
  await queue.idle();
  await eventually(async () => (await rows()).every((row) => row.status !== 'pending'), 'the end of all');
  expect((await rows()).filter((row) => row.status === 'delivered')).toHaveLength(10);
  expect(sink.received.length).toBeLessThan(EVENTS / 2);
});

it('the webhook queue delivers a webhook immediately on request although others wait before it', async () => {
  const held: (() => void)[] = [];
  await backlog((_request, response) => void held.push(() => response.end('ok')));
  const queue = shop.queue();
  queue.wake();
  await eventually(async () => held.length === 4, 'attempts under way');
  const [waiting] = (await rows()).filter(
    (row) => row.status === 'pending' && !sink.received.some(({ json }) => json.id === row.eventId),
  );
  const report = queue.attemptNow(waiting?.id ?? '');
  await eventually(() => sink.received.some(({ json }) => json.id === waiting?.eventId), 'the attempt');
  const release = setInterval(() => held.splice(0).forEach((each) => each()), 5);
  expect(await report).toMatchObject({ status: 200, error: null });
  await eventually(async () => (await rows()).every((row) => row.status === 'delivered'), 'all deliveries');
  clearInterval(release);
  expect(sink.received).toHaveLength(EVENTS);
});

it('the webhook queue stores the other attempts of a batch when one cannot be stored', async () => {
  const held: (() => void)[] = [];
  sink = await startSink((_request, response) => void held.push(() => response.end('ok')));
  const merchant = await shop.merchant(sink.url);
  for (let n = 0; n < 3; n += 1) await (await shop.payment(merchant)).emit();
  const errors: object[] = [];
  const queue = shop.queue({}, { ...silent, error: (fields) => errors.push(fields) });
  queue.wake();
  await eventually(() => held.length === 3, 'three attempts under way');
  const [, lost] = await rows();
  await shop.db
    .deleteFrom('deliveries')
    .where('id', '=', lost?.id ?? '')
    .execute();
  held.forEach((release) => release());
  await queue.idle();
  expect((await rows()).map((row) => row.status)).toEqual(['delivered', 'delivered']);
  const logs = await shop.db.selectFrom('webhook_logs').select('deliveryId').execute();
  expect(logs.map((log) => log.deliveryId).toSorted()).toEqual((await rows()).map(({ id }) => id).toSorted());
  expect(errors).toMatchObject([{ deliveryId: lost?.id }]);
});
