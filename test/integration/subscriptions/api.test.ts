/** Subscriptions through the API: their events, repeated requests, and the erasure of a customer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SubscriptionShop } from '../../_helpers/subscription-shop.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let club: SubscriptionShop;
beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  club = await SubscriptionShop.open(till);
});
afterAll(async () => till.end());

interface Events {
  readonly events: { type: string; subscriptionId: string | null; sequence: number; data: object }[];
  readonly pagination?: { total: number };
}
const events = async (query: string): Promise<Events> => club.must('GET', `/merchant/events?${query}`);

describe('GET /merchant/events', () => {
  it('filters events by subscription, in pages and from a cursor', async () => {
    const [{ id }, other] = [await club.subscribe(), await club.subscribe()];
    await club.must('POST', '/merchant/subscription/cancel', { subscriptionId: id });
    const { events: paged, pagination } = await events(`subscriptionId=${id}&limit=2`);
    expect(paged.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['subscription.ended', 4],
      ['subscription.cancelled', 3],
    ]);
    expect(pagination?.total).toBe(4);
    const { events: followed } = await events(`subscriptionId=${id}&after=0`);
    expect(followed.map(({ type }) => type)).toEqual([
      'subscription.created',
      'subscription.invoiced',
      'subscription.cancelled',
      'subscription.ended',
    ]);
    expect(new Set(followed.map(({ subscriptionId }) => subscriptionId))).toEqual(new Set([id]));
    expect((await events(`subscriptionId=${other.id}&type=subscription.ended`)).events).toEqual([]);
  });

  it('returns no event of a subscription of another shop', async () => {
    const stranger = await SubscriptionShop.open(till);
    const { id } = await stranger.subscribe();
    expect((await events(`subscriptionId=${id}`)).events).toEqual([]);
  });
});

describe('PATCH /merchant/subscription/edit', () => {
  it('sets and resets the email address of the subscription, which no event contains', async () => {
    const { id } = await club.subscribe();
    const edit = async (email: string | null) =>
      club.must('PATCH', '/merchant/subscription/edit', { subscriptionId: id, email });
    expect(await edit('accounts@example.com')).toMatchObject({ email: 'accounts@example.com' });
    expect(JSON.stringify(await events(`subscriptionId=${id}`))).not.toContain('accounts@');
    expect(await edit(null)).toMatchObject({ email: null });
    await expect(edit('not-an-email')).rejects.toThrow('VALIDATION_INVALID');
  });

  it.each(['before', 'after'])(
    'gives no credit for money of the period that is refunded in part %s it lowers the quantity',
    async (when) => {
      const { id } = await club.subscribe({ quantity: 10 });
      const paymentId = await club.pay(id);
      const { shop: payer } = await SubscriptionShop.open(till);
      const refund = async () =>
        club.must('POST', '/payment/refund', {
          paymentId,
          destination: payer.wallets.BTC,
          amount: '95',
          currency: 'USD',
        });
      if (when === 'before') await refund();
      await club.must('PATCH', '/merchant/subscription/edit', { subscriptionId: id, quantity: 1 });
      if (when === 'after') await refund();
      // Of 100 dollars 5 are left, to the cent that the exchange rate leaves.
      expect((await club.read(id)).credit).toMatch(/^(?:5|4\.99)$/);
    },
  );
});

describe('a repeated request to create a subscription or to grant credit', () => {
  it('has no second effect', async () => {
    const key = { 'Idempotency-Key': 'subscribe-once' };
    const [first, again] = [await club.subscribe({}, key), await club.subscribe({}, key)];
    expect(again).toEqual(first);
    const body = { subscriptionId: first.id, amount: '25' };
    const once = { 'Idempotency-Key': 'credit-once' };
    const given = await club.must('POST', '/merchant/subscription/credit', body, once);
    expect(await club.must('POST', '/merchant/subscription/credit', body, once)).toEqual(given);
    expect((await club.read(first.id)).credit).toBe('15');
  });
});

describe('the erasure of a customer with subscriptions', () => {
  it('removes personal data from subscriptions, events and stored responses', async () => {
    const email = 'ada.tea@example.com';
    const made = await club.subscribe(
      {
        customerId: undefined,
        customer: { email },
        metadata: { contact: email },
        returnUrl: `https://shop.example/?mail=${email}`,
      },
      { 'Idempotency-Key': 'of-ada' },
    );
    const note = { subscriptionId: made.id, amount: '1', note: `For ${email}` };
    await club.must('POST', '/merchant/subscription/credit', note);
    await club.must('DELETE', '/merchant/customer/erase', { customerId: made.customerId });
    const after = await club.must('GET', `/merchant/subscription/get?subscriptionId=${made.id}`);
    const known = await events(`subscriptionId=${made.id}&limit=100`);
    expect(known.events.length).toBeGreaterThan(2);
    expect(JSON.stringify([after, known])).not.toContain('ada.tea');
    expect(after).toMatchObject({ id: made.id, status: made.status });
  });

  it('removes the address that the payer chose for its mails from stored responses', async () => {
    const made = await club.subscribe({ customerId: undefined, customer: { email: 'bea.tea@example.com' } });
    const subscriptionId = made.id;
    await club.must('PATCH', '/merchant/subscription/edit', { subscriptionId, email: 'bea.own@example.com' });
    const [body, key] = [{ subscriptionId, amount: '1' }, { 'Idempotency-Key': 'of-bea' }];
    const give = async (): Promise<object> => club.must('POST', '/merchant/subscription/credit', body, key);
    expect(await give()).toMatchObject({ id: made.id, email: 'bea.own@example.com' });
    await club.must('DELETE', '/merchant/customer/erase', { customerId: made.customerId });
    expect(await give()).toMatchObject({ id: made.id, email: null });
  });
});
