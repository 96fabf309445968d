import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Tilld, TilldError, type ListedEvent } from '../../../packages/sdk/src/index.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { FaultProxy } from '../../_helpers/fault-proxy.ts';
import { Till } from '../../_helpers/till.ts';

let daemon: Till;
let proxy: FaultProxy;
let shop: Shop;
let till: Tilld;
beforeAll(async () => {
  daemon = await Till.start();
  shop = await Shop.open(daemon.api);
  proxy = await FaultProxy.start(daemon.api.baseUrl);
  till = new Tilld({ baseUrl: proxy.url, key: shop.secretKey });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await daemon.end();
});

async function orders(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const orderId = `order-${randomBytes(6).toString('hex')}`;
    const { id } = await till.payments.create({ orderId, amount: '10', currency: 'EUR', customer: {} });
    ids.push(id);
  }
  return ids;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

it('SDK lists return all items of all pages, each once although others are created meanwhile', async () => {
  const before = await orders(205);
  const seen: string[] = [];
  for await (const { id } of till.payments.all({ status: 'pending' })) {
    seen.push(id);
    // These push others onto the next page.
    if (seen.length === 50) await orders(3);
  }
  expect(seen).toHaveLength(new Set(seen).size);
  expect(seen.toSorted()).toEqual(before.toSorted());
  expect(proxy.seen.filter(({ path }) => path.startsWith('/payment/list')).length).toBe(3);
  const { payments, pagination } = await till.payments.list({ limit: 1 });
  expect([payments.length, pagination.total]).toEqual([1, 208]);
  expect(await collect(till.products.all())).toEqual([]);
});

it('SDK events.since returns all events after a cursor and ends', async () => {
  const events = await collect(till.events.since({ after: 0, type: 'payment.created' }));
  expect(events.length).toBe(208);
  expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b));
  const [event] = events;
  // Typed by its type, without a cast; parts of old events may be missing.
  const amount = event?.type === 'payment.created' ? event.data.payment?.amount : null;
  expect(amount).toBe('10');
  const cursor = events.at(-1)!.seq;
  expect(await collect(till.events.since({ after: cursor, type: 'payment.created' }))).toEqual([]);
});

/** The pauses between attempts grow. */
const soon = <T>(look: () => T) => expect.poll(look, { timeout: 60_000 });

it('SDK events.follow returns each event once and in order, across failures and a restart, until it is aborted', async () => {
  const [last] = (await till.events.list({ limit: 1 })).events;
  const controller = new AbortController();
  const failures: string[] = [];
  const events: ListedEvent[] = [];
  proxy.next('drop', { status: 503, headers: { 'retry-after': '0' } }, { status: 500 }, 'cut-answer');
  const onError = ({ code }: TilldError): void => void failures.push(code);
  const following = (async () => {
    const { signal } = controller;
    for await (const event of till.events.follow({ after: last!.seq, signal, wait: 5, onError })) {
      events.push(event);
    }
  })();
  await soon(() => failures.length).toBe(3);
  const first = await shop.createPayment();
  await soon(() => failures).toEqual(['NO_ANSWER', 'UNREADABLE', 'UNREADABLE', 'NO_ANSWER']);
  await soon(() => events.map(({ paymentId }) => paymentId)).toEqual([first.id]);
  await daemon.down();
  await soon(() => failures.length).toBeGreaterThan(4);
  await daemon.up();
  const second = await shop.createPayment();
  await soon(() => events.map(({ paymentId }) => paymentId)).toEqual([first.id, second.id]);
  controller.abort();
  await following;
});

const code = (error: unknown): unknown => (error instanceof TilldError ? error.code : error);

it('SDK events.follow ends on an error that a retry cannot fix', async () => {
  const stranger = new Tilld({ baseUrl: proxy.url, key: 'sk_of_nobody' });
  await expect(collect(stranger.events.follow({ after: 0 })).catch(code)).resolves.toBe('UNAUTHORISED');
  await expect(collect(till.events.follow({ after: 1e12 })).catch(code)).resolves.toBe('VALIDATION_INVALID');
  await expect(collect(till.events.follow({ after: 0, wait: 0 }))).rejects.toThrow(RangeError);
});

it('SDK events.follow ends immediately when the abort signal was aborted before', async () => {
  const signal = AbortSignal.abort();
  expect(await collect(till.events.follow({ after: 0, signal }))).toEqual([]);
});
