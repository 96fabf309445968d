import { once } from 'node:events';
import { createServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findDelivery } from '../../../src/store/webhooks/deliveries.ts';
import { newWebhookSecret } from '../../../src/usecases/events/new-id.ts';
import { listWebhookLogs } from '../../../src/usecases/webhooks/list-webhook-logs.ts';
import { eventually } from '../../_helpers/webhooks/eventually.ts';
import { openShop, secretBox, type Merchant, type Shop } from '../../_helpers/webhooks/shop.ts';
import {
  ok,
  startSink,
  status,
  type Answer,
  type Received,
  type Sink,
} from '../../_helpers/webhooks/sink.ts';

const FAST = { retryDelaysMs: Array.from({ length: 9 }, () => 0) };
const MINUTE_MS = 60_000;

let shop: Shop;
const sinks: Sink[] = [];
beforeEach(async () => {
  shop = await openShop();
});
afterEach(async () => {
  await Promise.all(sinks.splice(0).map((sink) => sink.close()));
  await shop.close();
});

async function sinkOf(answer?: Answer): Promise<Sink> {
  const sink = await startSink(answer);
  sinks.push(sink);
  return sink;
}

async function logsOf(merchant: Merchant) {
  const { logs } = await listWebhookLogs(shop, { merchantId: merchant.id, page: 1, limit: 100 });
  return logs;
}

async function settled(deliveryId: string | null, state: string) {
  await eventually(
    async () => (await findDelivery(shop.db, deliveryId ?? ''))?.status === state,
    `delivery to be ${state}`,
  );
}

const idOf = (request: Received) => request.headers['webhook-id'];
const paymentOf = (request: Received) => (request.json.data['payment'] as { id: string }).id;

describe('the webhook queue', () => {
  it('delivers an event once, signed, and logs the attempt without secrets', async () => {
    const sink = await sinkOf((_request, response) =>
      response.writeHead(201, { 'x-shop': 'yes', 'set-cookie': 'session=secret' }).end('thanks'),
    );
    const merchant = await shop.merchant(sink.url);
    const payment = await shop.payment(merchant);
    const queue = shop.queue();
    await queue.start();
    const { eventId, deliveryId } = await payment.emit('payment.completed');
    queue.wake();
    await settled(deliveryId, 'delivered');

    const [request] = sink.received;
    expect(sink.received).toHaveLength(1);
    expect(request!.json).toEqual({
      id: eventId,
      type: 'payment.completed',
      timestamp: new Date(shop.clock.now()).toISOString(),
      sandbox: true,
      sequence: 1,
      data: { payment: { id: payment.id } },
    });
    expect(request!.headers['content-type']).toBe('application/json');
    expect(idOf(request!)).toBe(eventId);
    expect(request!.headers['webhook-timestamp']).toBe(String(Math.floor(shop.clock.now() / 1000)));

    const [log, ...more] = await logsOf(merchant);
    expect(more).toEqual([]);
    expect(log).toMatchObject({
      paymentId: payment.id,
      endpoint: sink.url,
      status: 201,
      attempt: 1,
      error: null,
      createdAt: new Date(shop.clock.now()).toISOString(),
      request: { method: 'POST', body: request!.json },
      response: { status: 201, body: 'thanks', headers: { 'x-shop': 'yes', 'set-cookie': '[redacted]' } },
    });
    expect(log!.request.headers['webhook-signature']).toBe(request!.headers['webhook-signature']);
    const stored = JSON.stringify(await shop.db.selectFrom('webhook_logs').selectAll().execute());
    expect(stored).not.toContain(merchant.secret);
    expect(stored).not.toContain('session=secret');
  });

  it('signs deliveries so that the reference library verifies them, with both secrets during a rotation', async () => {
    const sink = await sinkOf();
    const merchant = await shop.merchant(sink.url);
    const fresh = newWebhookSecret();
    await shop.db
      .updateTable('merchants')
      .set({
        webhookSecretSealed: secretBox.seal(fresh),
        webhookOldSecretSealed: secretBox.seal(merchant.secret),
        webhookOldSecretUntil: shop.clock.now() + MINUTE_MS,
      })
      .execute();
    shop.clock.advance(Date.now() - shop.clock.now() - MINUTE_MS / 2);
    await shop.db
      .updateTable('merchants')
      .set({ webhookOldSecretUntil: shop.clock.now() + MINUTE_MS })
      .execute();
    const payment = await shop.payment(merchant);
    const queue = shop.queue();
    await payment.emit();
    queue.wake();
    const [first] = await sink.until(1);
    for (const secret of [fresh, merchant.secret])
      new Webhook(secret).verify(first!.body, first!.headers as Record<string, string>);

    shop.clock.advance(MINUTE_MS + 1);
    await payment.emit();
    await eventually(async () => {
      queue.wake();
      return sink.received.length === 2;
    }, 'the second event');
    const last = sink.received[1]!;
    new Webhook(fresh).verify(last.body, last.headers as Record<string, string>);
    expect(String(last.headers['webhook-signature'])).not.toContain(' ');
  });

  it('uses the URL of the payment, otherwise that of the merchant, and delivers nothing without a URL', async () => {
    const [own, general] = [await sinkOf(), await sinkOf()];
    const merchant = await shop.merchant(general.url);
    const queue = shop.queue();
    await (await shop.payment(merchant, own.url)).emit();
    await (await shop.payment(merchant)).emit();
    const silent = await (await shop.payment(await shop.merchant(null))).emit();
    queue.wake();
    await Promise.all([own.until(1), general.until(1)]);
    expect(silent.deliveryId).toBeNull();
    expect([own.received.length, general.received.length]).toEqual([1, 1]);
  });

  it('delivers the events of a payment in order while attempts fail, and does not delay other payments', async () => {
    const attempts = new Map<string, number>();
    const delivered: string[] = [];
    const sink = await sinkOf((request, response) => {
      const count = (attempts.get(request.json.id) ?? 0) + 1;
      attempts.set(request.json.id, count);
      const isTroubled = paymentOf(request) === troubled.id;
      if (isTroubled && count < 3) return void response.writeHead(500).end();
      delivered.push(`${isTroubled ? 'troubled' : 'other'} ${request.json.sequence}`);
      return void response.writeHead(200).end();
    });
    const merchant = await shop.merchant(sink.url);
    const troubled = await shop.payment(merchant);
    const other = await shop.payment(merchant);
    for (const type of ['payment.created', 'payment.confirming', 'payment.completed'] as const) {
      await troubled.emit(type);
      await other.emit(type);
    }
    const queue = shop.queue();
    queue.wake();
    await eventually(() => delivered.length === 3, 'the payment without trouble');
    expect(delivered).toEqual(['other 1', 'other 2', 'other 3']);

    await eventually(() => {
      shop.clock.advance(6 * MINUTE_MS);
      queue.wake();
      return delivered.length === 6;
    }, 'the payment with trouble');
    expect(delivered.slice(3)).toEqual(['troubled 1', 'troubled 2', 'troubled 3']);
    expect([...attempts.values()].sort((a, b) => a - b)).toEqual([1, 1, 1, 3, 3, 3]);
  });

  it('is not delayed by endpoints that never respond', async () => {
    const dead = await Promise.all(Array.from({ length: 6 }, () => sinkOf(() => undefined)));
    const alive = await sinkOf();
    const unheard: Merchant[] = [];
    for (const sink of dead) {
      const merchant = await shop.merchant(sink.url);
      unheard.push(merchant);
      for (let n = 0; n < 10; n += 1) await (await shop.payment(merchant)).emit();
    }
    const merchant = await shop.merchant(alive.url);
    for (let n = 0; n < 30; n += 1) await (await shop.payment(merchant)).emit();
    shop.queue().wake();
    await alive.until(30);
    for (const sink of dead) expect(sink.received.length).toBeLessThanOrEqual(4);
    // No attempt at them has ended yet.
    for (const one of unheard) expect(await logsOf(one)).toEqual([]);
  });

  it.each(['the same shop', 'another shop'])(
    'is not delayed by an endpoint of %s that never responds at the same host',
    async (whose) => {
      const host = await sinkOf((request, response, index) => {
        if (request.path === '/quick') ok(request, response, index);
      });
      const { origin } = new URL(host.url);
      const slow = await shop.merchant(`${origin}/slow`);
      for (let n = 0; n < 20; n += 1) await (await shop.payment(slow)).emit();
      const quick = whose === 'another shop' ? await shop.merchant(null) : slow;
      for (let n = 0; n < 10; n += 1) await (await shop.payment(quick, `${origin}/quick`)).emit();
      const at = (path: string) => host.received.filter((request) => request.path === path);
      shop.queue().wake();
      await eventually(() => at('/quick').length === 10, 'the quick endpoint has all of its own', 6_000);
      expect(at('/slow')).toHaveLength(4);
    },
  );

  it('never runs more than 4 attempts to an endpoint, nor more than 32 in all', async () => {
    const held: (() => void)[] = [];
    const hold: Answer = (_request, response) => void held.push(() => response.writeHead(200).end());
    const hosts = await Promise.all(Array.from({ length: 10 }, () => sinkOf(hold)));
    for (const sink of hosts) {
      const merchant = await shop.merchant(sink.url);
      for (let n = 0; n < 6; n += 1) await (await shop.payment(merchant)).emit();
    }
    shop.queue().wake();
    await eventually(() => held.length === 32, '32 attempts under way');
    for (const sink of hosts) expect(sink.received.length).toBeLessThanOrEqual(4);
    let most = 0;
    await eventually(() => {
      most = Math.max(most, held.length);
      held.splice(0).forEach((release) => release());
      return hosts.every((sink) => sink.received.length === 6);
    }, 'all sixty');
    expect(most).toBeLessThanOrEqual(32);
  });

  it('retries on schedule, counted from the end of each attempt, then fails permanently', async () => {
    const sink = await sinkOf(status(500));
    const merchant = await shop.merchant(sink.url);
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    const queue = shop.queue();
    queue.wake();
    await sink.until(1);
    const gapsSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [index, gap] of gapsSeconds.entries()) {
      await eventually(
        async () => (await findDelivery(shop.db, deliveryId!))?.attempts === index + 1,
        `attempt ${index + 1} to be recorded`,
      );
      shop.clock.advance(gap * 1000 - 1);
      queue.wake();
      await queue.idle();
      expect(sink.received).toHaveLength(index + 1);
      shop.clock.advance(1);
      queue.wake();
      await sink.until(index + 2);
    }
    await settled(deliveryId, 'failed');
    expect(new Set(sink.received.map(idOf)).size).toBe(1);
    expect(new Set(sink.received.map((request) => request.headers['webhook-timestamp'])).size).toBe(10);
    expect(new Set(sink.received.map((request) => request.body)).size).toBe(1);
    expect((await logsOf(merchant)).map((log) => log.attempt)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('waits for Retry-After of a 503 and a 429, and continues with the next event of the payment after a final failure', async () => {
    const sink = await sinkOf(status(503, { 'retry-after': '600' }));
    const merchant = await shop.merchant(sink.url);
    const payment = await shop.payment(merchant);
    const first = await payment.emit();
    const second = await payment.emit();
    const queue = shop.queue({ retryDelaysMs: [5_000, 5_000] });
    queue.wake();
    await queue.idle();
    const row = await findDelivery(shop.db, first.deliveryId!);
    expect(row!.nextAttemptAt - shop.clock.now()).toBe(600_000);
    sink.answer((_request, response) =>
      response.writeHead(429, { 'retry-after': new Date(shop.clock.now() + 90_000).toUTCString() }).end(),
    );
    shop.clock.advance(600_000);
    queue.wake();
    await queue.idle();
    expect((await findDelivery(shop.db, first.deliveryId!))!.nextAttemptAt - shop.clock.now()).toBe(90_000);
    shop.clock.advance(90_000);
    queue.wake();
    await settled(first.deliveryId, 'failed');
    sink.answer(ok);
    await sink.until(4);
    expect(sink.received.map((request) => request.json.sequence)).toEqual([1, 1, 1, 2]);
    await eventually(
      async () => (await findDelivery(shop.db, second.deliveryId!))!.attempts === 1,
      'the second',
    );
  });

  it.each<[string, Answer, Partial<{ status: number; error: unknown }>]>([
    ['a redirect', status(302, { location: 'http://127.0.0.1:1/' }), { status: 302 }],
    ['a client error', status(404), { status: 404 }],
    ['a reset connection', (_request, response) => void response.socket?.resetAndDestroy(), { status: 0 }],
    ['silence', () => undefined, { status: 0, error: 'timeout: no answer within 200 ms' }],
    [
      'a success that breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '99' }).write('x', () => response.socket?.destroy());
      },
      { status: 0 },
    ],
  ])('treats %s as a failure and retries', async (_what, answer, expected) => {
    const sink = await sinkOf((request, response, index) =>
      (index === 0 ? answer : ok)(request, response, index),
    );
    const merchant = await shop.merchant(sink.url);
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    shop.queue({ ...FAST, attemptLimitMs: 200 }).wake();
    await settled(deliveryId, 'delivered');
    const logs = await logsOf(merchant);
    const failed = logs.find((log) => log.attempt === 1);
    expect(failed).toMatchObject(expected);
    expect(failed!.error).not.toBeNull();
    expect(failed!.response.status).toBe(expected.status);
    expect(logs).toHaveLength(2);
  });

  it('treats a 2xx with an endless or slow body as a success and stops reading it', async () => {
    const sink = await sinkOf((request, response) => {
      response.writeHead(200);
      response.on('error', () => undefined);
      if (request.json.sequence === 1) {
        const pour = (): void => {
          while (response.write('x'.repeat(16_384)));
        };
        response.on('drain', pour);
        pour();
      } else response.write('drip');
    });
    const merchant = await shop.merchant(sink.url);
    const payment = await shop.payment(merchant);
    await payment.emit();
    const last = await payment.emit();
    shop.queue({ attemptLimitMs: 2_000 }).wake();
    await settled(last.deliveryId, 'delivered');
    const bodies = (await logsOf(merchant)).map((log) => [log.status, log.response.body.length] as const);
    expect(bodies.sort(([, a], [, b]) => a - b)).toEqual([
      [200, 4],
      [200, 65_536],
    ]);
  });

  it('fails the waiting deliveries of a payment to its own URL on 410, and those of no other payment', async () => {
    const sink = await sinkOf((request, response) =>
      response.writeHead(paymentOf(request) === closing.id ? 410 : 200).end(),
    );
    const merchant = await shop.merchant(null);
    const closing = await shop.payment(merchant, sink.url);
    const going = await shop.payment(merchant, sink.url);
    const pending = [await closing.emit(), await closing.emit()];
    const queue = shop.queue();
    queue.wake();
    for (const { deliveryId } of pending) await settled(deliveryId, 'failed');
    expect((await closing.emit()).deliveryId).toBeNull();
    const other = await going.emit();
    queue.wake();
    await settled(other.deliveryId, 'delivered');
    expect(sink.received.filter((request) => paymentOf(request) === closing.id)).toHaveLength(1);
  });
});

describe('the webhook queue on errors', () => {
  it('releases deliveries that it cannot finish before its stop, and delivers them at the next start', async () => {
    const sink = await sinkOf(() => undefined);
    const merchant = await shop.merchant(sink.url);
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    const queue = shop.queue();
    await queue.start();
    await sink.until(1);
    await queue.stop({ deadlineMs: 100 });
    expect(await findDelivery(shop.db, deliveryId!)).toMatchObject({ attempts: 0, leaseToken: null });
    expect(await logsOf(merchant)).toEqual([]);
    sink.answer(ok);
    await shop.queue().start();
    await settled(deliveryId, 'delivered');
    expect(idOf(sink.received[0]!)).toBe(idOf(sink.received[1]!));
  });

  it('lets running attempts finish until the deadline of a stop', async () => {
    const held: (() => void)[] = [];
    const sink = await sinkOf((_request, response) => void held.push(() => response.end()));
    const { deliveryId } = await (await shop.payment(await shop.merchant(sink.url))).emit();
    const queue = shop.queue();
    await queue.start();
    await sink.until(1);
    const stopped = queue.stop({ deadlineMs: 10_000 });
    held.forEach((release) => release());
    await stopped;
    expect(await findDelivery(shop.db, deliveryId!)).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  it('stops at its deadline although the database fails and a finished attempt cannot be recorded', async () => {
    const held: (() => void)[] = [];
    const sink = await sinkOf((_request, response) => void held.push(() => response.end()));
    await (await shop.payment(await shop.merchant(sink.url))).emit();
    const queue = shop.queue();
    await queue.start();
    await sink.until(1);
    const failing = vi.spyOn(shop.db, 'updateTable').mockImplementation(() => {
      throw new Error('disk I/O error');
    });
    shop.clock.advance(2 * MINUTE_MS);
    held.forEach((release) => release());
    await queue.stop({ deadlineMs: 100 });
    expect(failing).toHaveBeenCalled();
    failing.mockRestore();
  });

  it('makes no redelivery in parallel to an attempt that outlasts its lease', async () => {
    const held: (() => void)[] = [];
    const sink = await sinkOf((_request, response, index) => {
      if (index === 0) held.push(() => response.end());
      else response.end();
    });
    const { deliveryId } = await (await shop.payment(await shop.merchant(sink.url))).emit();
    const queue = shop.queue();
    queue.wake();
    await sink.until(1);
    shop.clock.advance(60 * MINUTE_MS);
    const byHand = queue.attemptNow(deliveryId!);
    held.forEach((release) => release());
    expect(await byHand).toMatchObject({ status: 200 });
    expect(sink.received).toHaveLength(1);
  });

  it('never delivers an event twice when two workers lease the same rows concurrently', async () => {
    const sink = await sinkOf();
    const merchant = await shop.merchant(sink.url);
    const workers = [shop.queue(), shop.queue(), shop.queue()];
    const payments = await Promise.all(Array.from({ length: 20 }, () => shop.payment(merchant)));
    for (const payment of payments) {
      await payment.emit();
      await payment.emit();
      for (const worker of workers) worker.wake();
    }
    await eventually(async () => {
      const left = await shop.db
        .selectFrom('deliveries')
        .select('id')
        .where('status', '=', 'pending')
        .execute();
      return left.length === 0;
    }, 'all deliveries');
    expect(sink.received).toHaveLength(40);
    expect(new Set(sink.received.map(idOf)).size).toBe(40);
  });

  it('takes over an expired lease, and ignores the late result of the previous worker', async () => {
    const held: (() => void)[] = [];
    const sink = await sinkOf((_request, response, index) => {
      if (index === 0) held.push(() => response.writeHead(500).end());
      else response.writeHead(200).end();
    });
    const merchant = await shop.merchant(sink.url);
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    const slow = shop.queue();
    slow.wake();
    await sink.until(1);
    const other = shop.queue();
    other.wake();
    await other.idle();
    expect(sink.received).toHaveLength(1);
    shop.clock.advance(MINUTE_MS);
    other.wake();
    await settled(deliveryId, 'delivered');
    held.forEach((release) => release());
    await slow.idle();
    expect(await findDelivery(shop.db, deliveryId!)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect((await logsOf(merchant)).map((log) => log.status).sort((a, b) => a - b)).toEqual([200, 500]);
  });

  it('ignores a late result while the attempt of the new lease is running', async () => {
    const held: (() => void)[] = [];
    const sink = await sinkOf((_request, response) => void held.push(() => response.writeHead(500).end()));
    const merchant = await shop.merchant(sink.url);
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    const [slow, successor] = [shop.queue(), shop.queue()];
    slow.wake();
    await sink.until(1);
    shop.clock.advance(MINUTE_MS);
    successor.wake();
    await sink.until(2);
    const leased = await findDelivery(shop.db, deliveryId!);
    held[0]!();
    await slow.idle();
    expect(await findDelivery(shop.db, deliveryId!)).toEqual(leased);
    expect(await logsOf(merchant)).toHaveLength(1);
    held[1]!();
    await successor.idle();
    expect(await findDelivery(shop.db, deliveryId!)).toMatchObject({ attempts: 1, leaseToken: null });
  });

  it('loses nothing when the clock jumps back by years', async () => {
    const sink = await sinkOf(status(500));
    const merchant = await shop.merchant(sink.url);
    const payment = await shop.payment(merchant);
    const first = await payment.emit();
    const second = await payment.emit();
    const queue = shop.queue();
    queue.wake();
    await queue.idle();
    sink.answer(ok);
    shop.clock.advance(-5 * 365 * 24 * 60 * MINUTE_MS);
    queue.wake();
    await settled(first.deliveryId, 'delivered');
    await settled(second.deliveryId, 'delivered');
    expect(sink.received.map((request) => request.json.sequence)).toEqual([1, 1, 2]);
  });

  it('loses nothing when the clock jumps ahead in the middle of an attempt', async () => {
    const sink = await sinkOf((_request, response, index) => {
      shop.clock.advance(3 * 365 * 24 * 60 * MINUTE_MS);
      response.writeHead(index === 0 ? 500 : 200).end();
    });
    const { deliveryId } = await (await shop.payment(await shop.merchant(sink.url))).emit();
    const queue = shop.queue();
    queue.wake();
    await queue.idle();
    shop.clock.advance(-3 * 365 * 24 * 60 * MINUTE_MS);
    queue.wake();
    await settled(deliveryId, 'delivered');
    expect(sink.received).toHaveLength(2);
  });

  it('finds due deliveries by its own timer when it gets no notification', async () => {
    const sink = await sinkOf();
    const merchant = await shop.merchant(sink.url);
    const queue = shop.queue();
    await queue.start();
    await queue.idle();
    await (await shop.payment(merchant)).emit();
    await sink.until(1, 5_000);
  });

  it('continues with other deliveries when the URL of one is invalid', async () => {
    const sink = await sinkOf();
    const impossible = await shop.merchant('http://127.0.0.1:1/');
    const nonsense = await shop.merchant('nonsense');
    const merchant = await shop.merchant(sink.url);
    for (const each of [impossible, nonsense, merchant]) await (await shop.payment(each)).emit();
    shop.queue().wake();
    await sink.until(1);
    await eventually(async () => (await logsOf(nonsense)).length === 1, 'the log of the impossible target');
    expect((await logsOf(nonsense))[0]).toMatchObject({ status: 0, error: 'refused: not a URL' });
    await eventually(async () => (await logsOf(impossible)).length === 1, 'the log of the closed port');
    expect((await logsOf(impossible))[0]!.error).toContain('ECONNREFUSED');
  });

  it('times out on a server that accepts connections and sends no HTTP', async () => {
    const server = createServer((socket) => socket.end('hello\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const merchant = await shop.merchant(`http://127.0.0.1:${port}/`);
    await (await shop.payment(merchant)).emit();
    shop.queue().wake();
    await eventually(async () => (await logsOf(merchant)).length === 1, 'the log');
    expect((await logsOf(merchant))[0]).toMatchObject({ status: 0 });
    server.close();
  });
});
