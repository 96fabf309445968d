import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  leaseDeliveries,
  listDue,
  releaseExpiredLeases,
  type DueFilter,
} from '../../../src/store/webhooks/delivery-leases.ts';
import { endpointKey } from '../../../src/store/webhooks/endpoint-key.ts';
import { openShop, type Merchant, type Shop } from '../../_helpers/webhooks/shop.ts';
import { measureCpuMs } from '../../_helpers/timing/cpu-time.ts';

const BUSY = 'https://busy.example';
const OTHER = 'https://other.example';

let shop: Shop;
/** What the deliveries to the busy endpoint share their slots by. */
let busy = '';
let merchant: Merchant;
beforeEach(async () => {
  shop = await openShop();
  merchant = await shop.merchant(`${BUSY}/hook`);
  busy = endpointKey(merchant.id, `${BUSY}/hook`);
});
afterEach(async () => shop.close());

/** So many more deliveries to the busy endpoint, all due at the same time, each in an order of its own. */
async function backlog(count: number): Promise<void> {
  const { eventId } = await (await shop.payment(merchant)).emit();
  await sql`
    insert into deliveries (id, event_id, event_seq, merchant_id, payment_id, order_key, url, origin,
      status, attempts, next_attempt_at, created_at, updated_at, endpoint_id, mode, event_type)
    with recursive n(n) as (select 1 union all select n + 1 from n where n < ${count})
    select 'dlv_' || ${eventId} || n, event_id, event_seq + n, merchant_id, payment_id, order_key || n, url, origin,
      status, attempts, next_attempt_at, created_at, updated_at, endpoint_id, mode, event_type
    from deliveries, n where event_id = ${eventId}`.execute(shop.db);
  // Events that follow are later ones.
  await sql`update events set seq = seq + ${count} where id = ${eventId}`.execute(shop.db);
}

async function one(): Promise<string> {
  const { deliveryId } = await (await shop.payment(await shop.merchant(`${OTHER}/hook`))).emit();
  return deliveryId ?? '';
}

async function due(filter: Partial<DueFilter> = {}): Promise<string[]> {
  const all = { now: shop.clock.now(), perEndpoint: 4, exceptEndpoints: [busy], exceptIds: [], ...filter };
  const found = await shop.db.transaction(async (tx) => {
    await releaseExpiredLeases(tx, all);
    return listDue(tx, all);
  });
  return found.map(({ id }) => id);
}

/** CPU time of the quickest of a few looks, ms. */
async function lookMs(): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 12; n += 1) {
    quickest = Math.min(quickest, await measureCpuMs(async () => due()));
  }
  return quickest;
}

it('listDue finds due deliveries quickly among many whose endpoint is at its concurrency limit', async () => {
  const first = await one();
  await backlog(10_000);
  const middle = await one();
  await backlog(10_000);
  const last = await one();
  expect(await due()).toEqual([first, middle, last]);
});

it('listDue returns the longest waiting deliveries first, up to a limit per endpoint', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    ids.push(await one());
    await backlog(800);
    shop.clock.advance(10);
  }
  expect(await due()).toEqual(ids);
  const all = await due({ exceptEndpoints: [], perEndpoint: 2 });
  expect(all.filter((id) => ids.includes(id))).toEqual(ids);
  expect(all).toHaveLength(ids.length + 2);
});

it('listDue returns each delivery once, and no leased delivery until its lease has expired', async () => {
  await backlog(1_500);
  const ids = [await one(), await one(), await one()];
  const [leased = ''] = ids;
  const now = shop.clock.now();
  await shop.db.transaction(async (tx) =>
    leaseDeliveries(tx, [leased], { token: 'other', now, until: now + 1_000 }),
  );
  expect(await due()).toEqual(ids.slice(1));
  shop.clock.advance(1_000);
  expect(await due({ exceptIds: [leased] })).toEqual(ids.slice(1));
  expect(await due()).toEqual(ids);
});

it('listDue is as fast with many due deliveries as with few', async () => {
  await backlog(5_000);
  const few = await lookMs();
  await backlog(150_000);
  const many = await lookMs();
  // Thirty times as many; to go through them would take as many times as long.
  expect(many).toBeLessThan(few * 15 + 5);
});
