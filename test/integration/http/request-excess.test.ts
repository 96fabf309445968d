import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Till } from '../../_helpers/till.ts';
import { CheckoutWorld } from '../../_helpers/web/checkout-world.ts';

const PAYER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';

let world: CheckoutWorld;
beforeAll(async () => {
  world = await CheckoutWorld.start();
});
afterAll(async () => world?.end());

async function overpaid(): Promise<string> {
  const { id } = await world.pay();
  await world.simulate(id, 'overpay', { coin: 'LTC', confirmations: 6 });
  return id;
}

const FORM = { coin: 'LTC', destination: PAYER };

async function post(
  id: string,
  fields: Record<string, string> = FORM,
  headers: Record<string, string> = {},
  { api }: Till = world.till,
) {
  return fetch(`${api.baseUrl}/checkout/${id}/excess?lang=en`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { accept: 'application/json', ...headers },
  });
}

const asPage = { accept: 'text/html' };
const path = (id: string): string => `/checkout/${id}/excess?lang=en`;
const get = async (address: string) =>
  fetch(world.till.api.baseUrl + address, { redirect: 'manual', headers: asPage });
const checkout = async (id: string) => (await get(`/checkout/${id}?lang=en`)).text();

interface Link {
  readonly status: string;
  readonly requestedBy: string;
}

async function links(paymentId: string): Promise<readonly Link[]> {
  const { refundLinks } = await world.till.api.must<{ refundLinks: Link[] }>(
    'GET',
    `/payment/refund-links?paymentId=${paymentId}`,
    { token: world.shop.secretKey },
  );
  return refundLinks;
}

const set = async (fields: object): Promise<unknown> =>
  world.till.api.must('PATCH', '/merchant/edit', {
    token: world.shop.token,
    body: { merchantId: world.shop.merchantId, ...fields },
  });

describe('POST /checkout/:id/excess (the payer requests the refund of an overpayment)', () => {
  it('answers with the status of the request as JSON, and forbids caching', async () => {
    const id = await overpaid();
    const answer = await post(id);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { data } = (await answer.json()) as { data: { excess: object } };
    expect(data.excess).toMatchObject({ status: 'claimed', coin: 'LTC', destination: PAYER });
    expect((await post(id)).status).toBe(200);
    expect(await links(id)).toMatchObject([{ status: 'claimed', requestedBy: 'payer' }]);
  });

  it("adds the request with its destination to the owner's list of open decisions", async () => {
    const id = await overpaid();
    await post(id);
    const { items } = await world.till.api.must<{ items: { subject: { paymentId: string } }[] }>(
      'GET',
      '/merchant/attention?limit=100',
      { token: world.shop.secretKey },
    );
    const mine = items.filter(({ subject }) => subject.paymentId === id);
    expect(mine).toMatchObject([{ kind: 'refund_claim', subject: { destination: PAYER, coin: 'LTC' } }]);
  });

  it('rejects a form sent from another site', async () => {
    const id = await overpaid();
    const others: readonly Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ];
    for (const headers of others) {
      expect((await post(id, { ...FORM, step: 'claim' }, { ...headers, ...asPage })).status).toBe(403);
      expect((await post(id, FORM, headers)).status).toBe(403);
    }
    expect(await links(id)).toEqual([]);
    expect((await post(id, FORM, { origin: world.till.api.baseUrl })).status).toBe(200);
  });

  it('rejects requests, and the checkout offers none, while the shop does not allow them', async () => {
    const id = await overpaid();
    expect(await checkout(id)).toContain(`/checkout/${id}/excess?`);
    await set({ payerMayAskExcess: false });
    try {
      const answer = await post(id);
      expect([answer.status, await answer.json()]).toMatchObject([409, { error: { code: 'INVALID_STATE' } }]);
      const page = await checkout(id);
      expect(page).not.toContain('/excess?');
      expect(page).toContain('Please ask the shop about the difference.');
      expect((await get(path(id))).headers.get('location')).toMatch(new RegExp(`^/checkout/${id}\\?`));
      expect(await links(id)).toEqual([]);
    } finally {
      await set({ payerMayAskExcess: true });
    }
    expect((await post(id)).status).toBe(200);
  });

  it('names the invalid field', async () => {
    const id = await overpaid();
    for (const [fields, field] of [
      [{ ...FORM, coin: 'XMR' }, 'coin'],
      [{ ...FORM, coin: 'BTC' }, 'coin'],
      [{ ...FORM, destination: '' }, 'destination'],
      [{ ...FORM, destination: `${PAYER}x` }, 'destination'],
    ] as const) {
      const answer = await post(id, fields);
      const { error } = (await answer.json()) as { error: { details: { field: string }[] } };
      expect([answer.status, error.details[0]?.field]).toEqual([400, field]);
    }
    expect((await post('pay_none')).status).toBe(404);
    expect((await post(id, { ...FORM, amount: '0.00000001' })).status).toBe(409);
    expect(await links(id)).toEqual([]);
  });

  it('redirects to the checkout when the payment has no overpayment', async () => {
    const { id } = await world.pay();
    expect((await post(id)).status).toBe(409);
    for (const answer of [
      await get(path(id)),
      await post(id, FORM, asPage),
      await post(id, { ...FORM, step: 'claim' }, asPage),
    ]) {
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/checkout/${id}?lang=en`]);
    }
    expect((await get(path('pay_none'))).status).toBe(404);
  });

  it('shows a confirmation after the first form, and stores the request after the second', async () => {
    const id = await overpaid();
    const checked = await post(id, { ...FORM, step: 'check' }, asPage);
    const page = await checked.text();
    expect(checked.status).toBe(200);
    expect(page).toContain('Is this right?');
    const amount = /name="amount" value="([^"]+)"/.exec(page)?.[1] ?? 'none';
    expect(await links(id)).toEqual([]);
    const changed = await post(id, { ...FORM, amount: '0.1', step: 'claim' }, asPage);
    expect([changed.status, await changed.text()]).toEqual([
      409,
      expect.stringContaining('The amount has changed since you opened this page.'),
    ]);
    const answer = await post(id, { ...FORM, amount, step: 'claim' }, asPage);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path(id)]);
    expect(await (await get(path(id))).text()).toContain('Claimed: the shop is checking it');
    expect(await checkout(id)).toContain('You asked for');
  });

  it('counts towards the rate limit of refund claims per client address', async () => {
    const till = await Till.start({ TILLD_PUBLIC_RATE_PER_MINUTE: '5' });
    try {
      await till.ready();
      const statuses: number[] = [];
      for (let at = 0; at < 6; at++) statuses.push((await post('pay_none', FORM, {}, till)).status);
      expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
      const page = await post('pay_none', FORM, asPage, till);
      expect([page.status, Number(page.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
      expect(await page.text()).toContain('Too many attempts.');
    } finally {
      await till.end();
    }
  });
});
