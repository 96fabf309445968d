/** What the people of a shop learn about subscriptions that cannot be invoiced or are not paid. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findSubscription } from '../../../src/store/subscriptions/subscriptions.ts';
import { subscriptionItems } from '../../../src/usecases/attention/subscription-items.ts';
import { editSubscription } from '../../../src/usecases/subscriptions/edit-subscription.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SubscriptionShop } from '../../_helpers/subscription-shop.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';
import { Till } from '../../_helpers/till.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the open decision about a subscription invoice that cannot be created', () => {
  let world: SubscriptionWorld;
  beforeEach(async () => {
    world = await SubscriptionWorld.open();
  });
  afterEach(async () => world.close());

  const items = async () =>
    subscriptionItems(
      { db: world.deps.db, clock: world.deps.clock },
      { merchantId: world.merchantId, mode: 'live' },
    );
  const kinds = async (): Promise<string[]> => (await items()).map(({ kind }) => kind);
  const problem = async (id: string): Promise<string | null | undefined> =>
    (await findSubscription(world.deps.db, id))?.problem;

  async function withoutRate(): Promise<string> {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    world.payments.rate = null;
    await world.pass(25);
    return id;
  }

  it('is listed with its reason when the invoice is an hour overdue, until it is created', async () => {
    const id = await withoutRate();
    expect(await problem(id)).toBe('rate_unavailable');
    expect(await kinds()).toEqual([]);
    const since = world.payments.now();
    world.payments.advance(2 * HOUR);
    await world.tick();
    expect(await items()).toMatchObject([
      {
        id,
        kind: 'invoice_problem',
        since,
        subject: { subscriptionId: id },
        amount: '10',
        currency: 'USD',
        problem: 'rate_unavailable',
      },
    ]);
    world.payments.rate = '100';
    await world.pass(1);
    expect(await problem(id)).toBeNull();
    expect(await kinds()).toEqual([]);
  });

  it('is no longer listed once the subscription is paused, cancelled, or its invoice is not due any more', async () => {
    const id = await withoutRate();
    await world.act(id, { type: 'cancel', by: 'merchant', atPeriodEnd: true });
    expect(await problem(id)).toBeNull();
    await world.act(id, { type: 'keep', by: 'merchant' });
    await world.pass(1);
    expect(await problem(id)).toBe('rate_unavailable');
    await world.act(id, { type: 'pause', by: 'merchant' });
    expect(await problem(id)).toBeNull();
    await world.act(id, { type: 'resume', by: 'merchant' });
    await world.pass(1);
    expect(await problem(id)).toBe('rate_unavailable');
    await world.set({ invoiceLeadDays: 0 });
    await world.pass(1);
    expect(await problem(id)).toBeNull();
  });

  it('has the reason price_not_payable when the exchange rate makes the amount too large for every coin', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    await world.pay(id);
    world.payments.rate = '0.0000001';
    await world.pass(25);
    expect(await problem(id)).toBe('price_not_payable');
    world.payments.rate = '100';
    await editSubscription(world.deps, { merchant: await world.merchant(), subscriptionId: id, quantity: 2 });
    await world.pass(1);
    expect(await problem(id)).toBeNull();
    // Twice 10 dollars, and 10 for the rest of the paid month: 5 of its 30 days.
    expect((await world.invoices(id)).map(({ due }) => due)).toEqual(['10', '21.66']);
  });

  it('has the reason coin_unavailable when only a coin without addresses left can carry the amount', async () => {
    const { chains } = world.payments.deps;
    const get: typeof chains.get = (coin, mode) => {
      const adapter = chains.get(coin, mode);
      return adapter && { ...adapter, minimumPayment: coin === 'LTC' ? 10n ** 12n : 1n };
    };
    Object.assign(world.payments.deps, { chains: { get } });
    const { id } = await world.subscribe(await world.price('10.00'), { allowedCryptos: ['LTC', 'BTC'] });
    await world.pay(id);
    const times = { confirmedAt: 1, startsAt: 1, createdAt: 1, updatedAt: 1 };
    await world.deps.db
      .insertInto('watch_accounts')
      .values({
        id: 'wat_used',
        merchantId: world.merchantId,
        coin: 'BTC',
        mode: 'live',
        descriptor: '',
        firstReceive: 'first',
        firstChange: '',
        nextReceive: 1,
        nextChange: 0,
        listSize: 1,
        pendingId: null,
        ...times,
      })
      .execute();
    await world.pass(25);
    expect(await problem(id)).toBe('coin_unavailable');
    // A price that is too large for every coin is the reason with or without addresses.
    world.payments.rate = '0.0000001';
    await world.pass(1);
    expect(await problem(id)).toBe('price_not_payable');
  });

  it('does not end the subscription, which stays past due', async () => {
    const id = await withoutRate();
    await world.pass(60);
    expect((await world.read(id)).status).toBe('past_due');
    expect(await kinds()).toEqual(['invoice_problem']);
  });

  it('is separate from the open decision about an unpaid invoice, which is listed until the payment confirms', async () => {
    const { id } = await world.subscribe(await world.price('10.00'));
    expect(await kinds()).toEqual([]);
    await world.pay(id);
    await world.pass(32);
    const { openPaymentId } = await world.read(id);
    expect(await items()).toMatchObject([
      {
        id,
        kind: 'subscription_past_due',
        subject: { subscriptionId: id, paymentId: openPaymentId, order: `${id}/1` },
        amount: '10',
        currency: 'USD',
      },
    ]);
    await world.pay(id);
    expect(await kinds()).toEqual([]);
  });

  it('is listed for a customer whose trial ended unpaid, and not for a visitor of a payment link who never paid', async () => {
    const price = await world.price('10.00');
    const { id } = await world.subscribe(price, { trialDays: 10 });
    await world.subscribe(price, { payer: { kind: 'email', email: 'visitor@example.com', metadata: {} } });
    await world.pass(11);
    expect((await items()).map((item) => item.id)).toEqual([id]);
  });
});

describe('GET /merchant/attention', () => {
  let till: Till;
  beforeAll(async () => {
    till = await Till.start();
    await till.ready();
  });
  afterAll(async () => till.end());

  interface Item {
    id: string;
    kind: string;
    subject: { subscriptionId: string | null; paymentId: string | null };
    action: { type: string; url: string };
    problem: string | null;
    mayDismiss: boolean;
  }

  it('lists an unpaid subscription with its payment link, for keys that may read subscriptions', async () => {
    const club = await SubscriptionShop.open(till);
    const { merchantId, token: owner } = club.shop;
    const createKey = async (scopes: string[]): Promise<string> => {
      const body = { merchantId, name: scopes.join(), scopes };
      const made = await till.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
        token: owner,
        body,
      });
      return made.key.value;
    };
    const reader = await createKey(['payments:read', 'subscriptions:read']);
    const clerk = await createKey(['payments:write']);
    const made = await club.subscribe();
    await club.pay(made.id);
    till.clock.advance(32 * DAY);
    await eventually(
      'the second period to begin unpaid',
      async () => club.read(made.id),
      ({ status }) => status === 'past_due',
    );
    const list = async (token: string): Promise<Item[]> => {
      const path = `/merchant/attention?merchantId=${merchantId}&limit=50`;
      return (await till.api.must<{ items: Item[] }>('GET', path, { token })).items;
    };
    const { openPaymentId } = await club.read(made.id);
    const [item] = await list(club.shop.secretKey);
    expect(item).toMatchObject({
      id: made.id,
      kind: 'subscription_past_due',
      subject: { subscriptionId: made.id, paymentId: openPaymentId },
      action: { type: 'request_payment' },
      problem: null,
      mayDismiss: true,
    });
    expect(item?.action.url).toMatch(new RegExp(`/checkout/${openPaymentId}$`));
    // The link of the payer's page would let its reader cancel.
    expect(JSON.stringify(item)).not.toContain('/s/');
    expect((await list(reader)).map(({ mayDismiss }) => mayDismiss)).toEqual([false]);
    expect(await list(clerk)).toEqual([]);
    const body = { merchantId, id: made.id };
    await till.api.must('POST', '/merchant/attention/dismiss', { token: club.shop.secretKey, body });
    expect(await list(club.shop.secretKey)).toEqual([]);
  });
});
