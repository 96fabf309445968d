import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type ApiAnswer, type PaymentJson } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';

interface Terms extends PaymentJson {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly checkoutUrl: string;
  readonly customerId: string | null;
  readonly locale: string | null;
  readonly description: string | null;
  readonly lines: readonly { name: string; quantity: number; amount: string }[];
}

let till: Till;
let shop: Shop;
let orders = 0;

beforeAll(async () => {
  // The simulator mines no block on its own.
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' });
  await till.ready();
  shop = await Shop.open(till.api);
});
afterAll(async () => till.end());

async function create(fields: object, token = shop.secretKey): Promise<ApiAnswer<Terms>> {
  orders += 1;
  const body = { amount: '19.90', currency: 'USD', orderId: `order-${orders}`, ...fields };
  return shop.api.call<Terms>('POST', '/payment/create', { token, body });
}

const inFull = async (id: string): Promise<Terms> =>
  shop.api.must<Terms>('GET', `/payment/get?paymentId=${id}`, { token: shop.secretKey });

const fieldsOf = ({ status, body }: ApiAnswer<unknown>): readonly unknown[] => [
  status,
  ...(body.error?.details ?? []).map(({ field }) => field),
];

describe('the customer of a payment', () => {
  it('may be anonymous', async () => {
    const { status, body } = await create({ customer: {} });
    expect(status).toBe(201);
    expect(await inFull(body.data.id)).toMatchObject({ customerId: null });
  });

  it('is created by the first payment with an email address and reused afterwards, whatever the case of the address', async () => {
    const first = await create({ customer: { email: 'Ada@example.com', metadata: { tier: 'gold' } } });
    const second = await create({ customer: { email: 'ada@Example.com', metadata: { tier: 'none' } } });
    const [one, two] = await Promise.all([inFull(first.body.data.id), inFull(second.body.data.id)]);
    expect(one.customerId).toMatch(/^cus_/);
    expect(two.customerId).toBe(one.customerId);
    const found = await shop.api.must<{ id: string; metadata: object }>(
      'GET',
      '/merchant/customer/get?email=ADA@example.com',
      { token: shop.secretKey },
    );
    expect(found).toMatchObject({ id: one.customerId, metadata: { tier: 'gold' } });
  });

  it('is created once for many concurrent payments with one email address', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, async () => create({ customer: { email: 'grace@example.com' } })),
    );
    const payments = await Promise.all(made.map(async ({ body }) => inFull(body.data.id)));
    expect(new Set(payments.map(({ customerId }) => customerId)).size).toBe(1);
  });

  it('is rejected when both or neither of customer id and email address are given', async () => {
    expect(fieldsOf(await create({}))).toEqual([400, 'customerId']);
    expect(fieldsOf(await create({ customerId: shop.customerId, customer: {} }))).toEqual([400, 'customer']);
    expect(fieldsOf(await create({ customer: { email: 'no address' } }))).toEqual([400, 'customer.email']);
  });

  it('is not returned to public keys', async () => {
    const { status, body } = await create({ customer: { email: 'alan@example.com' } }, shop.publicKey);
    expect(status).toBe(201);
    expect(body.data).not.toHaveProperty('customerId');
  });

  it('is not created when the payment is rejected', async () => {
    const { status } = await create({ customer: { email: 'gone@example.com' }, amount: '0.001' });
    expect(status).toBe(400);
    const { status: found } = await shop.api.call('GET', '/merchant/customer/get?email=gone@example.com', {
      token: shop.secretKey,
    });
    expect(found).toBe(404);
  });
});

const existingId = ({ body }: ApiAnswer<unknown>): unknown =>
  (body.error?.details?.[0] as { existingId?: string } | undefined)?.existingId;

describe('the error for a duplicate', () => {
  it('contains the id of the payment with the same order id, but not for a public key', async () => {
    const first = await create({ customer: {}, orderId: 'taken' });
    const second = await create({ customer: {}, orderId: 'taken', amount: '5' });
    expect([second.status, existingId(second)]).toEqual([400, first.body.data.id]);
    const third = await create({ customer: {}, orderId: 'taken', amount: '5' }, shop.publicKey);
    expect([third.status, existingId(third)]).toEqual([400, undefined]);
  });

  it('contains the id of the customer with the same email address', async () => {
    const request = { token: shop.secretKey, body: { email: 'twice@example.com' } };
    const first = await shop.api.call<{ id: string }>('POST', '/merchant/customer/create', request);
    const second = await shop.api.call('POST', '/merchant/customer/create', request);
    expect(existingId(second)).toBe(first.body.data.id);
  });

  it('contains the id of the merchant with the same domain, but only for its owner', async () => {
    const domain = 'mine.example';
    const make = async (token: string) =>
      shop.api.call<{ merchant: { id: string } }>('POST', '/merchant/create', {
        token,
        body: { name: 'Mine', domain },
      });
    const first = await make(shop.token);
    expect(existingId(await make(shop.token))).toBe(first.body.data.merchant.id);
    const other = await Shop.open(till.api);
    const refused = await make(other.token);
    expect([refused.status, existingId(refused)]).toEqual([400, undefined]);
  });
});

describe('the terms of a payment', () => {
  it('include lifetime, language, description and line items, which the payer sees', async () => {
    const lines = [{ name: '<b>Tea</b>', quantity: 2, amount: '15.80' }];
    const { body } = await create({
      customer: {},
      lifetimeMinutes: 5,
      locale: 'de-AT',
      description: 'Two packets & a <smile>',
      lines,
    });
    const { data } = body;
    expect(data).toMatchObject({ locale: 'de-AT', description: 'Two packets & a <smile>', lines });
    expect(Date.parse(data.expiresAt) - Date.parse(data.createdAt)).toBe(300_000);
    const page = await fetch(data.checkoutUrl, { headers: { 'accept-language': 'fr' } });
    const html = await page.text();
    expect(html).toContain('<html lang="de" dir="ltr">');
    expect(html).toContain('2 × <bdi>&lt;b&gt;Tea&lt;/b&gt;</bdi>');
    expect(html).toContain('Two packets &amp; a &lt;smile&gt;');
    expect(html).not.toContain('<b>Tea');
    const picked = await fetch(`${data.checkoutUrl}?lang=es`);
    expect(await picked.text()).toContain('<html lang="es" dir="ltr">');
  });

  it.each([
    [{ lifetimeMinutes: 4 }, 'lifetimeMinutes'],
    [{ lifetimeMinutes: 10_081 }, 'lifetimeMinutes'],
    [{ locale: 'german please' }, 'locale'],
    [{ description: 'x'.repeat(501) }, 'description'],
    [{ lines: [{ name: 'Tea', quantity: 1, amount: '19.91' }] }, 'lines'],
    [{ lines: [{ name: 'Tea', quantity: 1, amount: '1.234' }] }, 'lines[0].amount'],
    [{ lines: [{ name: '', quantity: 0, amount: '-1' }] }, 'lines[0].name'],
    [{ lines: Array.from({ length: 101 }, () => ({ name: 'a', quantity: 1, amount: '0' })) }, 'lines'],
    [{ confirmations: { BTC: 0 } }, 'confirmations.BTC'],
    [{ confirmations: { DOGE: 1 } }, 'confirmations'],
  ])('are rejected for %j', async (fields, field) => {
    const [status, first] = fieldsOf(await create({ customer: {}, ...fields }));
    expect([status, String(first).split('.')[0]]).toEqual([400, field.split('.')[0]]);
  });

  it('cannot have a longer lifetime, when a public key creates the payment, than the shop sets, so that payers cannot wait for a better rate', async () => {
    const usual = await create({ customer: {} }, shop.publicKey);
    const { createdAt, expiresAt } = usual.body.data;
    const minutes = (Date.parse(expiresAt) - Date.parse(createdAt)) / 60_000;
    const longer = { customer: {}, lifetimeMinutes: minutes + 1 };
    expect(fieldsOf(await create(longer, shop.publicKey))).toEqual([400, 'lifetimeMinutes']);
    expect((await create({ customer: {}, lifetimeMinutes: minutes }, shop.publicKey)).status).toBe(201);
    expect((await create({ customer: {}, lifetimeMinutes: 5 }, shop.publicKey)).status).toBe(201);
    expect((await create(longer)).status).toBe(201);
  });

  it('may require more confirmations than the server, but not fewer', async () => {
    const more = await create({ customer: {}, allowedCryptos: ['BTC'], confirmations: { BTC: 9 } });
    expect(more.body.data.options.BTC.requiredConfirmations).toBe(9);
    const fewer = await create({ customer: {}, allowedCryptos: ['LTC'], confirmations: { LTC: 1 } });
    expect(fieldsOf(fewer)).toEqual([400, 'confirmations.LTC']);
  });

  it('require the confirmations of the payment before money counts as settled', async () => {
    const { body } = await create({ customer: {}, allowedCryptos: ['BTC'], confirmations: { BTC: 7 } });
    const { id } = body.data;
    const simulate = async (scenario: string, confirmations: number): Promise<PaymentJson> =>
      shop.api.must<PaymentJson>('POST', '/sandbox/payment/simulate', {
        token: shop.secretKey,
        body: { paymentId: id, scenario, confirmations },
      });
    expect(await simulate('exact', 6)).toMatchObject({ status: 'confirming' });
    expect(await simulate('confirm', 1)).toMatchObject({ status: 'completed' });
  });
});

it('payment/list?updatedAfter returns changes since that time, in the order of the changes', async () => {
  const other = await Shop.open(till.api);
  const made: string[] = [];
  for (const amount of ['1', '2', '3']) {
    made.push((await other.createPayment({ amount, currency: 'USD' })).id);
    till.clock.advance(1_000);
  }
  const first = (await other.payment(made[0]!)) as Terms;
  till.clock.advance(1_000);
  await other.api.must('POST', '/payment/cancel', { token: other.secretKey, body: { paymentId: made[0] } });
  const list = await other.api.must<{ payments: PaymentJson[]; pagination: { total: number } }>(
    'GET',
    `/payment/list?updatedAfter=${first.updatedAt}`,
    { token: other.secretKey },
  );
  expect(list.payments.map(({ id }) => id)).toEqual([made[1], made[2], made[0]]);
  expect(list.pagination.total).toBe(3);
  const searched = await other.api.must<{ payments: PaymentJson[]; pagination: { total: number } }>(
    'GET',
    `/payment/list?search=order&updatedAfter=${first.updatedAt}`,
    { token: other.secretKey },
  );
  expect(searched.payments.map(({ id }) => id)).toEqual([made[1], made[2], made[0]]);
  expect(searched.pagination.total).toBe(3);
});
