import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

interface Link {
  readonly id: string;
  readonly url: string;
  readonly active: boolean;
}

const LIMIT = 4;
let till: Till;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start({ TILLD_PUBLIC_RATE_PER_MINUTE: String(LIMIT), TILLD_TRUST_PROXY: '1' });
  await till.ready();
  shop = await Shop.open(till.api, { settings: { name: 'Blue Door Books' } });
});
afterAll(async () => till.end());

let clients = 0;
/** Another visitor, so that the limit is no matter. */
const visitor = (): string => `203.0.113.${(clients += 1)}`;

const create = async (body: object, of: Shop = shop) =>
  till.api.call<Link>('POST', '/merchant/link/create', { token: of.secretKey, body });
const made = async (body: object): Promise<Link> => {
  const answer = await create({ name: 'Beans', ...body });
  expect(answer.body.error).toBeNull();
  return answer.body.data;
};
const donation = async (more: object = {}): Promise<Link> =>
  made({ currency: 'EUR', openAmount: { min: '2', max: '500', suggested: ['5', '10.50'] }, ...more });

async function visit(link: Link, query = ''): Promise<{ status: number; text: string; headers: Headers }> {
  const answer = await fetch(till.api.baseUrl + new URL(link.url).pathname + query);
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

async function goOn(
  link: Link,
  fields: Record<string, string> = {},
  { headers = {}, query = '?lang=en' }: { headers?: Record<string, string>; query?: string } = {},
): Promise<{ status: number; text: string; location: string; headers: Headers }> {
  const answer = await fetch(till.api.baseUrl + new URL(link.url).pathname + query, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { 'x-forwarded-for': visitor(), ...headers },
  });
  return {
    status: answer.status,
    text: await answer.text(),
    location: answer.headers.get('location') ?? '',
    headers: answer.headers,
  };
}

async function paymentAt(location: string): Promise<PaymentJson & Record<string, unknown>> {
  const id = /^\/checkout\/(pay_\w+)\?/.exec(location)?.[1] ?? `none at ${location}`;
  return (await shop.payment(id)) as PaymentJson & Record<string, unknown>;
}

const paymentCount = async (): Promise<number> => {
  const list = await till.api.must<{ pagination: { total: number } }>('GET', '/payment/list', {
    token: shop.secretKey,
  });
  return list.pagination.total;
};

describe('a payment link', () => {
  it('creates a separate payment for each payer who continues', async () => {
    const link = await made({ amount: '12.50', currency: 'EUR', successUrl: 'https://shop.example/thanks' });
    expect(link.url).toMatch(/\/l\/[0-9a-hjkmnp-tv-z]{13}$/);
    const before = await paymentCount();
    const page = await visit(link);
    expect([page.status, page.text.includes('€12.50')]).toEqual([200, true]);
    expect(await paymentCount()).toBe(before);
    const [first, second] = [await goOn(link), await goOn(link)];
    expect(first.status).toBe(303);
    const payment = await paymentAt(first.location);
    expect(payment).toMatchObject({
      status: 'pending',
      amount: '12.50',
      currency: 'EUR',
      successUrl: 'https://shop.example/thanks',
      returnUrl: link.url,
      metadata: { paymentLinkId: link.id },
    });
    expect((await paymentAt(second.location)).id).not.toBe(payment.id);
    expect(payment.orderId).toMatch(/^L-[0-9A-Z]{10}$/);
  });

  it('costs the current catalog price, and answers 410 while that price is inactive', async () => {
    const token = shop.secretKey;
    const product = await till.api.must<{ id: string }>('POST', '/merchant/product/create', {
      token,
      body: { name: 'Tea' },
    });
    const price = await till.api.must<{ id: string }>('POST', '/merchant/price/create', {
      token,
      body: { productId: product.id, amount: '7', currency: 'USD' },
    });
    const link = await made({ priceId: price.id });
    const edit = async (body: object) => till.api.must('PATCH', '/merchant/price/edit', { token, body });
    await edit({ priceId: price.id, amount: '8' });
    expect(await paymentAt((await goOn(link)).location)).toMatchObject({ amount: '8', priceId: price.id });
    await edit({ priceId: price.id, active: false });
    expect([(await visit(link)).status, (await goOn(link)).status]).toEqual([410, 410]);
  });

  it.each([
    ['2', '?lang=en', '2'],
    ['12,5', '?lang=en', '12.5'],
    ['12,50', '?lang=de', '12.50'],
    ['500.00', '?lang=de', '500.00'],
  ])('accepts %s from a payer with %s', async (amount, query, expected) => {
    const { location } = await goOn(await donation(), { amount }, { query });
    expect(await paymentAt(location)).toMatchObject({ amount: expected, currency: 'EUR' });
  });

  it('accepts the suggested amount', async () => {
    const { location } = await goOn(
      await donation(),
      { suggested: '10.50', amount: '3' },
      { query: '?lang=de' },
    );
    expect(await paymentAt(location)).toMatchObject({ amount: '10.50' });
  });

  it.each(['1.99', '500.01', '', 'x', '-5', '1e2', '12.345', '0', '9'.repeat(30), '<b>'])(
    'rejects the amount "%s", and shows the form again with the input',
    async (amount) => {
      const before = await paymentCount();
      const { status, text } = await goOn(await donation(), { amount });
      expect([status, text.includes('id="amount-problem"'), text.includes('<b>"')]).toEqual([
        400,
        true,
        false,
      ]);
      expect(await paymentCount()).toBe(before);
    },
  );

  it('stores only answers to questions of the link, in the payment and the customer', async () => {
    const fields = [
      { name: 'email', required: true },
      { name: 'name', required: false },
    ];
    const link = await made({ amount: '5', currency: 'USD', fields });
    for (const email of ['', 'nobody', 'a@b', `${'x'.repeat(250)}@example.com`]) {
      expect((await goOn(link, { email })).text).toContain('id="email-problem"');
    }
    const answers = { email: 'Ann@example.com', name: '  Ann <b>  ', note: 'not asked' };
    const { location } = await goOn(link, answers);
    const payment = await paymentAt(location);
    expect(payment['metadata']).toEqual({
      paymentLinkId: link.id,
      email: 'Ann@example.com',
      name: 'Ann <b>',
    });
    const again = await paymentAt((await goOn(link, { email: 'ann@EXAMPLE.com' })).location);
    expect(again['customerId']).toBe(payment['customerId']);
    const anonymous = await made({ amount: '5', currency: 'USD' });
    const other = await paymentAt((await goOn(anonymous)).location);
    expect([payment['customerId'], other['customerId']]).toEqual([expect.stringMatching(/^cus_/), null]);
  });

  it('escapes markup written by shop or payer', async () => {
    const evil = `<script>alert(1)</script>"'`;
    const link = await donation({
      name: evil,
      description: evil,
      fields: [{ name: 'note', required: true }],
    });
    for (const { text } of [await visit(link), await goOn(link, { amount: evil, note: evil })]) {
      expect(text).not.toContain('<script>alert');
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;');
    }
  });

  it('answers 410 when it is inactive or deleted, and 404 when its id is unknown', async () => {
    const link = await made({ amount: '5', currency: 'USD' });
    const token = shop.secretKey;
    const edit = async (active: boolean) =>
      till.api.must('PATCH', '/merchant/link/edit', { token, body: { paymentLinkId: link.id, active } });
    await edit(false);
    const closed = await visit(link, '?lang=de');
    expect([closed.status, closed.text.includes('Dieser Link ist geschlossen')]).toEqual([410, true]);
    expect((await goOn(link)).status).toBe(410);
    await edit(true);
    expect((await visit(link)).status).toBe(200);
    await till.api.must('DELETE', '/merchant/link/delete', { token, body: { paymentLinkId: link.id } });
    expect([(await visit(link)).status, (await goOn(link)).status]).toEqual([410, 410]);
    const { links } = await till.api.must<{ links: Link[] }>('GET', '/merchant/link/list?limit=100', {
      token,
    });
    expect(links.map(({ id }) => id)).not.toContain(link.id);
    const wrongKind = { ...link, url: link.url.replace('/l/', '/pos/') };
    expect((await visit(wrongKind)).status).toBe(404);
    expect((await visit({ ...link, url: `${till.api.baseUrl}/l/none` })).status).toBe(404);
  });
});

describe('a payment link on hostile requests', () => {
  it.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
  ])('ignores a form sent from another site: %o', async (headers) => {
    const link = await made({ amount: '5', currency: 'USD' });
    const before = await paymentCount();
    const { status, location } = await goOn(link, {}, { headers, query: '?lang=en&next=//evil.example' });
    expect([status, location]).toEqual([303, new URL(link.url).pathname]);
    expect(await paymentCount()).toBe(before);
  });

  it('accepts a form sent from its own page', async () => {
    const link = await made({ amount: '5', currency: 'USD' });
    const own: Record<string, string>[] = [
      { 'sec-fetch-site': 'same-origin', origin: till.api.baseUrl },
      { origin: till.api.baseUrl },
    ];
    for (const headers of own) {
      expect((await goOn(link, {}, { headers })).location).toContain('/checkout/pay_');
    }
    expect((await visit(link)).headers.get('referrer-policy')).toBe('same-origin');
  });

  it('says that nothing was paid when a form cannot be read', async () => {
    const answer = await goOn(await donation(), { note: 'x'.repeat(10_000) });
    expect(answer.status).toBe(413);
    expect(answer.text).toContain('Nothing was paid here.');
    expect(answer.text).not.toContain('Your payment is safe.');
  });

  it('limits new payments per minute and client address', async () => {
    const link = await made({ amount: '5', currency: 'USD' });
    const headers = { 'x-forwarded-for': '198.51.100.7' };
    const before = await paymentCount();
    const answers = await Promise.all(
      Array.from({ length: 3 * LIMIT }, async () => goOn(link, {}, { headers })),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(LIMIT);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(2 * LIMIT);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await paymentCount()).toBe(before + LIMIT);
    expect((await goOn(link)).status).toBe(303);
  });

  it('redirects the payer to the URL of the link, whatever the request contains', async () => {
    const link = await made({ amount: '5', currency: 'USD' });
    const evil = 'https://evil.example';
    const { location } = await goOn(
      link,
      { successUrl: evil, returnUrl: evil, next: evil, amount: '1', currency: 'EUR' },
      { query: `?lang=en&successUrl=${evil}&embed=${evil}` },
    );
    expect(location).not.toContain('evil');
    expect(await paymentAt(location)).toMatchObject({
      successUrl: null,
      returnUrl: link.url,
      amount: '5',
      currency: 'USD',
    });
    expect(
      (await create({ name: 'x', amount: '5', currency: 'USD', successUrl: 'javascript:alert(1)' })).status,
    ).toBe(400);
  });

  it('can be embedded only by the sites of the shop', async () => {
    const link = await made({ amount: '5', currency: 'USD' });
    const policy = async (): Promise<string> =>
      /frame-ancestors [^;]+/.exec((await visit(link)).headers.get('content-security-policy') ?? '')?.[0] ??
      '';
    expect(await policy()).toBe("frame-ancestors 'none'");
    const body = { merchantId: shop.merchantId, embedOrigins: ['https://shop.example'] };
    await till.api.must('PATCH', '/merchant/edit', { token: shop.token, body });
    expect(await policy()).toBe('frame-ancestors https://shop.example');
    const embed = `?lang=en&embed=${encodeURIComponent('https://shop.example')}`;
    expect((await goOn(link, {}, { query: embed })).location).toContain('embed=https%3A%2F%2Fshop.example');
  });

  it('can be requested 600 times per minute and client address', async () => {
    const link = await made({ amount: '5', currency: 'USD' });
    const path = till.api.baseUrl + new URL(link.url).pathname;
    const statuses = new Map<number, number>();
    for (let batch = 0; batch < 31; batch += 1) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () =>
          fetch(path, { headers: { 'x-forwarded-for': '198.51.100.8' } }),
        ),
      );
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [200, 600],
      [429, 20],
    ]);
  });
});

describe('the terms of a payment link', () => {
  it.each([
    [{}, 'amount'],
    [{ amount: '5' }, 'currency'],
    [{ openAmount: {} }, 'currency'],
    [{ currency: 'EUR' }, 'currency'],
    [{ amount: '5', openAmount: {}, currency: 'EUR' }, 'openAmount'],
    [{ amount: '5.001', currency: 'EUR' }, 'amount'],
    [{ openAmount: { min: '5', max: '4' }, currency: 'EUR' }, 'openAmount.max'],
    [{ openAmount: { min: '5.001' }, currency: 'EUR' }, 'openAmount.min'],
    [{ openAmount: { max: '10', suggested: ['5', '11'] }, currency: 'EUR' }, 'openAmount.suggested[1]'],
    [{ kind: 'pos', amount: '5', currency: 'EUR' }, 'openAmount'],
    [{ amount: '5', currency: 'EUR', fields: [{ name: 'email' }, { name: 'email' }] }, 'fields'],
  ])('are rejected for %o, naming %s', async (body, field) => {
    const answer = await create({ name: 'Beans', ...body });
    expect([answer.status, answer.body.error?.details?.map((one) => one.field)]).toEqual([
      400,
      expect.arrayContaining([field]),
    ]);
  });

  it('can be filtered by price and by whether the link is active', async () => {
    const { token } = shop;
    const product = await till.api.must<{ id: string }>('POST', '/merchant/product/create', {
      token,
      body: { name: 'Tea' },
    });
    const price = async (amount: string): Promise<string> => {
      const body = { productId: product.id, amount, currency: 'EUR' };
      return (await till.api.must<{ id: string }>('POST', '/merchant/price/create', { token, body })).id;
    };
    const [small, large] = [await price('3'), await price('5')];
    const open = await made({ priceId: small });
    const closed = await made({ priceId: small, active: false });
    const other = await made({ priceId: large });
    const found = async (query: string): Promise<string[]> => {
      const { links, pagination } = await till.api.must<{
        links: Link[];
        pagination: { total: number };
      }>('GET', `/merchant/link/list?limit=100&${query}`, { token: shop.secretKey });
      expect(pagination.total).toBe(links.length);
      return links.map(({ id }) => id).toSorted();
    };
    expect(await found(`priceId=${small}`)).toEqual([open.id, closed.id].toSorted());
    expect(await found(`priceId=${small}&active=true`)).toEqual([open.id]);
    expect(await found(`priceId=${small}&active=false`)).toEqual([closed.id]);
    expect(await found(`priceId=${large}`)).toEqual([other.id]);
    expect(await found('priceId=price_none')).toEqual([]);
    expect(await found('active=false')).toEqual(expect.arrayContaining([closed.id]));
  });

  it('are listed with their price and their completed payments', async () => {
    const { token } = shop;
    const product = await till.api.must<{ id: string }>('POST', '/merchant/product/create', {
      token,
      body: { name: 'Cake' },
    });
    const price = await till.api.must<{ id: string }>('POST', '/merchant/price/create', {
      token,
      body: { productId: product.id, amount: '24.5', currency: 'EUR' },
    });
    const link = await made({ priceId: price.id });
    const listed = async (query = ''): Promise<Record<string, unknown> | undefined> => {
      const { links } = await till.api.must<{ links: (Link & Record<string, unknown>)[] }>(
        'GET',
        `/merchant/link/list?limit=100${query}`,
        { token: shop.secretKey },
      );
      return links.find(({ id }) => id === link.id);
    };
    const shown = { product: 'Cake', amount: '24.5', currency: 'EUR' };
    expect(await listed()).toMatchObject({ price: shown, payments: { count: 0, totals: [] } });
    for (const scenario of ['exact', 'exact', null]) {
      const { id } = await paymentAt((await goOn(link)).location);
      if (scenario === null) continue;
      await till.api.must('POST', '/sandbox/payment/simulate', {
        token: shop.secretKey,
        body: { paymentId: id, scenario, coin: 'BTC', confirmations: 3 },
      });
      await eventually(
        'the payment to be completed',
        () => shop.payment(id),
        ({ status }) => status === 'completed',
      );
    }
    const payments = { count: 2, totals: [{ currency: 'EUR', amount: '49' }] };
    expect(await listed()).toMatchObject({ price: shown, payments });
    expect(await listed('&mode=live')).toMatchObject({ payments: { count: 0, totals: [] } });
  });

  it('show the form again with what was typed when no exchange rate of the currency is known', async () => {
    const link = await made({
      openAmount: {},
      currency: 'XOF',
      fields: [{ name: 'email', required: true }],
    });
    const answer = await goOn(link, { amount: '500', email: 'buyer@example.com' });
    expect(answer.status).toBe(503);
    expect(answer.text).toContain('no payment was created');
    expect(answer.text).toContain('value="500"');
    expect(answer.text).toContain('value="buyer@example.com"');
    expect(
      (await goOn(link, { amount: '500', email: 'buyer@example.com' }, { query: '?lang=de' })).text,
    ).toContain('Es wurde keine Zahlung angelegt');
  });

  it('are replaced as a whole, and a point-of-sale link must keep an open amount', async () => {
    const token = shop.secretKey;
    const edit = async (body: object) => till.api.call<Link>('PATCH', '/merchant/link/edit', { token, body });
    const link = await made({ amount: '5', currency: 'USD' });
    const changed = await edit({ paymentLinkId: link.id, openAmount: { min: '1' }, currency: 'EUR' });
    expect(changed.body.data).toMatchObject({
      amount: null,
      openAmount: { min: '1' },
      currency: 'EUR',
      url: link.url,
      name: 'Beans',
    });
    const counter = await made({ kind: 'pos', openAmount: {}, currency: 'EUR' });
    expect(counter.url).toContain('/pos/');
    const refused = await edit({ paymentLinkId: counter.id, amount: '5', currency: 'EUR' });
    expect(refused.body.error?.details?.[0]?.field).toBe('openAmount');
  });
});
