/** The books through the API: what a shop's accountant gets. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COINS, type Coin } from '../../../src/domain/coins.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import type { MovementView } from '../../../src/usecases/accounting/export-movements.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { putShopInMode } from '../../_helpers/shop-mode.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let shop: Shop;
let orderId: string;
let refunded: string;

beforeAll(async () => {
  till = await Till.start({ TILLD_RATES: 'fixed:BTC=100000,LTC=100,ETH=4000,SOL=200,USD/EUR=0.5' });
  await till.ready();
  shop = await Shop.open(till.api);
  const other = await Shop.open(till.api);
  orderId = '=HYPERLINK("http://evil.example")';
  await paid(
    await shop.createPayment({ orderId, amount: '5000', currency: 'EUR', allowedCryptos: ['BTC'] }),
    'BTC',
  );
  const second = await shop.createPayment({ amount: '100', currency: 'USD', allowedCryptos: ['LTC'] });
  await paid(second, 'LTC');
  refunded = second.id;
  await till.api.must('POST', '/payment/refund', {
    token: shop.secretKey,
    body: { paymentId: refunded, destination: other.wallets.LTC },
  });
  await shop.send({ coin: 'BTC', amount: '0.01', destination: other.wallets.BTC, note: '-rent, "May"' });
  await eventually(
    'everything to be in the books',
    () => lines(),
    (all) => ['refund', 'send'].every((kind) => all.some((line) => line.kind === kind)),
  );
});
afterAll(async () => till.end());

async function paid({ id }: { id: string }, coin: Coin): Promise<void> {
  await till.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: id, scenario: 'exact', coin, confirmations: 3 },
  });
  await eventually(
    'the payment to be completed',
    () => shop.payment(id),
    ({ status }) => status === 'completed',
  );
}

async function lines(query = '', token = shop.secretKey): Promise<MovementView[]> {
  const data = await till.api.must<{ lines: MovementView[] }>('GET', `/payment/export${query}`, { token });
  return data.lines;
}

async function file(query = ''): Promise<Response> {
  return fetch(`${till.api.baseUrl}/payment/export?format=csv${query}`, {
    headers: { authorization: `Bearer ${shop.secretKey}` },
  });
}

it('the accounting export contains a line for each movement of money, with its fiat value at that time', async () => {
  const all = await lines();
  expect(all.map(({ kind }) => kind).toSorted()).toEqual([
    'fee',
    'fee',
    'payment',
    'payment',
    'refund',
    'send',
  ]);
  const [first] = all;
  expect(first).toMatchObject({
    kind: 'payment',
    orderId,
    sendId: null,
    coin: 'BTC',
    amount: '0.1',
    currency: 'EUR',
    rate: '50000',
    fiatAmount: '5000',
    note: null,
  });
  const refund = all.find(({ kind }) => kind === 'refund');
  expect(refund).toMatchObject({ paymentId: refunded, coin: 'LTC', currency: 'USD', rate: '100' });
  expect(refund?.amount).toMatch(/^-0\.9/);
  expect(refund?.fiatAmount).toMatch(/^-99\./);
  const send = all.find(({ kind }) => kind === 'send');
  // Of no payment: in the currency of the shop's newest one.
  expect(send).toMatchObject({ paymentId: null, amount: '-0.01', currency: 'USD', fiatAmount: '-1000' });
  expect(all.filter(({ sendId }) => sendId === send?.sendId).map(({ kind }) => kind)).toEqual([
    'send',
    'fee',
  ]);
});

it('the accounting export adds up to the wallet balance', async () => {
  const balances = await till.api.must<Record<Coin, string>>('GET', '/merchant/wallet/balances', {
    token: shop.secretKey,
  });
  const all = await lines();
  for (const coin of COINS) {
    const own = all.filter((line) => line.coin === coin);
    const sum = own.reduce((total, { amount }) => total + atoms(amount, coin), 0n);
    expect([coin, sum]).toEqual([coin, parseCoinAmount(balances[coin], coin)]);
  }
});

function atoms(amount: string, coin: Coin): bigint {
  return amount.startsWith('-') ? -parseCoinAmount(amount.slice(1), coin) : parseCoinAmount(amount, coin);
}

it('the accounting export splits a range at any given time, and the parts add up to the whole', async () => {
  const all = await lines();
  const at = all[3]?.at ?? '';
  const before = await lines(`?to=${at}`);
  const after = await lines(`?from=${at}`);
  expect([...before, ...after]).toEqual(all);
  expect(after[0]?.at).toBe(at);
  expect(before.every((line) => line.at < at)).toBe(true);
  const today = at.slice(0, 10);
  const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10);
  expect(await lines(`?from=${tomorrow}`)).toEqual([]);
  expect(await lines(`?to=${today}`)).toEqual([]);
});

it('the accounting export uses the time zone for times and days', async () => {
  const [utc] = await lines();
  const [far] = await lines('?timeZone=Pacific/Kiritimati');
  expect(far?.at).toMatch(/\+14:00$/);
  expect(Date.parse(far?.at ?? '')).toBe(Date.parse(utc?.at ?? ''));
  const day = far?.at.slice(0, 10) ?? '';
  expect((await lines(`?timeZone=Pacific/Kiritimati&from=${day}`)).length).toBeGreaterThan(0);
  expect(await lines(`?timeZone=Pacific/Kiritimati&to=${day}`)).toEqual([]);
});

it.each([
  ['?timeZone=Mars/Olympus', 'timeZone'],
  ['?from=yesterday', 'from'],
  ['?to=2026-02-30', 'to'],
  ['?from=2026-02-01&to=2026-02-01', 'to'],
  ['?from=2026-02-02&to=2026-02-01', 'to'],
  ['?from=2026-02-01T12:00:00', 'from'],
  ['?format=xml', 'format'],
])(
  'the accounting export rejects %s with the usual error format, also when a file was requested',
  async (query, field) => {
    for (const more of ['', '&format=csv']) {
      if (field === 'format' && more !== '') continue;
      const { status, body } = await till.api.call('GET', `/payment/export${query}${more}`, {
        token: shop.secretKey,
      });
      expect([status, body.error?.code, body.error?.details?.[0]?.field]).toEqual([
        400,
        'VALIDATION_INVALID',
        field,
      ]);
    }
  },
);

it('the accounting export as a file can be opened in spreadsheets without running formulas', async () => {
  const response = await file('&from=2026-01-01&to=2100-01-01&timeZone=Europe/Berlin');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(response.headers.get('content-disposition')).toBe(
    'attachment; filename="tilld-sandbox-movements-2026-01-01-2100-01-01.csv"',
  );
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  const [head, first, ...rest] = bytes.subarray(3).toString('utf8').split('\r\n');
  expect(head).toBe(
    'at,kind,paymentId,orderId,sendId,coin,amount,currency,rate,fiatAmount,txHash,address,note,orderLabel,paymentNote,receiptNumber,tip',
  );
  expect(first).toContain(`,"'=HYPERLINK(""http://evil.example"")",,BTC,0.1,EUR,50000,5000,`);
  const send = rest.find((line) => line.includes(',send,'));
  expect(send).toContain(',BTC,-0.01,USD,100000,-1000,');
  expect(send).toMatch(/,"'-rent, ""May""",,,,$/);
  expect(rest.at(-1)).toBe('');
  expect(rest.length).toBe((await lines()).length);
});

it('the accounting export is private to the account, and separates live from sandbox', async () => {
  const stranger = await Shop.open(till.api);
  const all = await lines('', stranger.secretKey);
  const own = new Set((await lines()).map(({ txHash, kind }) => `${txHash} ${kind}`));
  expect(all.filter(({ txHash, kind }) => own.has(`${txHash} ${kind}`))).toEqual([]);
  const foreign = await till.api.call('GET', `/payment/export?merchantId=${shop.merchantId}`, {
    token: stranger.token,
  });
  expect([foreign.status, foreign.body.error?.code]).toEqual([404, 'MERCHANT_NOT_FOUND']);
  const withPublicKey = await till.api.call('GET', '/payment/export', { token: shop.publicKey });
  expect(withPublicKey.status).toBe(401);
  const before = (await lines()).length;
  putShopInMode(till, shop.merchantId, 'live');
  expect(await lines()).toEqual([]);
  putShopInMode(till, shop.merchantId, 'sandbox');
  expect((await lines()).length).toBe(before);
});
