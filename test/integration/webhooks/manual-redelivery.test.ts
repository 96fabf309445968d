import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDelivery } from '../../../src/store/webhooks/deliveries.ts';
import { updateMerchant } from '../../../src/store/merchants/merchants.ts';
import { emitEvent } from '../../../src/usecases/events/emit-event.ts';
import { listEvents } from '../../../src/usecases/webhooks/list-events.ts';
import { listWebhookLogs } from '../../../src/usecases/webhooks/list-webhook-logs.ts';
import { redirectDeliveries } from '../../../src/usecases/webhooks/redirect-deliveries.ts';
import { redeliverWebhook } from '../../../src/usecases/webhooks/redeliver-webhook.ts';
import { testWebhook } from '../../../src/usecases/webhooks/test-webhook.ts';
import type { WebhookQueue } from '../../../src/workers/webhook-delivery/queue.ts';
import { openShop, type Merchant, type Shop } from '../../_helpers/webhooks/shop.ts';
import { ok, startSink, status, type Sink } from '../../_helpers/webhooks/sink.ts';
import { silent } from '../../_helpers/wallet-world.ts';

let shop: Shop;
let sink: Sink;
let queue: WebhookQueue;
beforeEach(async () => {
  shop = await openShop();
  sink = await startSink();
  queue = shop.queue();
});
afterEach(async () => {
  await sink.close();
  await shop.close();
});

const logs = async (merchant: Merchant, filter: object = {}) =>
  listWebhookLogs(shop, { merchantId: merchant.id, page: 1, limit: 100, ...filter });

async function run(): Promise<void> {
  queue.wake();
  await queue.idle();
}

async function editUrl(merchant: Merchant, webhookUrl: string | null): Promise<void> {
  await shop.db.transaction(async (tx) => {
    const now = shop.clock.now();
    await updateMerchant(tx, merchant.id, { webhookUrl, updatedAt: now });
    await redirectDeliveries(tx, { merchantId: merchant.id, webhookUrl, now });
  });
}

describe('redeliverWebhook', () => {
  it('sends the same body and id again immediately and returns the new log entry', async () => {
    const merchant = await shop.merchant(sink.url);
    await (await shop.payment(merchant)).emit();
    await run();
    const [first] = (await logs(merchant)).logs;
    const report = await redeliverWebhook(
      { ...shop, attempts: queue },
      { merchantId: merchant.id, logId: first!.id },
    );
    expect(report).toMatchObject({ status: 200, error: null });
    expect(sink.received).toHaveLength(2);
    expect(sink.received[1]!.body).toBe(sink.received[0]!.body);
    expect(sink.received[1]!.headers['webhook-id']).toBe(sink.received[0]!.headers['webhook-id']);
    expect((await logs(merchant)).logs.map((log) => log.id)).toContain(report.logId);
  });

  it('is not blocked by failing earlier events of the payment, and its success ends the retries of the first delivery', async () => {
    sink.answer(status(500));
    const merchant = await shop.merchant(sink.url);
    const payment = await shop.payment(merchant);
    const first = await payment.emit();
    await payment.emit();
    await run();
    sink.answer(ok);
    const [log] = (await logs(merchant)).logs;
    await redeliverWebhook({ ...shop, attempts: queue }, { merchantId: merchant.id, logId: log!.id });
    expect((await findDelivery(shop.db, first.deliveryId!))!.status).toBe('delivered');
    await run();
    expect(sink.received.map((request) => request.json.sequence)).toEqual([1, 1, 2]);
  });

  it('creates at most one series of retries however often it is requested', async () => {
    sink.answer(status(500));
    const merchant = await shop.merchant(sink.url);
    await (await shop.payment(merchant)).emit();
    await run();
    const [log] = (await logs(merchant)).logs;
    for (let n = 0; n < 5; n += 1) {
      const input = { merchantId: merchant.id, logId: log!.id };
      expect(await redeliverWebhook({ ...shop, attempts: queue }, input)).toMatchObject({ status: 500 });
    }
    const pending = await shop.db
      .selectFrom('deliveries')
      .select('id')
      .where('status', '=', 'pending')
      .execute();
    expect(pending).toHaveLength(2);
  });

  it('answers INVALID_STATE when another redelivery replaces it before its attempt', async () => {
    const merchant = await shop.merchant(sink.url);
    await (await shop.payment(merchant)).emit();
    await run();
    const input = { merchantId: merchant.id, logId: (await logs(merchant)).logs[0]!.id };
    const attemptNow = async (deliveryId: string) => {
      expect(await redeliverWebhook({ ...shop, attempts: queue }, input)).toMatchObject({ status: 200 });
      return queue.attemptNow(deliveryId);
    };
    await expect(redeliverWebhook({ ...shop, attempts: { attemptNow } }, input)).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
  });

  it('answers LOG_NOT_FOUND for a log of another merchant or an unknown one', async () => {
    const merchant = await shop.merchant(sink.url);
    const other = await shop.merchant(sink.url);
    await (await shop.payment(merchant)).emit();
    await run();
    const [log] = (await logs(merchant)).logs;
    for (const input of [
      { merchantId: other.id, logId: log!.id },
      { merchantId: merchant.id, logId: 'whl_nothing' },
    ]) {
      await expect(redeliverWebhook({ ...shop, attempts: queue }, input)).rejects.toMatchObject({
        code: 'LOG_NOT_FOUND',
      });
    }
    expect(sink.received).toHaveLength(1);
  });

  it('handles many concurrent requests for one event', async () => {
    const merchant = await shop.merchant(sink.url);
    for (let n = 0; n < 12; n += 1) await (await shop.payment(merchant)).emit();
    await run();
    const all = (await logs(merchant)).logs;
    const reports = await Promise.all(
      all.map((log) =>
        redeliverWebhook({ ...shop, attempts: queue }, { merchantId: merchant.id, logId: log.id }),
      ),
    );
    expect(new Set(reports.map((report) => report.logId)).size).toBe(12);
    expect(sink.received).toHaveLength(24);
  });
});

describe('testWebhook', () => {
  it('posts webhook.test to the merchant and returns the result', async () => {
    const merchant = await shop.merchant(sink.url);
    const report = await testWebhook(
      { ...shop, attempts: queue, logger: silent },
      { merchantId: merchant.id },
    );
    expect(report).toMatchObject({ status: 200, error: null });
    expect(sink.received[0]!.json).toMatchObject({ id: report.eventId, type: 'webhook.test', sequence: 0 });
    expect((await logs(merchant)).logs[0]).toMatchObject({ id: report.logId, paymentId: null });
  });

  it('reports a failure, and the test event is then retried like any event, also during a race with the queue', async () => {
    sink.answer(status(500));
    const merchant = await shop.merchant(sink.url);
    await queue.start();
    const reports = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const report = testWebhook({ ...shop, attempts: queue, logger: silent }, { merchantId: merchant.id });
        queue.wake();
        return report;
      }),
    );
    expect(reports.map((report) => report.status)).toEqual(Array.from({ length: 8 }, () => 500));
    expect(sink.received).toHaveLength(8);
  });

  it('answers INVALID_STATE without a URL', async () => {
    const merchant = await shop.merchant(null);
    await expect(
      testWebhook({ ...shop, attempts: queue, logger: silent }, { merchantId: merchant.id }),
    ).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });
});

describe('a webhook URL that answered 410', () => {
  it('gets no deliveries until it is edited, even to the same value', async () => {
    sink.answer(status(410));
    const merchant = await shop.merchant(sink.url);
    const closing = await shop.payment(merchant);
    await closing.emit();
    const pending = await closing.emit();
    await run();
    expect((await findDelivery(shop.db, pending.deliveryId!))!.status).toBe('failed');
    expect((await (await shop.payment(merchant)).emit()).deliveryId).toBeNull();
    const deps = { ...shop, attempts: queue };
    const [log] = (await logs(merchant)).logs;
    await expect(testWebhook({ ...deps, logger: silent }, { merchantId: merchant.id })).rejects.toMatchObject(
      {
        code: 'INVALID_STATE',
      },
    );
    await expect(redeliverWebhook(deps, { merchantId: merchant.id, logId: log!.id })).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
    expect(sink.received).toHaveLength(1);

    sink.answer(ok);
    await editUrl(merchant, sink.url);
    expect((await (await shop.payment(merchant)).emit()).deliveryId).not.toBeNull();
    await run();
    expect(sink.received).toHaveLength(2);
  });
});

describe('an edited webhook URL', () => {
  it('receives the deliveries waiting for the old URL, except those of payments with a separate URL', async () => {
    const wrong = await startSink(status(500));
    const merchant = await shop.merchant(wrong.url);
    const payment = await shop.payment(merchant);
    const own = await shop.payment(merchant, wrong.url);
    await payment.emit();
    await payment.emit();
    await own.emit();
    await run();
    await editUrl(merchant, sink.url);
    await run();
    expect(sink.received.map((request) => request.json.sequence)).toEqual([1, 2]);
    expect(wrong.received).toHaveLength(2);
    await wrong.close();
  });

  it('receives the next attempt of a delivery that failed at the old URL in the meantime', async () => {
    const held: (() => void)[] = [];
    const wrong = await startSink(
      (_request, response) => void held.push(() => response.writeHead(410).end()),
    );
    const merchant = await shop.merchant(wrong.url);
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    queue.wake();
    await wrong.until(1);
    await editUrl(merchant, sink.url);
    held.forEach((release) => release());
    await sink.until(1);
    await queue.idle();
    expect((await findDelivery(shop.db, deliveryId!))!.status).toBe('delivered');
    await wrong.close();
  });

  it('receives the full number of attempts, however many failed at the old URL', async () => {
    queue = shop.queue({ retryDelaysMs: [1_000, 1_000, 1_000] });
    const [old, other] = [await startSink(status(500)), await startSink(status(500))];
    const merchant = await shop.merchant(old.url);
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    const attempts = async (count: number): Promise<void> => {
      for (let made = 0; made < count; made += 1) {
        await run();
        shop.clock.advance(1_200);
      }
    };
    await attempts(3);
    await editUrl(merchant, other.url);
    await attempts(3);
    const found = async () => findDelivery(shop.db, deliveryId!);
    expect(await found()).toMatchObject({ status: 'pending', attempts: 3 });
    await attempts(1);
    expect(await found()).toMatchObject({ status: 'failed', attempts: 4 });
    expect([old.received, other.received].map(({ length }) => length)).toEqual([3, 4]);
    for (const each of [old, other]) await each.close();
  });

  it('does not count an attempt that was in flight to the old URL', async () => {
    const held: (() => void)[] = [];
    const old = await startSink((_request, response) => void held.push(() => response.writeHead(500).end()));
    const merchant = await shop.merchant(old.url);
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    queue.wake();
    await old.until(1);
    sink.answer(status(500));
    await editUrl(merchant, sink.url);
    held.forEach((release) => release());
    await sink.until(1);
    await queue.idle();
    expect(await findDelivery(shop.db, deliveryId!)).toMatchObject({ status: 'pending', attempts: 1 });
    await old.close();
  });

  it('causes the waiting deliveries to fail when it is removed', async () => {
    sink.answer(status(500));
    const merchant = await shop.merchant(sink.url);
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    await run();
    await editUrl(merchant, null);
    expect((await findDelivery(shop.db, deliveryId!))!.status).toBe('failed');
  });
});

describe('listEvents and listWebhookLogs', () => {
  it('return pages with exact totals, newest first, and only of the given merchant', async () => {
    const merchant = await shop.merchant(sink.url);
    const other = await shop.merchant(sink.url);
    const payments = [await shop.payment(merchant), await shop.payment(merchant)];
    await (await shop.payment(other)).emit();
    const start = shop.clock.now();
    queue = shop.queue({ retryDelaysMs: [] });
    for (let n = 0; n < 12; n += 1) {
      sink.answer(n === 5 ? status(500) : ok);
      shop.clock.advance(1_000);
      await payments[n % 2]!.emit(n === 11 ? 'payment.completed' : 'payment.created');
      await run();
    }
    const page = await logs(merchant, { page: 2, limit: 5 });
    expect(page.total).toBe(12);
    expect(page.logs).toHaveLength(5);
    const all = (await logs(merchant)).logs;
    expect(page.logs.map((log) => log.id)).toEqual(all.slice(5, 10).map((log) => log.id));
    expect(all.map((log) => log.createdAt)).toEqual(
      all
        .map((log) => log.createdAt)
        .toSorted()
        .toReversed(),
    );
    expect((await logs(merchant, { status: 500 })).total).toBe(1);
    expect((await logs(merchant, { paymentId: payments[0]!.id })).total).toBe(6);
    expect((await logs(merchant, { paymentId: 'pay_none' })).total).toBe(0);
    expect((await logs(merchant, { from: start + 3_000, to: start + 5_000 })).total).toBe(3);
    expect((await logs(merchant, { page: 9 })).logs).toEqual([]);
    expect((await logs(other)).total).toBe(1);

    const events = await listEvents(shop, { merchantId: merchant.id, page: 1, limit: 2 });
    expect(events.total).toBe(12);
    expect(events.events[0]).toMatchObject({
      type: 'payment.completed',
      sequence: 6,
      deliveries: [{ endpoint: sink.url, status: 'delivered', attempts: 1, nextAttemptAt: null }],
    });
    const type = 'payment.completed' as const;
    expect((await listEvents(shop, { merchantId: merchant.id, type, page: 1, limit: 2 })).total).toBe(1);
  });
});

describe('emitEvent', () => {
  it('requires the transaction of the change that it reports, and is rolled back with it', async () => {
    const merchant = await shop.merchant(sink.url);
    const deps = { clock: shop.clock, logger: silent };
    const event = {
      merchant,
      type: 'webhook.test' as const,
      mode: 'sandbox' as const,
      paymentId: null,
      sendId: null,
      sequence: 0,
      data: {},
      paymentWebhookUrl: null,
    };
    await expect(emitEvent(shop.db as never, deps, event)).rejects.toThrow('transaction');
    const rolledBack = shop.db.transaction(async (tx) => {
      await emitEvent(tx, deps, event);
      throw new Error('change of mind');
    });
    await expect(rolledBack).rejects.toThrow('change of mind');
    expect((await listEvents(shop, { merchantId: merchant.id, page: 1, limit: 1 })).total).toBe(0);
    await run();
    expect(sink.received).toEqual([]);
  });
});
