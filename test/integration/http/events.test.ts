import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { eventRoutes, type EventRoutesDeps } from '../../../src/http/routes/events.ts';
import { LongPollWaiters } from '../../../src/usecases/webhooks/long-poll-waiters.ts';
import { newMerchant, newUser, startHttpApp } from '../../_helpers/http-app.ts';

interface Stretch {
  events: { id: string; seq: number; type: string; paymentId: string | null; truncated: boolean }[];
  nextAfter: number;
  pagination?: object;
}

let till: Till;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start();
  shop = await Shop.open(till.api);
});
afterAll(async () => till.end());

const follow = (query: string) =>
  till.api.must<Stretch>('GET', `/merchant/events?${query}`, { token: shop.secretKey });

describe('GET /merchant/events as a long poll (after)', () => {
  it('waits for the next event and returns it', async () => {
    const first = await shop.createPayment();
    const start = await follow('after=0&wait=30');
    expect(start.events.map(({ type, paymentId }) => [type, paymentId])).toEqual([
      ['payment.created', first.id],
    ]);
    expect(start.pagination).toBeUndefined();
    const next = follow(`after=${start.nextAfter}&wait=30`);
    const second = await shop.createPayment();
    const answer = await next;
    expect(answer.events.map(({ paymentId }) => paymentId)).toEqual([second.id]);
    expect(answer.nextAfter).toBeGreaterThan(start.nextAfter);
    expect(await follow(`after=${answer.nextAfter}&wait=0`)).toEqual({
      events: [],
      nextAfter: answer.nextAfter,
    });
  });

  it.each(['deleted', 'expired'])('returns no event to a key that is %s during the wait', async (how) => {
    const { merchantId, token } = shop;
    const expiresAt = new Date(till.clock.now() + 60_000).toISOString();
    const { key } = await till.api.must<{ key: { id: string; value: string } }>(
      'POST',
      '/merchant/keys/create',
      { token, body: { merchantId, name: 'Listener', scopes: ['events:read'], expiresAt } },
    );
    const { nextAfter } = await follow('after=0&limit=100');
    const path = `/merchant/events?after=${nextAfter}&wait=30`;
    const waiting = till.api.call('GET', path, { token: key.value });
    // Its own answer comes after that of a request sent later, so it waits by then.
    await till.api.must('GET', '/merchant/list', { token });
    if (how === 'expired') till.clock.advance(60_000);
    else {
      const body = { merchantId, keyId: key.id };
      await till.api.must('DELETE', '/merchant/keys/delete', { token, body });
    }
    const { id } = await shop.createPayment();
    const { status, body } = await waiting;
    expect([status, body.error?.code, body.data]).toEqual([401, 'UNAUTHORISED', null]);
    expect(JSON.stringify(body)).not.toContain(id);
  });

  it.each([
    ['after=-1', 'after'],
    ['after=x', 'after'],
    ['after=999999999', 'after'],
    ['after=0&wait=31', 'wait'],
    ['after=0&wait=1.5', 'wait'],
    ['wait=5', 'wait'],
    ['after=0&page=2', 'page'],
    ['after=0&limit=101', 'limit'],
  ])('rejects %s', async (query, field) => {
    const { status, body } = await till.api.call('GET', `/merchant/events?${query}`, {
      token: shop.secretKey,
    });
    expect([status, body.error?.details?.[0]?.field]).toEqual([400, field]);
  });

  it('is ended when the daemon stops', async () => {
    const { nextAfter } = await follow('after=0&limit=100');
    const waiting = [1, 2, 3].map(() => follow(`after=${nextAfter}&wait=30`));
    // Answered in order on one connection or another: this one comes after those were begun.
    await follow('after=0');
    await till.down();
    // Answered: a stop that waits for them in vain cuts their connections.
    expect(await Promise.all(waiting)).toEqual([1, 2, 3].map(() => ({ events: [], nextAfter })));
    await till.up();
  });
});

it('a client that disconnects frees its long-poll slot', async () => {
  const waiters = new LongPollWaiters({ total: 2, crowded: 2, perMerchant: 1 });
  const deps: Partial<EventRoutesDeps> = { waiters };
  const app = await startHttpApp({ extraRoutes: eventRoutes(deps as EventRoutesDeps) });
  try {
    Object.assign(deps, { db: app.db });
    const { token } = await newUser(app);
    const merchant = await newMerchant(app, token);
    const headers = { authorization: `Bearer ${merchant.auth.secret}` };
    const client = new AbortController();
    const url = `${app.baseUrl}/merchant/events?after=0&wait=30`;
    const hung = fetch(url, { headers, signal: client.signal });
    hung.catch(() => undefined);
    await eventually(
      'it waits',
      () => waiters.count,
      (count) => count === 1,
    );
    const refused = await fetch(url, { headers });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    client.abort();
    await expect(hung).rejects.toThrow('abort');
    await eventually(
      'it is gone',
      () => waiters.count,
      (count) => count === 0,
    );
  } finally {
    await app.destroy();
  }
});
