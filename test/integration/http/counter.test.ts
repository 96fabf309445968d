import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

interface Counter {
  readonly id: string;
  readonly connectedAt: string | null;
  readonly lastUsedAt: string | null;
  readonly tips: readonly number[];
}

interface CounterPayment {
  readonly id: string;
  readonly orderId: string;
  readonly state: string;
  readonly amount: string;
  readonly tip: string | null;
  readonly currency: string;
  readonly page: { readonly url: string };
  readonly coins: readonly { readonly coin: string; readonly uri: string }[];
}

interface Day {
  readonly shop: { readonly name: string; readonly sandbox: boolean };
  readonly counter: { readonly favourites: readonly { readonly priceId: string; readonly name: string }[] };
  readonly day: string;
  readonly total: { readonly count: number; readonly amount: string; readonly tips: string };
  readonly payments: readonly CounterPayment[];
}

let till: Till;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '300ms' });
  await till.ready();
  shop = await Shop.open(till.api, { settings: { name: 'Blue Door Books', timeZone: 'Europe/Berlin' } });
});
afterAll(async () => till.end());

const create = async (body: object = {}, of: Shop = shop): Promise<Counter> =>
  till.api.must<Counter>('POST', '/merchant/counter/create', {
    token: of.secretKey,
    body: { name: 'Till 1', currency: 'EUR', tips: [5, 10], ...body },
  });
const codeFor = async (counterId: string, of: Shop = shop): Promise<{ code: string; url: string }> =>
  till.api.must('POST', '/merchant/counter/connect', { token: of.secretKey, body: { counterId } });
const connect = async (code: string) =>
  till.api.call<{ token: string }>('POST', '/counter/connect', { body: { code } });
async function device(counterId: string, of: Shop = shop): Promise<string> {
  const { status, body } = await connect((await codeFor(counterId, of)).code);
  expect(status).toBe(201);
  return body.data.token;
}
const charge = async (token: string, body: object, headers: Record<string, string> = {}) =>
  till.api.call<CounterPayment>('POST', '/merchant/counter/charge', { token, body, headers });
async function charged(token: string, body: object): Promise<CounterPayment> {
  const answer = await charge(token, body);
  expect(answer.body.error).toBeNull();
  return answer.body.data;
}
const day = async (token: string): Promise<Day> => till.api.must('GET', '/merchant/counter/day', { token });
const readPayment = async (token: string, id: string) =>
  till.api.call('GET', `/merchant/counter/payment?payment=${id}`, { token });
async function pay(paymentId: string, of: Shop = shop): Promise<void> {
  await till.api.must('POST', '/sandbox/payment/simulate', {
    token: of.secretKey,
    body: { paymentId, scenario: 'exact', coin: 'BTC' },
  });
  await eventually(
    'the payment to complete',
    () => of.payment(paymentId),
    ({ status }) => status === 'completed',
  );
}
const listed = async (id: string, of: Shop = shop): Promise<Counter | undefined> => {
  const { counters } = await till.api.must<{ counters: Counter[] }>('GET', '/merchant/counter/list', {
    token: of.secretKey,
  });
  return counters.find((one) => one.id === id);
};

describe('the code of a counter', () => {
  it('connects one device, once, as typed by a person', async () => {
    const { id } = await create();
    expect(await listed(id)).toMatchObject({ connectedAt: null, lastUsedAt: null });
    const { code, url } = await codeFor(id);
    expect(url).toMatch(/\/counter\/app#[0-9A-HJKMNP-TV-Z]{12}$/);
    const { status, body } = await connect(code.toLowerCase().replaceAll('0', 'O').replaceAll('-', ' '));
    expect([status, body.data.token.slice(0, 3)]).toEqual([201, 'ct_']);
    expect((await listed(id))?.connectedAt).not.toBeNull();
    expect((await connect(code)).body.error?.code).toBe('INVALID_CODE');
  });

  it('expires after 15 minutes, and is replaced by the next one', async () => {
    const { id } = await create();
    const [first, second] = [await codeFor(id), await codeFor(id)];
    expect((await connect(first.code)).body.error?.code).toBe('INVALID_CODE');
    till.clock.advance(15 * 60_000);
    expect((await connect(second.code)).body.error?.code).toBe('INVALID_CODE');
  });

  it('is only created by the owner or a secret key', async () => {
    const { id } = await create();
    const { key } = await till.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
      token: shop.token,
      body: { merchantId: shop.merchantId, name: 'Shop', scopes: ['payments:write'] },
    });
    const answer = await till.api.call('POST', '/merchant/counter/connect', {
      token: key.value,
      body: { counterId: id },
    });
    expect(answer.body.error?.code).toBe('FORBIDDEN');
  });
});

describe('the token of a device', () => {
  it('charges, reads its own payments, and is rejected by every other operation of the API', async () => {
    const token = await device((await create()).id);
    const payment = await charged(token, { amount: '12.50' });
    const document = await till.api.call('GET', '/openapi.json');
    const { paths } = document.body as unknown as {
      paths: Record<string, Record<string, { security?: unknown[] }>>;
    };
    const guarded = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security = [] }]) => security.length > 0)
        .map(([method]) => [method.toUpperCase(), path] as const),
    );
    expect(guarded.length).toBeGreaterThan(80);
    const reached: string[] = [];
    for (const [method, path] of guarded) {
      const query = `?paymentId=${payment.id}&merchantId=${shop.merchantId}`;
      const options = method === 'GET' ? { token } : { token, body: { paymentId: payment.id } };
      const { status, body } = await till.api.call(method, path + (method === 'GET' ? query : ''), options);
      if (status !== 401 || body.error?.code !== 'UNAUTHORISED') reached.push(`${method} ${path}`);
    }
    expect(reached).toEqual([]);
    expect(Object.keys(paths)).not.toContain('/merchant/counter/charge');
  });

  it('is the only credential for the operations of a counter', async () => {
    for (const token of [shop.secretKey, shop.publicKey, shop.token]) {
      expect((await charge(token, { amount: '5' })).status).toBe(401);
      expect((await till.api.call('GET', '/merchant/counter/day', { token })).status).toBe(401);
    }
    expect((await charge('ct_nonsense', { amount: '5' })).body.error?.code).toBe('UNAUTHORISED');
  });

  it('reads no payment of another counter or of the shop', async () => {
    const [one, other] = [await device((await create()).id), await device((await create()).id)];
    const payment = await charged(one, { amount: '5' });
    const ofShop = await shop.createPayment();
    expect((await readPayment(one, payment.id)).status).toBe(200);
    expect((await readPayment(other, payment.id)).body.error?.code).toBe('PAYMENT_NOT_FOUND');
    expect((await readPayment(one, ofShop.id)).body.error?.code).toBe('PAYMENT_NOT_FOUND');
    expect((await day(other)).payments).toEqual([]);
  });

  it('ends when another device is connected and when the counter is deleted', async () => {
    const { id } = await create();
    const [first, second] = [await device(id), await device(id)];
    expect((await charge(first, { amount: '5' })).status).toBe(401);
    expect((await charge(second, { amount: '5' })).status).toBe(201);
    expect((await listed(id))?.lastUsedAt).not.toBeNull();
    await till.api.must('DELETE', '/merchant/counter/delete', {
      token: shop.secretKey,
      body: { counterId: id },
    });
    expect((await charge(second, { amount: '5' })).status).toBe(401);
    expect(await listed(id)).toBeUndefined();
  });

  it('belongs to the shop of its counter alone', async () => {
    const other = await Shop.open(till.api);
    const { id } = await create({}, other);
    const body = { counterId: id };
    for (const [method, path] of [
      ['POST', '/merchant/counter/connect'],
      ['PATCH', '/merchant/counter/edit'],
      ['DELETE', '/merchant/counter/delete'],
    ] as const) {
      const answer = await till.api.call(method, path, { token: shop.secretKey, body });
      expect(answer.body.error?.code, path).toBe('COUNTER_NOT_FOUND');
    }
  });
});

describe('a charge', () => {
  it('creates a payment for all coins with a code for each, and one payment for a repeated request', async () => {
    const { id } = await create();
    const token = await device(id);
    const headers = { 'idempotency-key': 'charge-1' };
    const [first, again] = [
      await charge(token, { amount: '12.5', tip: '1.25' }, headers),
      await charge(token, { amount: '12.5', tip: '1.25' }, headers),
    ];
    expect(first.body.data).toMatchObject({
      state: 'waiting',
      amount: '13.75',
      tip: '1.25',
      currency: 'EUR',
    });
    expect(first.body.data.coins.map(({ coin }) => coin)).toEqual(['BTC', 'ETH', 'LTC', 'SOL']);
    expect(again.body.data.id).toBe(first.body.data.id);
    const payment = (await shop.payment(first.body.data.id)) as PaymentJson & Record<string, unknown>;
    expect(payment).toMatchObject({ amount: '13.75', tip: '1.25', metadata: { counterId: id } });
    expect(payment.orderId).toMatch(/^C-[0-9A-Z]{10}$/);
  });

  it.each([
    [{}, 'amount'],
    [{ amount: '0' }, 'amount'],
    [{ amount: '-5' }, 'amount'],
    [{ amount: '5.001' }, 'amount'],
    [{ amount: '1e3' }, 'amount'],
    [{ amount: '5', tip: '5.01' }, 'tip'],
    [{ amount: '5', tip: '0' }, 'tip'],
    [{ amount: '5', tip: '0.001' }, 'tip'],
    [{ amount: '5', items: [{ priceId: 'price_1', quantity: 100 }] }, 'items[0].quantity'],
  ])('refuses %j and names the field', async (body, field) => {
    const token = await device((await create()).id);
    const { error } = (await charge(token, body)).body;
    expect([error?.code, error?.details?.[0]?.field]).toEqual(['VALIDATION_INVALID', field]);
  });

  it('sells the favourites of the counter at the current price of the catalog, and nothing else', async () => {
    const product = await till.api.must<{ id: string }>('POST', '/merchant/product/create', {
      token: shop.secretKey,
      body: { name: 'Tea' },
    });
    const price = async (amount: string, currency: string): Promise<string> => {
      const body = { productId: product.id, amount, currency };
      return (
        await till.api.must<{ id: string }>('POST', '/merchant/price/create', { token: shop.secretKey, body })
      ).id;
    };
    const [tea, dollars] = [await price('3.20', 'EUR'), await price('3', 'USD')];
    const wrong = await till.api.call('POST', '/merchant/counter/create', {
      token: shop.secretKey,
      body: { name: 'Till', currency: 'EUR', favourites: [dollars] },
    });
    expect(wrong.body.error?.details?.[0]?.field).toBe('favourites[0]');
    const token = await device((await create({ favourites: [tea] })).id);
    expect((await day(token)).counter.favourites).toEqual([{ priceId: tea, name: 'Tea', amount: '3.20' }]);
    await till.api.must('PATCH', '/merchant/price/edit', {
      token: shop.secretKey,
      body: { priceId: tea, amount: '4' },
    });
    const payment = await charged(token, { amount: '1.50', items: [{ priceId: tea, quantity: 3 }] });
    expect(payment.amount).toBe('13.5');
    expect(await shop.payment(payment.id)).toMatchObject({
      lines: [{ name: 'Tea', quantity: 3, amount: '12' }],
    });
    const other = await charge(token, { items: [{ priceId: dollars, quantity: 1 }] });
    expect(other.body.error?.code).toBe('PRICE_NOT_FOUND');
  });

  it('is limited per minute', async () => {
    const slow = await Till.start({ TILLD_PUBLIC_RATE_PER_MINUTE: '3' });
    try {
      await slow.ready();
      const other = await Shop.open(slow.api);
      const { id } = await slow.api.must<Counter>('POST', '/merchant/counter/create', {
        token: other.secretKey,
        body: { name: 'Till', currency: 'EUR' },
      });
      const { code } = await slow.api.must<{ code: string }>('POST', '/merchant/counter/connect', {
        token: other.secretKey,
        body: { counterId: id },
      });
      const { token } = await slow.api.must<{ token: string }>('POST', '/counter/connect', {
        body: { code },
      });
      const statuses: number[] = [];
      for (let sent = 0; sent < 4; sent += 1)
        statuses.push(
          (await slow.api.call('POST', '/merchant/counter/charge', { token, body: { amount: '5' } })).status,
        );
      expect(statuses).toEqual([201, 201, 201, 429]);
    } finally {
      await slow.end();
    }
  });

  it('loses its tip when the shop changes its amount', async () => {
    const token = await device((await create()).id);
    const { id } = await charged(token, { amount: '5', tip: '1' });
    await till.api.must('PATCH', '/payment/update', {
      token: shop.secretKey,
      body: { paymentId: id, amount: '4' },
    });
    expect(await shop.payment(id)).toMatchObject({ amount: '4', tip: null });
  });
});

describe('the day of a counter', () => {
  it('adds up its completed payments and their tips as the receipts and the export do', async () => {
    const of = await Shop.open(till.api, { settings: { timeZone: 'Europe/Berlin' } });
    const token = await device((await create({}, of)).id, of);
    const paid = [
      await charged(token, { amount: '12.50', tip: '1.25' }),
      await charged(token, { amount: '7.99' }),
    ];
    await charged(token, { amount: '100' });
    for (const { id } of paid) await pay(id, of);
    const { total, payments } = await day(token);
    expect(total).toEqual({ count: 2, amount: '21.74', tips: '1.25' });
    expect(payments.map(({ state }) => state)).toEqual(['waiting', 'paid', 'paid']);
    const month = new Date(till.clock.now()).toISOString().slice(0, 7);
    const report = await till.api.must<{ receipts: { totals: object[] } }>(
      'GET',
      `/payment/month-report?month=${month}`,
      { token: of.secretKey },
    );
    expect(report.receipts.totals).toEqual([
      { currency: 'EUR', count: 2, fiatAmount: '21.74', tips: '1.25' },
    ]);
    const { lines } = await till.api.must<{ lines: { paymentId: string; tip: string | null }[] }>(
      'GET',
      '/payment/export',
      { token: of.secretKey },
    );
    expect(new Set(lines.map(({ tip }) => tip))).toEqual(new Set(['1.25', null]));
    expect(lines).toHaveLength(2);
    const receipt = await fetch(`${paid[0]?.page.url}/receipt?lang=en`);
    expect(await receipt.text()).toMatch(/Tip included[^€]*€1\.25/);
  });

  it('begins and ends at midnight of the shop, also on the day of 25 hours', async () => {
    const ownTill = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '300ms' });
    try {
      await ownTill.ready();
      const of = await Shop.open(ownTill.api, { settings: { timeZone: 'Europe/Berlin' } });
      const { id } = await ownTill.api.must<Counter>('POST', '/merchant/counter/create', {
        token: of.secretKey,
        body: { name: 'Till', currency: 'EUR' },
      });
      const { code } = await ownTill.api.must<{ code: string }>('POST', '/merchant/counter/connect', {
        token: of.secretKey,
        body: { counterId: id },
      });
      const { token } = await ownTill.api.must<{ token: string }>('POST', '/counter/connect', {
        body: { code },
      });
      const at = (iso: string): void => ownTill.clock.advance(Date.parse(iso) - ownTill.clock.now());
      const year = new Date(ownTill.clock.now()).getUTCFullYear() + 1;
      const change = lastSundayOfOctober(year);
      // Summer time until 01:00 UTC: the day has 25 hours.
      const before = new Date(Date.parse(`${change}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
      const read = async (): Promise<Day> => ownTill.api.must('GET', '/merchant/counter/day', { token });
      const chargeNow = async (): Promise<void> => {
        await ownTill.api.must('POST', '/merchant/counter/charge', { token, body: { amount: '5' } });
      };
      at(`${before}T21:59:00Z`);
      await chargeNow();
      expect([(await read()).day, (await read()).payments.length]).toEqual([before, 1]);
      at(`${before}T22:01:00Z`);
      await chargeNow();
      expect([(await read()).day, (await read()).payments.length]).toEqual([change, 1]);
      at(`${change}T22:59:00Z`);
      await chargeNow();
      expect([(await read()).day, (await read()).payments.length]).toEqual([change, 2]);
      at(`${change}T23:01:00Z`);
      expect((await read()).payments).toEqual([]);
    } finally {
      await ownTill.end();
    }
  });
});

function lastSundayOfOctober(year: number): string {
  const last = new Date(Date.UTC(year, 9, 31));
  return new Date(last.getTime() - last.getUTCDay() * 86_400_000).toISOString().slice(0, 10);
}
