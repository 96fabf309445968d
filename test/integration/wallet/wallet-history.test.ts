import { afterAll, beforeAll, expect, test } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

interface Entry {
  readonly id: string;
  readonly direction: 'in' | 'out';
  readonly txHash: string;
  readonly address: string;
  readonly amount: string;
  readonly status: string;
  readonly paymentId: string | null;
  readonly currency: string | null;
  readonly rate: string | null;
  readonly fiatAmount: string | null;
  readonly createdAt: string;
}

const STRANGER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';
const DAY_MS = 86_400_000;

let till: Till;
let shop: Shop;
let paid: { id: string; address: string };
let received: Entry;
let refunded: Entry;

beforeAll(async () => {
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '100ms' });
  await till.ready();
  shop = await Shop.open(till.api);
  const token = shop.secretKey;
  const { id, options } = await shop.createPayment({
    orderId: "O'Neill 100%",
    currency: 'EUR',
    amount: '100',
  });
  paid = { id, address: options.LTC.address };
  const simulate = { paymentId: id, scenario: 'exact', coin: 'LTC' };
  await till.api.must('POST', '/sandbox/payment/simulate', { token, body: simulate });
  await eventually(
    'the payment settled',
    async () => shop.payment(id),
    ({ status }) => status === 'completed',
  );
  const body = { paymentId: id, coin: 'LTC', amount: '0.25', destination: STRANGER };
  await till.api.must('POST', '/payment/refund', { token, body });
  const rows = await eventually(
    'the refund is in the books',
    async () => list(),
    (entries) => entries.length === 2 && entries.every(({ status }) => status === 'confirmed'),
  );
  [refunded, received] = rows as [Entry, Entry];
  // A day later.
  till.clock.advance(2 * DAY_MS);
  await shop.send({ coin: 'LTC', destination: STRANGER, amount: '0.0375' });
});
afterAll(async () => till?.end());

async function list(query = ''): Promise<Entry[]> {
  const path = `/merchant/wallet/transactions?limit=50${query}`;
  const data = await till.api.must<{ transactions: Entry[]; pagination: { total: number } }>('GET', path, {
    token: shop.secretKey,
  });
  expect(data.pagination.total).toBe(data.transactions.length);
  return data.transactions;
}

const directions = async (query: string) => (await list(query)).map(({ direction }) => direction);

test('listWalletTransactions values a deposit at the price of its payment, and a refund at the rate at its time', () => {
  expect(received).toMatchObject({ direction: 'in', paymentId: paid.id, currency: 'EUR', fiatAmount: '100' });
  expect(refunded).toMatchObject({ direction: 'out', paymentId: paid.id, currency: 'EUR', amount: '0.25' });
  expect(refunded.rate).toBe(received.rate);
  expect(Number(refunded.fiatAmount)).toBeCloseTo(0.25 * Number(refunded.rate), 2);
});

test('listWalletTransactions returns no price for unconfirmed transactions', async () => {
  const [sent] = await list('&search=0.0375');
  expect(sent).toMatchObject({ direction: 'out', paymentId: null });
  if (sent?.status !== 'confirmed') expect(sent?.fiatAmount).toBeNull();
  const settled = await eventually(
    'the send confirmed',
    async () => (await list('&search=0.0375'))[0],
    (now) => now?.fiatAmount !== null,
  );
  expect(settled).toMatchObject({ currency: 'EUR', status: 'confirmed' });
});

test('listWalletTransactions searches hashes, addresses, orders and amounts for literal text', async () => {
  for (const [search, expected] of [
    ["O'Neill 100%", ['out', 'in']],
    ["O'Neill 100", []],
    [paid.id, ['out', 'in']],
    [refunded.id, ['out']],
    [received.txHash.slice(0, 12), ['in']],
    [refunded.txHash.slice(0, 12).toUpperCase(), ['out']],
    [paid.address, ['in']],
    [paid.address.slice(0, -4).toUpperCase(), ['in']],
    [STRANGER.slice(0, 20), ['out', 'out']],
    ['0.25', ['out']],
    ['0.2', ['out']],
    ['0.037', ['out']],
    ['0.0376', []],
    ['%', []],
    ['tltc1_', []],
    ["' OR 1=1 --", []],
  ] as const) {
    expect(await directions(`&search=${encodeURIComponent(search)}`), search).toEqual(expected);
  }
  expect(await directions(`&search=${STRANGER}&direction=in`)).toEqual([]);
  expect(await directions(`&search=${STRANGER}&coin=BTC`)).toEqual([]);
});

const dayIn = (zone: string, ms: number) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(ms);

test('listWalletTransactions uses the days of the time zone, with both ends included', async () => {
  const at = Date.parse(received.createdAt);
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Niue', 'UTC']) {
    const day = dayIn(zone, at);
    expect(await directions(`&startDate=${day}&endDate=${day}&timeZone=${zone}&direction=in`)).toEqual([
      'in',
    ]);
    const next = dayIn(zone, at + DAY_MS);
    expect(await directions(`&startDate=${next}&timeZone=${zone}`)).toEqual(['out']);
  }
  // Kiritimati is 25 hours ahead of Niue: a day there is not the same as here.
  const day = dayIn('Pacific/Kiritimati', at);
  const elsewhere = `&startDate=${day}&endDate=${day}&timeZone=Pacific/Niue`;
  expect(day === dayIn('Pacific/Niue', at) ? ['in'] : await directions(`${elsewhere}&direction=in`)).toEqual(
    day === dayIn('Pacific/Niue', at) ? ['in'] : [],
  );
  expect(await directions(`&startDate=${received.createdAt}&endDate=${received.createdAt}`)).toEqual(['in']);
});

test.each([
  ['startDate=yesterday', 'startDate'],
  ['startDate=2026-02-30', 'startDate'],
  ['endDate=13', 'endDate'],
  ['timeZone=Mars/Olympus', 'timeZone'],
  ['search=', 'search'],
  [`search=${'a'.repeat(256)}`, 'search'],
  ['search=%00', 'search'],
])('listWalletTransactions rejects %s', async (query, field) => {
  const answer = await till.api.call('GET', `/merchant/wallet/transactions?${query}`, {
    token: shop.secretKey,
  });
  expect([answer.status, answer.body.error?.code]).toEqual([400, 'VALIDATION_INVALID']);
  expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field]);
});

test('listWalletTransactions returns no transaction of another shop', async () => {
  const stranger = await Shop.open(till.api);
  for (const search of [received.txHash, paid.address, paid.id, refunded.id, STRANGER, '0.25']) {
    const path = `/merchant/wallet/transactions?search=${encodeURIComponent(search)}`;
    const { transactions } = await till.api.must<{ transactions: Entry[] }>('GET', path, {
      token: stranger.secretKey,
    });
    expect(transactions, search).toEqual([]);
  }
});
