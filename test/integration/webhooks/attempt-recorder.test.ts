import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inTransaction } from '../../../src/store/database.ts';
import { findDelivery, type StoredDelivery } from '../../../src/store/deliveries.ts';
import { leaseDeliveries, listDue } from '../../../src/store/delivery-leases.ts';
import { AttemptRecorder } from '../../../src/webhooks/attempt-recorder.ts';
import type { AttemptRecord } from '../../../src/usecases/webhooks/record-attempt.ts';
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

/** So many deliveries to be made, leased. */
async function leased(count: number): Promise<StoredDelivery[]> {
  const merchant = await shop.merchant('https://shop.example/hook');
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { deliveryId } = await (await shop.payment(merchant)).emit();
    ids.push(deliveryId ?? '');
  }
  const now = shop.clock.now();
  return inTransaction(shop.db, async (tx) =>
    leaseDeliveries(tx, ids, { token: TOKEN, now, until: now + 60_000 }),
  );
}

const statusOf = async ({ id }: StoredDelivery) => (await findDelivery(shop.db, id))?.status;

it('records the others of a batch when one of them cannot be recorded', async () => {
  const [first, lost, last] = (await leased(3)) as [StoredDelivery, StoredDelivery, StoredDelivery];
  await shop.db.deleteFrom('deliveries').where('id', '=', lost.id).execute();
  let transactions = 0;
  const recorder = new AttemptRecorder(shop.db, { writing: () => void (transactions += 1) });
  const results = await Promise.allSettled([first, lost, last].map((each) => recorder.record(success(each))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  // All together, then each alone.
  expect(transactions).toBe(4);
  expect([await statusOf(first), await statusOf(last)]).toEqual(['delivered', 'delivered']);
  const logs = await shop.db.selectFrom('webhook_logs').select(['id', 'delivery_id']).execute();
  expect(logs.map((log) => log.delivery_id).toSorted()).toEqual([first.id, last.id].toSorted());
  expect(results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])).toSorted()).toEqual(
    logs.map(({ id }) => id).toSorted(),
  );
});

it('lets what a delivery held up be leased in the transaction right after its record', async () => {
  const merchant = await shop.merchant('https://shop.example/hook');
  const payment = await shop.payment(merchant);
  const first = await payment.emit();
  const second = await payment.emit();
  const now = shop.clock.now();
  const [held] = await inTransaction(shop.db, async (tx) =>
    leaseDeliveries(tx, [first.deliveryId ?? ''], { token: TOKEN, now, until: now + 60_000 }),
  );
  const due = Promise.withResolvers<string[]>();
  const writing = () => {
    void inTransaction(shop.db, async (tx) => {
      const found = await listDue(tx, { now, limit: 9, exceptOrigins: [], exceptIds: [] });
      return found.map(({ id }) => id);
    }).then(due.resolve, due.reject);
  };
  const recorder = new AttemptRecorder(shop.db, { writing });
  await recorder.record(success(held as StoredDelivery));
  expect(await due.promise).toEqual([second.deliveryId]);
});

it('keeps what was delivered, whatever another attempt of the same batch says of the endpoint', async () => {
  const [refused, made] = (await leased(2)) as [StoredDelivery, StoredDelivery];
  const recorder = new AttemptRecorder(shop.db, { writing: () => undefined });
  await Promise.all([
    recorder.record({ ...success(refused), status: 410, error: 'status: 410', outcome: { kind: 'gone' } }),
    recorder.record(success(made)),
  ]);
  expect([await statusOf(refused), await statusOf(made)]).toEqual(['failed', 'delivered']);
});

it.each([
  ['waits for others when many are under way and answers take long', 200, 12, [0, 1]],
  ['is at once when answers are quick', 5, 12, [1, 2]],
  ['is at once when few are under way', 200, 5, [1, 2]],
])('the record of an attempt %s', async (_what, durationMs, unrecorded, transactionsExpected) => {
  const [first, second] = (await leased(2)) as [StoredDelivery, StoredDelivery];
  let transactions = 0;
  const writing = () => void (transactions += 1);
  const recorder = new AttemptRecorder(shop.db, { writing, unrecorded: () => unrecorded });
  const began = recorder.record({ ...success(first), durationMs });
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
  const before = transactions;
  await Promise.all([began, recorder.record({ ...success(second), durationMs })]);
  expect([before, transactions]).toEqual(transactionsExpected);
  expect([await statusOf(first), await statusOf(second)]).toEqual(['delivered', 'delivered']);
});
