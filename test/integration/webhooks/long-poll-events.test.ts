import { afterEach, beforeEach, expect, it } from 'vitest';
import { skipSeqs } from '../../../src/store/webhooks/events.ts';
import { LongPollWaiters } from '../../../src/usecases/webhooks/long-poll-waiters.ts';
import { longPollEvents, type LongPollEventsInput } from '../../../src/usecases/webhooks/long-poll-events.ts';
import { listEvents } from '../../../src/usecases/webhooks/list-events.ts';
import { applyRetention } from '../../../src/usecases/retention/index.ts';
import { eventually } from '../../_helpers/webhooks/eventually.ts';
import { openShop, silent, type Merchant, type Shop } from '../../_helpers/webhooks/shop.ts';

const DAY_MS = 86_400_000;

let shop: Shop;
let merchant: Merchant;
let waiters: LongPollWaiters;
beforeEach(async () => {
  shop = await openShop();
  merchant = await shop.merchant(null);
  waiters = new LongPollWaiters();
  shop.db.database.onNewEvent = waiters.wake;
});
afterEach(async () => shop.close());

const follow = (input: Partial<LongPollEventsInput> = {}) =>
  longPollEvents(
    { db: shop.db, waiters },
    {
      merchantId: merchant.id,
      after: 0,
      limit: 100,
      waitMs: 0,
      clientGone: () => new AbortController().signal,
      ...input,
    },
  );
const waiting = async (count: number): Promise<void> =>
  eventually(() => waiters.count === count, `${count} waiting requests`);

it('longPollEvents returns the events of one merchant in the order of writing, each once, on pages of any size', async () => {
  const other = await shop.merchant(null);
  const payments = [await shop.payment(merchant), await shop.payment(other), await shop.payment(merchant)];
  const written: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    const { eventId } = await payments[n % 3]!.emit();
    if (n % 3 !== 1) written.push(eventId);
    // The clock is no measure of the order: it may be set back.
    shop.clock.advance(n === 5 ? -60_000 : 1_000);
  }
  for (const limit of [1, 3, 8, 100]) {
    const seen: { id: string; seq: number }[] = [];
    for (let after = 0; ;) {
      const { events, nextAfter } = await follow({ after, limit });
      if (events.length === 0) break;
      expect(events.length).toBeLessThanOrEqual(limit);
      seen.push(...events);
      after = nextAfter;
    }
    expect(seen.map(({ id }) => id)).toEqual(written);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map(({ seq }) => seq).toSorted((a, b) => a - b));
  }
  const { events } = await listEvents(shop, { merchantId: merchant.id, page: 1, limit: 100 });
  expect(events.map(({ id }) => id)).toEqual(written.toReversed());
});

it('longPollEvents filters events, and its cursor advances past events that do not match', async () => {
  const [one, two] = [await shop.payment(merchant), await shop.payment(merchant)];
  await one.emit('payment.created');
  await two.emit('payment.created');
  const { eventId } = await one.emit('payment.completed');
  await two.emit('payment.expired');
  const completed = await follow({ type: 'payment.completed' });
  expect(completed.events.map(({ id }) => id)).toEqual([eventId]);
  const all = await follow();
  expect(completed.nextAfter).toBe(all.events.at(-1)!.seq);
  expect((await follow({ paymentId: one.id })).events.map(({ type }) => type)).toEqual([
    'payment.created',
    'payment.completed',
  ]);
});

it('longPollEvents responds when an event of its merchant is committed, and not for another merchant', async () => {
  const payment = await shop.payment(merchant);
  const stranger = await shop.payment(await shop.merchant(null));
  let answered = false;
  const answer = follow({ waitMs: 30_000 }).finally(() => (answered = true));
  await waiting(1);
  await stranger.emit();
  await expect(
    shop.db.transaction(async (tx) => {
      await tx.updateTable('payments').set({ status: 'completed' }).execute();
      tx.afterCommit(() => waiters.wake(merchant.id));
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  expect(answered).toBe(false);
  const { eventId } = await payment.emit();
  const { events, nextAfter } = await answer;
  expect(events.map(({ id }) => id)).toEqual([eventId]);
  expect(nextAfter).toBe(events[0]!.seq);
  expect(waiters.count).toBe(0);
});

it('longPollEvents continues to wait when an event does not match the filter', async () => {
  const payment = await shop.payment(merchant);
  const answer = follow({ type: 'payment.completed', waitMs: 30_000 });
  await waiting(1);
  await payment.emit('payment.confirming');
  const { eventId } = await payment.emit('payment.completed');
  expect((await answer).events.map(({ id }) => id)).toEqual([eventId]);
});

it('longPollEvents ends when its client disconnects, and frees its slot', async () => {
  const client = new AbortController();
  const answer = follow({ waitMs: 30_000, clientGone: () => client.signal });
  await waiting(1);
  client.abort();
  expect(await answer).toEqual({ events: [], nextAfter: 0 });
  expect(waiters.count).toBe(0);
});

it('longPollEvents misses no event, whatever the timing of writes and waits', async () => {
  const payment = await shop.payment(merchant);
  const written: string[] = [];
  const writing = (async () => {
    for (let n = 0; n < 60; n += 1) {
      written.push((await payment.emit()).eventId);
      if (n % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const seen: string[] = [];
  for (let after = 0; seen.length < 60;) {
    const { events, nextAfter } = await follow({ after, limit: 4, waitMs: 30_000 });
    seen.push(...events.map(({ id }) => id));
    after = nextAfter;
  }
  await writing;
  expect(seen).toEqual(written);
});

it('longPollEvents returns events older than the retention without their data', async () => {
  const payment = await shop.payment(merchant);
  await payment.emit('payment.created');
  shop.clock.advance(40 * DAY_MS);
  await payment.emit('payment.completed');
  const policy = { logRetentionDays: 30, logMaxBytes: 1_000_000, auditDays: 90 };
  await applyRetention({ ...shop, logger: silent }, policy);
  const { events } = await follow();
  expect(events.map(({ type, truncated, paymentId }) => [type, truncated, paymentId])).toEqual([
    ['payment.created', true, payment.id],
    ['payment.completed', false, payment.id],
  ]);
  expect(events.map(({ data }) => Object.keys(data))).toEqual([[], ['payment']]);
});

it('longPollEvents rejects a cursor that this database never returned', async () => {
  await (await shop.payment(merchant)).emit();
  const { nextAfter } = await follow();
  expect(await follow({ after: nextAfter })).toEqual({ events: [], nextAfter });
  await expect(follow({ after: nextAfter + 1 })).rejects.toMatchObject({
    code: 'VALIDATION_INVALID',
    details: [{ field: 'after', code: 'unknown_cursor' }],
  });
});

it('longPollEvents returns new events after a restore for every cursor that a shop may have', async () => {
  const payment = await shop.payment(merchant);
  await payment.emit();
  const backup = (await follow()).nextAfter;
  await shop.db.transaction(skipSeqs);
  // The shop had read five more events that the backup knows nothing of.
  expect(await follow({ after: backup + 5 })).toEqual({ events: [], nextAfter: backup + 5 });
  const { eventId } = await payment.emit();
  const { events } = await follow({ after: backup + 5 });
  expect(events.map(({ id }) => id)).toEqual([eventId]);
  const next = await payment.emit();
  expect((await follow({ after: events[0]!.seq })).events.map(({ id, seq }) => [id, seq])).toEqual([
    [next.eventId, events[0]!.seq + 1],
  ]);
});
