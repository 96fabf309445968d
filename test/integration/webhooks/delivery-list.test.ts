import { afterEach, beforeEach, expect, it } from 'vitest';
import type { EventType } from '../../../src/domain/events.ts';
import { listDeliveries } from '../../../src/usecases/webhooks/list-deliveries.ts';
import { listWebhookLogs } from '../../../src/usecases/webhooks/list-webhook-logs.ts';
import { redeliverWebhook } from '../../../src/usecases/webhooks/redeliver-webhook.ts';
import { createEndpoint, removeEndpoint } from '../../../src/usecases/webhooks/webhook-endpoints.ts';
import type { WebhookQueue } from '../../../src/workers/webhook-delivery/queue.ts';
import { openShop, secretBox, type Merchant, type Shop } from '../../_helpers/webhooks/shop.ts';
import { ok, startSink, status, type Sink } from '../../_helpers/webhooks/sink.ts';
import { SECRET_KEY } from '../../_helpers/secret-key.ts';

const GAP_MS = 60_000;

let shop: Shop;
let sink: Sink;
let queue: WebhookQueue;
let merchant: Merchant;
beforeEach(async () => {
  shop = await openShop();
  sink = await startSink();
  queue = shop.queue({ retryDelaysMs: [GAP_MS, GAP_MS, GAP_MS] });
  merchant = await shop.merchant(sink.url);
});
afterEach(async () => {
  await sink.close();
  await shop.close();
});

const list = async (filter: object = {}, of = merchant) =>
  listDeliveries(shop, { merchantId: of.id, page: 1, limit: 100, ...filter });
const attemptsOf = async (deliveryId: string, of = merchant) =>
  (await listWebhookLogs(shop, { merchantId: of.id, deliveryId, page: 1, limit: 100 })).logs;

async function run(): Promise<void> {
  queue.wake();
  await queue.idle();
}

/** All attempts of what waits, with the pauses between them. */
async function exhaust(): Promise<void> {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await run();
    shop.clock.advance(2 * GAP_MS);
  }
}

async function emit(type: EventType = 'payment.created', of = merchant) {
  shop.clock.advance(1_000);
  return (await shop.payment(of)).emit(type);
}

const endpoint = async (url: string, events: EventType[] | null = null) => {
  const deps = { ...shop, secretBox, webhookUrlRule: () => null, wakeWebhooks: () => undefined };
  return (
    await createEndpoint(deps, { merchantId: merchant.id, creator: SECRET_KEY, url, events, active: true })
  ).endpoint;
};

it('listDeliveries returns one entry per delivery however many attempts it had, on any page', async () => {
  sink.answer(status(500));
  const made: string[] = [];
  for (let number = 0; number < 7; number += 1) made.unshift((await emit()).eventId);
  await exhaust();
  const pages = [];
  for (const page of [1, 2, 3, 4]) pages.push(await list({ page, limit: 3 }));
  expect(pages.map(({ total }) => total)).toEqual([7, 7, 7, 7]);
  expect(pages.map(({ deliveries }) => deliveries.length)).toEqual([3, 3, 1, 0]);
  const all = pages.flatMap(({ deliveries }) => deliveries);
  expect(all.map(({ eventId }) => eventId)).toEqual(made);
  for (const delivery of all) {
    const attempts = await attemptsOf(delivery.id);
    expect(attempts.map(({ attempt }) => attempt)).toEqual([4, 3, 2, 1]);
    expect(delivery).toMatchObject({ state: 'failed', attempts: 4, nextAttemptAt: null, endpoint: sink.url });
    expect(delivery.last).toMatchObject({ logId: attempts[0]?.id, status: 500 });
    expect(delivery.last?.at).toBe(attempts[0]?.createdAt);
  }
});

it('listDeliveries includes queued deliveries before their first attempt, with its planned time', async () => {
  const { eventId } = await emit();
  const { deliveries } = await list({ state: 'pending' });
  expect(deliveries).toMatchObject([{ eventId, event: 'payment.created', attempts: 0, last: null }]);
  expect(deliveries[0]?.nextAttemptAt).toBe(new Date(shop.clock.now()).toISOString());
  sink.answer(status(503));
  await run();
  const [tried] = (await list()).deliveries;
  expect(tried).toMatchObject({ state: 'pending', attempts: 1, last: { status: 503 } });
  expect(Date.parse(tried?.nextAttemptAt ?? '')).toBeGreaterThan(shop.clock.now());
});

it('listDeliveries filters by status, event, payment, day and merchant, each with its total', async () => {
  const start = shop.clock.now();
  await emit();
  await run();
  sink.answer(status(500));
  await emit('payment.expired');
  await exhaust();
  const waits = await emit('payment.completed');
  const stranger = await shop.merchant(sink.url);
  await emit('payment.created', stranger);
  const types = async (filter: object, of = merchant) => {
    const { deliveries, total } = await list(filter, of);
    expect(deliveries).toHaveLength(total);
    return deliveries.map(({ event }) => event);
  };
  expect(await types({})).toEqual(['payment.completed', 'payment.expired', 'payment.created']);
  expect(await types({ state: 'delivered' })).toEqual(['payment.created']);
  expect(await types({ state: 'failed' })).toEqual(['payment.expired']);
  expect(await types({ state: 'pending' })).toEqual(['payment.completed']);
  expect(await types({ event: 'payment.expired' })).toEqual(['payment.expired']);
  expect(await types({ event: 'payment.expired', state: 'delivered' })).toEqual([]);
  expect(await types({ from: start + 1_500 })).toEqual(['payment.completed', 'payment.expired']);
  expect(await types({ to: start + 1_500 })).toEqual(['payment.created']);
  expect(await types({ mode: 'live' })).toEqual([]);
  expect(await types({ mode: 'sandbox', state: 'failed' })).toEqual(['payment.expired']);
  const [newest] = (await list()).deliveries;
  expect(newest?.eventId).toBe(waits.eventId);
  expect(await types({ paymentId: newest?.paymentId })).toEqual(['payment.completed']);
  expect(await types({ paymentId: newest?.paymentId, state: 'failed' })).toEqual([]);
  expect(await types({ paymentId: newest?.paymentId }, stranger)).toEqual([]);
  expect(await types({}, stranger)).toEqual(['payment.created']);
  expect(await attemptsOf(newest?.id ?? '', stranger)).toEqual([]);
});

it('listDeliveries distinguishes the endpoint of the merchant, others, those of payments, and deleted ones', async () => {
  const books = await endpoint('http://127.0.0.1:9/books', ['payment.completed']);
  await emit();
  await emit('payment.completed');
  await (await shop.payment(merchant, 'http://127.0.0.1:9/own')).emit();
  const urls = async (endpointId: string | null) => {
    const { deliveries, total } = await list({ endpointId });
    expect(deliveries).toHaveLength(total);
    return deliveries.map((each) => [each.event, each.endpoint, each.endpointId]);
  };
  const ofBooks = [['payment.completed', books.url, books.id]];
  expect(await urls(books.id)).toEqual(ofBooks);
  expect(await urls(merchant.id)).toEqual([
    ['payment.completed', sink.url, merchant.id],
    ['payment.created', sink.url, merchant.id],
  ]);
  expect(await urls(null)).toEqual([['payment.created', 'http://127.0.0.1:9/own', null]]);
  const deps = { ...shop, secretBox, webhookUrlRule: () => null, wakeWebhooks: () => undefined };
  await removeEndpoint(deps, { merchantId: merchant.id, endpointId: books.id });
  expect(await urls(books.id)).toEqual(ofBooks);
  const { deliveries } = await list({ state: 'failed' });
  expect(deliveries).toMatchObject([{ attempts: 0, last: { error: 'ended: the endpoint was deleted' } }]);
});

it('listDeliveries returns a delivery once after a redelivery, in its current state, with the earlier attempts', async () => {
  sink.answer(status(500));
  await emit();
  await exhaust();
  await emit('payment.expired');
  const given = (await list({ state: 'failed' })).deliveries[0];
  const again = async () =>
    redeliverWebhook(
      { ...shop, attempts: queue },
      { merchantId: merchant.id, logId: given?.last?.logId ?? '' },
    );
  shop.clock.advance(1_000);
  const { logId } = await again();
  const { deliveries, total } = await list();
  expect(total).toBe(2);
  expect(deliveries[0]).toMatchObject({
    eventId: given?.eventId,
    state: 'pending',
    attempts: 5,
    last: { logId },
  });
  expect((await list({ state: 'failed' })).total).toBe(0);
  shop.clock.advance(1_000);
  sink.answer(ok);
  await again();
  const [arrived] = (await list({ state: 'delivered' })).deliveries;
  expect(arrived).toMatchObject({
    eventId: given?.eventId,
    attempts: 6,
    nextAttemptAt: null,
    last: { status: 200 },
  });
  expect((await list()).total).toBe(2);
  for (const id of [given?.id ?? '', deliveries[0]?.id ?? ''])
    expect((await attemptsOf(id)).map((log) => log.status)).toEqual([200, 500, 500, 500, 500, 500]);
});

it('listDeliveries returns the same list and totals after a restart', async () => {
  await emit();
  await run();
  await emit('payment.completed');
  const before = [await list(), await list({ state: 'delivered' })];
  const second = await openShop({ path: shop.path, clock: shop.clock });
  try {
    const filter = { merchantId: merchant.id, page: 1, limit: 100 };
    const after = [await listDeliveries(second, filter)];
    after.push(await listDeliveries(second, { ...filter, state: 'delivered' }));
    expect(after).toEqual(before);
    expect(after.map(({ total }) => total)).toEqual([2, 1]);
  } finally {
    await second.close();
  }
});
