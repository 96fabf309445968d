import { afterEach, beforeEach, expect, it } from 'vitest';
import { findDelivery, type StoredDelivery } from '../../../src/store/webhooks/deliveries.ts';
import { leaseDeliveries } from '../../../src/store/webhooks/delivery-leases.ts';
import { recordAttempts, type AttemptRecord } from '../../../src/usecases/webhooks/record-attempt.ts';
import { openShop, type Shop } from '../../_helpers/webhooks/shop.ts';

const TOKEN = 'lease';
let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(async () => shop.close());

function success(delivery: StoredDelivery): AttemptRecord {
  return {
    delivery,
    token: TOKEN,
    eventType: 'payment.created',
    endedAt: shop.clock.now(),
    durationMs: 5,
    status: 200,
    error: null,
    requestHeaders: {},
    responseHeaders: {},
    responseBody: 'ok',
    outcome: { kind: 'delivered' },
  };
}

it('recordAttempts stores a delivery as delivered although another attempt in the batch reports the endpoint as gone', async () => {
  const merchant = await shop.merchant('https://shop.example/hook');
  const ids: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    ids.push(deliveryId ?? '');
  }
  const now = shop.clock.now();
  const lease = { token: TOKEN, now, until: now + 60_000 };
  await shop.db.transaction(async (tx) => {
    const [refused, made] = (await leaseDeliveries(tx, ids, lease)) as [StoredDelivery, StoredDelivery];
    const gone = {
      ...success(refused),
      status: 410,
      error: 'status: 410',
      outcome: { kind: 'gone' as const },
    };
    await recordAttempts(tx, [gone, success(made)]);
  });
  const statuses = await Promise.all(ids.map(async (id) => (await findDelivery(shop.db, id))?.status));
  expect(statuses).toEqual(['failed', 'delivered']);
});
