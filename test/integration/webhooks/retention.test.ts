import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finishedColumns } from '../../../src/store/webhooks/deliveries.ts';
import { insertWebhookLog, sumLogBytes } from '../../../src/store/webhooks/webhook-logs.ts';
import { newId } from '../../../src/usecases/events/new-id.ts';
import { applyRetention } from '../../../src/usecases/retention/index.ts';
import { listEvents } from '../../../src/usecases/webhooks/list-events.ts';
import { openShop, silent, type Merchant, type Shop } from '../../_helpers/webhooks/shop.ts';

const DAY_MS = 86_400_000;

let shop: Shop;
let merchant: Merchant;
beforeEach(async () => {
  shop = await openShop();
  merchant = await shop.merchant('http://127.0.0.1:1/');
});
afterEach(async () => shop.close());

const incompressible = (bytes: number): string => randomBytes(bytes).toString('base64');

/** Settled deliveries of `count` events, with a log of `size` bytes each, written one second apart. */
async function history(count: number, size: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    await shop.db.transaction(async (tx) => {
      await tx
        .updateTable('deliveries')
        .set(finishedColumns('delivered', shop.clock.now()))
        .where('id', '=', deliveryId!)
        .execute();
      await insertWebhookLog(tx, {
        id: newId('whl_'),
        deliveryId: deliveryId!,
        merchantId: merchant.id,
        paymentId: null,
        eventType: 'payment.created',
        endpoint: 'http://127.0.0.1:1/',
        status: 200,
        attempt: 1,
        durationMs: 1,
        error: null,
        exchangeJson: JSON.stringify({
          request: { method: 'POST', headers: {} },
          response: { status: 200, headers: {}, body: incompressible(size) },
        }),
        createdAt: shop.clock.now(),
      });
    });
    shop.clock.advance(1_000);
  }
}

const prune = (retention: { logRetentionDays: number; logMaxBytes: number }) =>
  applyRetention({ ...shop, logger: silent }, { ...retention, auditDays: 90 });
const countOf = async (table: 'webhook_logs' | 'deliveries' | 'events') =>
  (await shop.db.selectFrom(table).selectAll().execute()).length;

describe('webhook retention', () => {
  it('keeps the logs of the last days and deletes older ones', async () => {
    await history(5, 10);
    shop.clock.advance(3 * DAY_MS);
    await history(4, 10);
    const pruned = await prune({ logRetentionDays: 2, logMaxBytes: 1_000_000 });
    expect(pruned).toEqual({ webhook_logs: 5 });
    expect(await countOf('webhook_logs')).toBe(4);
  });

  it('keeps the newest logs within the size limit, and deletes older ones whatever their age', async () => {
    await history(40, 10_000);
    await prune({ logRetentionDays: 30, logMaxBytes: 105_000 });
    expect(await sumLogBytes(shop.db)).toBeLessThanOrEqual(105_000);
    const left = await shop.db.selectFrom('webhook_logs').select('createdAt').execute();
    expect(left.length).toBeGreaterThanOrEqual(9);
    expect(Math.min(...left.map((log) => log.createdAt))).toBeGreaterThan(shop.clock.now() - 12_000);
    await prune({ logRetentionDays: 30, logMaxBytes: 0 });
    expect(await countOf('webhook_logs')).toBe(0);
  });

  it('deletes in bounded batches when there is much to delete', async () => {
    await history(1, 10);
    const [model] = await shop.db.selectFrom('webhook_logs').selectAll().execute();
    const rows = Array.from({ length: 1_300 }, (_, n) => ({ ...model!, id: `whl_${n}`, exchangeJson: null }));
    for (let n = 0; n < rows.length; n += 100)
      await shop.db
        .insertInto('webhook_logs')
        .values(rows.slice(n, n + 100))
        .execute();
    shop.clock.advance(3 * DAY_MS);
    expect(await prune({ logRetentionDays: 2, logMaxBytes: 1_000_000 })).toEqual({ webhook_logs: 1_301 });
  });

  it('empties old events without deleting them, except undelivered events', async () => {
    await history(3, 10);
    const pending = await (await shop.payment(merchant)).emit();
    shop.clock.advance(20 * DAY_MS);
    await history(1, 10);
    const pruned = await prune({ logRetentionDays: 2, logMaxBytes: 1_000_000 });
    expect(pruned).toMatchObject({ webhook_logs: 3, deliveries: 3 });
    expect(await countOf('deliveries')).toBe(2);
    const { events, total } = await listEvents(shop, { merchantId: merchant.id, page: 1, limit: 10 });
    expect(total).toBe(5);
    expect(events.map((event) => Object.keys(event.data).length)).toEqual([1, 1, 0, 0, 0]);
    expect(events[1]!.id).toBe(pending.eventId);
    expect(events.every((event) => event.type === 'payment.created')).toBe(true);
    expect(await prune({ logRetentionDays: 2, logMaxBytes: 1_000_000 })).toEqual({});
  });
});
