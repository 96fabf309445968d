/** Payment links of recurring prices start subscriptions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SubscriptionShop, type SubscriptionJson } from '../../_helpers/subscription-shop.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let club: SubscriptionShop;
let path: string;
beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  club = await SubscriptionShop.open(till);
  const link = await club.must<{ url: string }>('POST', '/merchant/link/create', {
    name: 'Tea club',
    priceId: club.priceId,
    fields: [{ name: 'note', required: false }],
  });
  path = new URL(link.url).pathname;
});
afterAll(async () => till.end());

const submit = async (body: Record<string, string>, headers = {}): Promise<Response> =>
  fetch(`${till.api.baseUrl}${path}?lang=de`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(body),
    headers,
  });
const list = async (): Promise<SubscriptionJson[]> =>
  (await club.must<{ subscriptions: SubscriptionJson[] }>('GET', '/merchant/subscription/list?limit=100'))
    .subscriptions;

describe('a payment link of a recurring price', () => {
  it('asks for an email address, and shows the price with its interval', async () => {
    const page = await (await fetch(till.api.baseUrl + path)).text();
    expect(page).toContain('$10.00 per month');
    expect(page).toContain('type="email"');
    expect((await submit({})).status).toBe(400);
    expect((await submit({ email: 'not-an-email' })).status).toBe(400);
    expect(await list()).toEqual([]);
  });

  it('leads to the checkout of the first invoice, and to the same checkout until that is paid', async () => {
    const first = await submit({ email: 'ada@example.com', note: 'Green' });
    const [made] = await list();
    expect(made).toMatchObject({ status: 'past_due', metadata: { note: 'Green' } });
    expect(first.headers.get('location')).toMatch(`/checkout/${made?.openPaymentId}?lang=de`);
    const again = await submit({ email: 'ADA@example.com' });
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(await list()).toHaveLength(1);
    await club.pay(made?.id ?? '');
    await submit({ email: 'ada@example.com' });
    expect(await list()).toHaveLength(2);
  });

  it('creates one subscription for concurrent requests with one email address', async () => {
    const before = (await list()).length;
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => submit({ email: 'bea@example.com' })),
    );
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
    expect(await list()).toHaveLength(before + 1);
  });

  it('does not show a subscription that the shop created', async () => {
    const own = await club.subscribe({ customerId: undefined, customer: { email: 'cy@example.com' } });
    const { headers } = await submit({ email: 'cy@example.com' });
    expect(headers.get('location')).not.toContain(own.openPaymentId);
  });

  it('creates no subscription when another site sends the form', async () => {
    const before = await list();
    const { headers } = await submit({ email: 'eve@example.com' }, { 'Sec-Fetch-Site': 'cross-site' });
    expect(headers.get('location')).toMatch(/\/l\//);
    expect(await list()).toEqual(before);
  });
});
