import { afterAll, beforeAll, expect, test } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let shop: Shop;
let other: Shop;

beforeAll(async () => {
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '200ms' });
  await till.ready();
  shop = await Shop.open(till.api);
  other = await Shop.open(till.api);
});
afterAll(async () => till.end());

async function found(text: string, by: Shop = shop, filters = ''): Promise<string[]> {
  const query = `search=${encodeURIComponent(text)}&limit=100${filters}`;
  const { payments, pagination } = await by.api.must<{
    payments: PaymentJson[];
    pagination: { total: number };
  }>('GET', `/payment/list?${query}`, { token: by.secretKey });
  expect(pagination.total).toBe(payments.length);
  return payments.map(({ orderId }) => orderId);
}

async function customer(by: Shop, email: string): Promise<string> {
  const body = { email };
  const { id } = await by.api.must<{ id: string }>('POST', '/merchant/customer/create', {
    token: by.token,
    body,
  });
  return id;
}

test('payment search matches any part of the order id in any case, newest first, together with other filters', async () => {
  for (const orderId of ['web-1001', 'web-1002', 'pos-1001', 'WEB-1003']) {
    await shop.createPayment({ orderId });
    till.clock.advance(1000);
  }
  await other.createPayment({ orderId: 'web-1001' });
  expect(await found('web-1')).toEqual(['WEB-1003', 'web-1002', 'web-1001']);
  expect(await found('WEB-1001')).toEqual(['web-1001']);
  expect(await found('1001')).toEqual(['pos-1001', 'web-1001']);
  expect(await found('web-', shop, '&status=completed')).toEqual([]);
  expect(await found('eb-1002')).toEqual(['web-1002']);
  expect(await found('web--')).toEqual([]);
  const page = await shop.api.must<{ payments: PaymentJson[]; pagination: object }>(
    'GET',
    '/payment/list?search=web-&limit=1&page=2',
    { token: shop.secretKey },
  );
  expect(page.payments.map(({ orderId }) => orderId)).toEqual(['web-1002']);
  expect(page.pagination).toEqual({ page: 2, limit: 1, total: 3 });
});

test('payment search treats wildcards and quotes literally', async () => {
  const hard = ['100%', '100x', 'a_b', 'acb', 'a*b', "o'brien", 'x\\y', '["q"]', 'ä-1', '日本-1', '😀-1'];
  for (const orderId of hard) await shop.createPayment({ orderId });
  for (const text of hard) expect(await found(text), text).toEqual([text]);
  for (const text of ['?', 'a%', 'a?b', '%x', '0_', '😁']) expect(await found(text), text).toEqual([]);
  for (const [text, orderId] of [
    ['%', '100%'],
    ['_', 'a_b'],
    ['*', 'a*b'],
    ["'", "o'brien"],
    ['\\', 'x\\y'],
    ['日', '日本-1'],
    ['本-', '日本-1'],
    ['Ä', 'ä-1'],
  ] as const)
    expect(await found(text), text).toEqual([orderId]);
});

test('payment search matches a complete payment id, of this shop only', async () => {
  const mine = await shop.createPayment({ orderId: 'mine' });
  const theirs = await other.createPayment({ orderId: 'theirs' });
  expect(await found(mine.id)).toEqual(['mine']);
  expect(await found('pay_')).toEqual([]);
  expect(await found(theirs.id)).toEqual([]);
  expect(await found(theirs.id, other)).toEqual(['theirs']);
});

test('payment search matches the customer by id, or by any part of the email address in any case', async () => {
  const customerId = await customer(shop, 'Ada.Lovelace@example.org');
  await shop.createPayment({ orderId: 'by-ada', customerId });
  const stranger = await customer(other, 'ada.lovelace@example.org');
  await other.createPayment({ orderId: 'not-by-ada', customerId: stranger });
  for (const text of ['ada.love', 'ADA.LOVELACE@EXAMPLE.ORG', 'Lovelace@', customerId])
    expect(await found(text), text).toEqual(['by-ada']);
  expect(await found('ada%')).toEqual([]);
  expect(await found(stranger)).toEqual([]);
});

test('payment search matches the start of an address or txid, in any case that the chain allows, and the txids of refunds', async () => {
  const orderId = 'paid';
  const { id, options } = await shop.createPayment({ orderId });
  for (const coin of ['BTC', 'LTC', 'ETH', 'SOL'] as const)
    expect(await found(options[coin].address), coin).toEqual([orderId]);
  expect(await found(options.ETH.address.toLowerCase())).toEqual([orderId]);
  expect(await found(options.BTC.address.toUpperCase())).toEqual([orderId]);
  for (const coin of ['BTC', 'LTC', 'ETH', 'SOL'] as const)
    expect(await found(options[coin].address.slice(0, 12)), coin).toEqual([orderId]);
  expect(await found(options.BTC.address.slice(1))).toEqual([]);
  expect(await found(`${options.BTC.address}q`)).toEqual([]);
  expect(await found(options.BTC.address, other)).toEqual([]);
  const body = { paymentId: id, scenario: 'exact', coin: 'LTC' };
  await shop.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  const paid = await eventually(
    'the payment is complete',
    () => shop.payment(id),
    ({ status }) => status === 'completed',
  );
  const txid = paid.transactions[0]?.txid ?? '';
  expect(txid.length).toBeGreaterThan(20);
  expect(await found(txid)).toEqual([orderId]);
  expect(await found(txid.toUpperCase())).toEqual([orderId]);
  expect(await found(txid.slice(0, 10))).toEqual([orderId]);
  expect(await found(txid.slice(0, 10), other)).toEqual([]);
  expect(await found(txid.slice(1))).toEqual([]);
  expect(await found(txid, other)).toEqual([]);
  const { refund } = await shop.api.must<{ refund: { txHash: string } }>('POST', '/payment/refund', {
    token: shop.secretKey,
    body: { paymentId: id, destination: other.wallets.LTC },
  });
  expect(await found(refund.txHash)).toEqual([orderId]);
  expect(await found(refund.txHash.slice(0, 12))).toEqual([orderId]);
  expect(await found(refund.txHash, other)).toEqual([]);
  // The shop's own wallet address belongs to no payment.
  expect(await found(shop.wallets.BTC)).toEqual([]);
});

test('payment search matches an amount in the price or in the received coins, when all digits before the decimal point match', async () => {
  const by = await Shop.open(till.api);
  for (const amount of ['731.50', '731.5', '7315', '73', '731', '0.73', '1731.5'])
    await by.createPayment({
      orderId: `of ${amount}`.replaceAll(/[0-9]/g, (digit) => 'abcdefghij'[Number(digit)] ?? ''),
      amount,
    });
  const priced = async (text: string) => (await found(text, by)).toSorted();
  expect(await priced('731.5')).toEqual(['of hdb.f', 'of hdb.fa']);
  expect(await priced('731.50')).toEqual(['of hdb.f', 'of hdb.fa']);
  expect(await priced('731')).toEqual(['of hdb', 'of hdb.f', 'of hdb.fa']);
  expect(await priced('731.51')).toEqual([]);
  expect(await priced('73.')).toEqual(['of hd']);
  expect(await priced('0.73')).toEqual(['of a.hd']);
  const paid = await by.createPayment({ orderId: 'in coins', amount: '49.90', currency: 'EUR' });
  const body = { paymentId: paid.id, scenario: 'exact', coin: 'ETH' };
  await by.api.must('POST', '/sandbox/payment/simulate', { token: by.secretKey, body });
  const { transactions } = await eventually(
    'the payment is complete',
    () => by.payment(paid.id),
    ({ status }) => status === 'completed',
  );
  const amount = transactions[0]?.amount ?? '';
  expect(amount).toMatch(/^0\.\d{4,}$/);
  for (const text of [amount, amount.slice(0, 7), `${amount}0`.slice(0, 20)])
    expect(await priced(text), text).toEqual(['in coins']);
  expect(await priced(`${amount}1`.slice(0, 20))).toEqual(amount.length < 20 ? [] : ['in coins']);
  expect(await found(amount, shop)).toEqual([]);
});

test('payment search rejects an empty or too long text', async () => {
  for (const text of ['', ' ', 'x'.repeat(256)]) {
    const path = `/payment/list?search=${encodeURIComponent(text)}`;
    const answer = await shop.api.call('GET', path, { token: shop.secretKey });
    expect(answer.status).toBe(400);
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(['search']);
  }
});

test('GET /merchant/volume uses the time zone of the shop, and is private to its owner', async () => {
  const read = (query: string, token: string) =>
    shop.api.call<{ days: { date: string }[]; totals: { fiat: object[] } }>(
      'GET',
      `/merchant/volume?${query}`,
      {
        token,
      },
    );
  const { orderId } = await shop.createPayment({ orderId: 'volume', amount: '12.34', currency: 'EUR' });
  const id = (await found(orderId)).length;
  expect(id).toBe(1);
  const own = await read('timezone=Europe/Berlin', shop.secretKey);
  expect(own.status).toBe(200);
  expect(own.body.data.days).toHaveLength(30);
  const viaToken = await read(`merchantId=${shop.merchantId}`, other.token);
  expect(viaToken.status).toBe(404);
  for (const [query, ...fields] of [
    ['timezone=Mars/Olympus', 'timezone'],
    ['startDate=2026-02-30', 'startDate'],
    ['startDate=2024-01-01&endDate=2026-01-01', 'endDate'],
    ['endDate=0000-01-02', 'endDate'],
    ['startDate=0099-12-31&endDate=0100-01-01', 'startDate', 'endDate'],
    ['startDate=1969-12-31', 'startDate'],
  ] as const) {
    const answer = await read(query, shop.secretKey);
    expect(answer.status, query).toBe(400);
    expect(answer.body.error?.details?.map((one) => one.field)).toEqual(fields);
  }
  for (const [last, first] of [
    ['1970-01-01', '1969-12-03'],
    ['2000-02-29', '2000-01-31'],
    ['9999-12-31', '9999-12-02'],
  ]) {
    const { status, body } = await read(`endDate=${last}&timezone=Europe/Berlin`, shop.secretKey);
    expect(status, last).toBe(200);
    expect([body.data.days[0]?.date, body.data.days.at(-1)?.date]).toEqual([first, last]);
  }
});

test('payment list reads bare dates as days in UTC, or in the given time zone', async () => {
  const by = await Shop.open(till.api);
  // Auckland is 12 or 13 hours ahead: its next day begins between these two.
  const noon = Math.ceil(till.clock.now() / 86_400_000) * 86_400_000 + 36 * 3_600_000;
  till.clock.advance(noon - 2 * 3_600_000 - till.clock.now());
  await by.createPayment({ orderId: 'in the evening' });
  till.clock.advance(2 * 3_600_000);
  await by.createPayment({ orderId: 'in the night' });
  const [today, tomorrow] = [noon, noon + 86_400_000].map((at) => new Date(at).toISOString().slice(0, 10));
  const on = async (day = '', zone = '') => found('i', by, `&startDate=${day}&endDate=${day}${zone}`);
  const auckland = '&timeZone=Pacific/Auckland';
  expect(await on(today)).toEqual(['in the night', 'in the evening']);
  expect(await on(today, auckland)).toEqual(['in the evening']);
  expect(await on(tomorrow, auckland)).toEqual(['in the night']);
  expect(await on(tomorrow)).toEqual([]);
  const exact = `&startDate=${today}T12:00:00Z&endDate=${today}T13:00:00Z`;
  expect(await found('i', by, `${exact}${auckland}`)).toEqual(['in the night']);
  const answer = await by.api.call('GET', '/payment/list?timeZone=Mars/Olympus', { token: by.secretKey });
  expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(['timeZone']);
});

test('payment list accepts time ranges far in the past and in the future', async () => {
  const count = async (query: string) => {
    const path = `/payment/list?${query}`;
    const list = await shop.api.must<{ pagination: { total: number } }>('GET', path, {
      token: shop.secretKey,
    });
    return list.pagination.total;
  };
  await shop.createPayment({ orderId: 'some-time' });
  const all = await count('page=1');
  expect(all).toBeGreaterThan(0);
  for (const none of [
    'endDate=0000-01-02',
    'endDate=0099-12-31',
    'endDate=1969-12-31',
    'startDate=9999-12-31',
  ])
    expect(await count(none), none).toBe(0);
  const widest = 'startDate=0000-01-01T00:00:00%2B14:00&endDate=9999-12-31T23:59:59-14:00';
  for (const every of ['startDate=0000-01-01', 'startDate=0050-06-01&endDate=9999-12-31', widest])
    expect(await count(every), every).toBe(all);
});

test('payment list sorts by order id or status, in both directions, across pages and together with filters', async () => {
  const by = await Shop.open(till.api);
  for (const orderId of ['b-2', 'a-1', 'c-3', 'B-4']) {
    await by.createPayment({ orderId });
    till.clock.advance(1000);
  }
  const [cancelled] = (
    await by.api.must<{ payments: PaymentJson[] }>('GET', '/payment/list?orderId=c-3', {
      token: by.secretKey,
    })
  ).payments;
  await by.api.must('POST', '/payment/cancel', {
    token: by.secretKey,
    body: { paymentId: cancelled?.id },
  });
  const sorted = async (query: string) => {
    const path = `/payment/list?${query}`;
    const { payments } = await by.api.must<{ payments: PaymentJson[] }>('GET', path, { token: by.secretKey });
    return payments.map(({ orderId }) => orderId);
  };
  expect(await sorted('')).toEqual(['B-4', 'c-3', 'a-1', 'b-2']);
  expect(await sorted('sort=-createdAt')).toEqual(['B-4', 'c-3', 'a-1', 'b-2']);
  expect(await sorted('sort=createdAt')).toEqual(['b-2', 'a-1', 'c-3', 'B-4']);
  expect(await sorted('sort=orderId')).toEqual(['B-4', 'a-1', 'b-2', 'c-3']);
  expect(await sorted('sort=-orderId&limit=2&page=2')).toEqual(['a-1', 'B-4']);
  expect(await sorted('sort=status')).toEqual(['c-3', 'b-2', 'a-1', 'B-4']);
  expect(await sorted('sort=-status&status=pending&search=b-')).toEqual(['B-4', 'b-2']);
  expect(await sorted('sort=orderId&updatedAfter=2000-01-01')).toEqual(['B-4', 'a-1', 'b-2', 'c-3']);
  for (const wrong of ['amount', '-', '', 'createdAt,orderId', '+createdAt']) {
    const path = `/payment/list?sort=${encodeURIComponent(wrong)}`;
    const { status, body } = await by.api.call('GET', path, { token: by.secretKey });
    expect([status, body.error?.details?.map(({ field }) => field)], wrong).toEqual([400, ['sort']]);
  }
});
