/** Attacks on the page of a subscription: a token that is guessed, leaked or rotated, and time that was not paid for. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/app/logger.ts';
import { actInPortal, PORTAL_ACTIONS } from '../../../src/usecases/subscriptions/portal-actions.ts';
import { payAhead } from '../../../src/usecases/subscriptions/pay-ahead.ts';
import { SubscriptionShop, type SubscriptionJson } from '../../_helpers/subscription-shop.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';
import { Till } from '../../_helpers/till.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const GUESS = '/s/AAAAAAAAAAAAAAAAAAAAAA';

let till: Till;
let club: SubscriptionShop;
const lines: string[] = [];
beforeAll(async () => {
  const logger = createLogger('trace', { write: (line: string) => void lines.push(line) });
  till = await Till.start({}, { logger });
  await till.ready();
  club = await SubscriptionShop.open(till, { payerMayPause: true });
});
afterAll(async () => till.end());

const pathOf = ({ portalUrl }: SubscriptionJson): string => new URL(portalUrl ?? '').pathname;
const request = async (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(till.api.baseUrl + path, { redirect: 'manual', ...init });
const post = async (path: string, body = {}): Promise<Response> =>
  request(path, { method: 'POST', body: new URLSearchParams(body) });

describe('a guessed token of a subscription page', () => {
  it('is rate limited per client address, for page and forms together', async () => {
    const other = await Till.start();
    try {
      await other.ready();
      const guess = async (at: number): Promise<number> => {
        const method = at % 2 === 0 ? 'GET' : 'POST';
        const path = method === 'GET' ? GUESS : `${GUESS}/cancel`;
        return (await fetch(other.api.baseUrl + path, { method, redirect: 'manual' })).status;
      };
      const statuses: number[] = [];
      for (let at = 0; at < 620; at += 20) {
        statuses.push(
          ...(await Promise.all(Array.from({ length: 20 }, async (_, more) => guess(at + more)))),
        );
      }
      expect(new Set(statuses.slice(0, 600))).toEqual(new Set([404]));
      expect(new Set(statuses.slice(-20))).toEqual(new Set([429]));
    } finally {
      await other.end();
    }
  });

  it('gets the same status, headers and page as a token that was rotated', async () => {
    const made = await club.subscribe();
    await club.must('POST', '/merchant/subscription/portal/rotate', { subscriptionId: made.id });
    const answers = [];
    for (const path of [GUESS, pathOf(made)]) {
      const { status, headers } = await request(path);
      const compared = ['cache-control', 'content-type', 'etag', 'referrer-policy', 'content-length'];
      answers.push([status, ...compared.map((name) => headers.get(name))]);
    }
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe('the token of a subscription page', () => {
  it('is kept out of caches, search engines and referrers by the headers of every response', async () => {
    const made = await club.subscribe();
    const path = pathOf(made);
    const answers = [
      await request(path),
      await request(GUESS),
      await post(`${path}/pay`),
      await post(`${path}/keep`),
      await post(`${path}/email`, { email: 'not-an-email' }),
      await request(`${path}/cancel`, { method: 'POST', headers: { 'Sec-Fetch-Site': 'cross-site' } }),
    ];
    for (const { url, status, headers } of answers) {
      const names = ['cache-control', 'referrer-policy', 'x-robots-tag'];
      const seen = names.map((name) => headers.get(name));
      expect([url, status, ...seen]).toEqual([url, status, 'no-store', 'same-origin', 'noindex']);
    }
  });

  it('is not logged when it is in the referrer of a request to the checkout', async () => {
    const made = await club.subscribe();
    const token = pathOf(made).slice('/s/'.length);
    const headers = { referer: `${till.api.baseUrl}/s/${token}` };
    await request(`/checkout/${made.openPaymentId}`, { headers });
    await request(`/checkout/${made.openPaymentId}/nothing`, { headers });
    await request('/s/%', { headers });
    expect(lines.join('\n')).not.toContain(token);
  });

  it('when rotated, resets the email address to that of the customer, so that a thief gets no new link', async () => {
    const made = await club.subscribe();
    await post(`${pathOf(made)}/email`, { email: 'thief@example.com' });
    expect(await club.read(made.id)).toMatchObject({ email: 'thief@example.com' });
    await club.must('POST', '/merchant/subscription/portal/rotate', { subscriptionId: made.id });
    expect(await club.read(made.id)).toMatchObject({ email: null });
  });

  it('when rotated, makes the forms of an open page answer 404 immediately', async () => {
    const made = await club.subscribe();
    await club.pay(made.id);
    const rotated = await club.must('POST', '/merchant/subscription/portal/rotate', {
      subscriptionId: made.id,
    });
    const before = await club.read(made.id);
    for (const action of ['pay', 'ahead', 'email', ...PORTAL_ACTIONS])
      expect([action, (await post(`${pathOf(made)}/${action}`, { email: 'a@example.com' })).status]).toEqual([
        action,
        404,
      ]);
    expect(await club.read(made.id)).toEqual(before);
    expect((await request(pathOf(rotated))).status).toBe(200);
  });
});

describe('a payment link in which a stranger enters the email address of a customer', () => {
  it('shows the stranger neither the subscription page, the address nor the subscriptions of that customer', async () => {
    const victim = {
      customerId: undefined,
      customer: { email: 'victim@example.com' },
      metadata: { rank: 'gold' },
    };
    const own = await club.subscribe(victim);
    await club.pay(own.id);
    const link = await club.must<{ url: string }>('POST', '/merchant/link/create', {
      name: 'Tea club',
      priceId: club.priceId,
    });
    const sent = await post(new URL(link.url).pathname, { email: 'victim@example.com' });
    const location = sent.headers.get('location') ?? '';
    expect(location).toContain('/checkout/');
    const page = await (await request(new URL(location, till.api.baseUrl).pathname)).text();
    for (const secret of ['victim@', 'gold', own.id, '/s/']) expect(page).not.toContain(secret);
    // The stranger pays for the customer at most; what the customer has is unchanged.
    const after = await club.read(own.id);
    expect(after).toMatchObject({ status: 'active', activeUntil: (await club.read(own.id)).activeUntil });
    expect(pathOf(after)).toBe(pathOf(own));
  });
});

describe('the page of a subscription that the shop cancelled or paused', () => {
  it('offers no way to undo that, and ignores a form that asks for it', async () => {
    const made = await club.subscribe();
    const path = pathOf(made);
    await club.pay(made.id);
    const body = { subscriptionId: made.id };
    await club.must('POST', '/merchant/subscription/cancel', { ...body, atPeriodEnd: true });
    expect(await (await request(path)).text()).not.toContain(`${path}/keep`);
    await post(`${path}/keep`);
    expect(await club.read(made.id)).toMatchObject({ cancelAtPeriodEnd: true, cancelledBy: 'merchant' });
    await club.must('PATCH', '/merchant/subscription/edit', { ...body, cancelAtPeriodEnd: false });
    await club.must('POST', '/merchant/subscription/pause', body);
    expect(await (await request(path)).text()).not.toContain(`${path}/resume`);
    await post(`${path}/resume`);
    expect(await club.read(made.id)).toMatchObject({ status: 'paused' });
  });

  it('offers that again for what the payer did', async () => {
    const made = await club.subscribe();
    const path = pathOf(made);
    await club.pay(made.id);
    await post(`${path}/cancel`);
    expect(await club.read(made.id)).toMatchObject({ cancelAtPeriodEnd: true, cancelledBy: 'payer' });
    expect(await (await request(path)).text()).toContain(`${path}/keep`);
    await post(`${path}/keep`);
    expect(await club.read(made.id)).toMatchObject({ cancelAtPeriodEnd: false, cancelledBy: null });
  });
});

describe('the actions of a payer on the subscription page', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...PORTAL_ACTIONS) },
    { weight: 3, arbitrary: fc.constantFrom('ahead' as const, 'pay' as const) },
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 40 * 24 * 60 }).map((minutes) => minutes * 60_000) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 2_500 }) },
  );

  it('never grant more time than the paid periods and the grace period, in any order', async () => {
    const world = await SubscriptionWorld.open();
    try {
      await world.set({ payerMayPause: true, payerMayCancel: true, graceDays: 3, invoiceLeadDays: 5 });
      const price = await world.price('10.00', 'weekly');
      let lives = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
          lives += 1;
          const email = `payer-${lives}@example.com`;
          const { id, portalTokenSealed } = await world.subscribe(price, {
            payer: { kind: 'email', email, metadata: {} },
          });
          // The box of the world seals nothing.
          const token = portalTokenSealed ?? '';
          await world.pay(id);
          let entitled = 0;
          const elapse = async (ms: number): Promise<void> => {
            const [from, to] = [world.payments.now(), world.payments.now() + ms];
            const until = Date.parse((await world.read(id)).activeUntil ?? '') || 0;
            entitled += Math.max(0, Math.min(to, until) - from);
            world.payments.advance(ms);
            await world.payments.poll();
            await world.payments.expire();
            await world.tick();
            await world.tick();
          };
          for (const what of steps) {
            // Time passes in parts, because a transition in between changes the entitlement.
            if (typeof what === 'number') {
              for (let left = what; left > 0; left -= DAY) await elapse(Math.min(left, DAY));
            } else if (what === 'pay') {
              if ((await world.read(id)).openPaymentId !== null) await world.pay(id);
            } else {
              const done =
                what === 'ahead' ? payAhead(world.deps, token) : actInPortal(world.deps, token, what);
              await done.catch(() => undefined);
            }
          }
          for (let day = 0; day < 30; day += 1) await elapse(DAY);
          const paid = (await world.invoices(id)).filter(({ status }) => status === 'paid').length;
          // At most one unpaid period, with its days of grace, follows each paid one.
          const bound = paid * (7 * DAY + 3 * DAY);
          expect(entitled).toBeLessThanOrEqual(bound + steps.length * 1_000);
        }),
        { numRuns: 15 },
      );
    } finally {
      await world.close();
    }
  });
});
