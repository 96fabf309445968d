/** The figures of a month through the API: what a bookkeeper opens on the first of the next one. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

interface Report {
  readonly month: string;
  readonly timeZone: string;
  readonly isFinal: boolean;
  readonly totals: readonly { kind: string; coin: string; amount: string; fiatAmount: string | null }[];
  readonly balances: readonly Record<
    'coin' | 'opening' | 'incoming' | 'outgoing' | 'fees' | 'closing',
    string
  >[];
  readonly rates: readonly object[];
}

let till: Till;
let shop: Shop;
const thisMonth = new Date().toISOString().slice(0, 7);

beforeAll(async () => {
  till = await Till.start({ TILLD_RATES: 'fixed:BTC=100000,LTC=100,ETH=4000,SOL=200' });
  await till.ready();
  shop = await Shop.open(till.api);
  const { id } = await shop.createPayment({ amount: '5000', currency: 'USD', allowedCryptos: ['BTC'] });
  await till.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: id, scenario: 'exact', coin: 'BTC', confirmations: 3 },
  });
  await eventually(
    'the payment to be completed',
    () => shop.payment(id),
    ({ status }) => status === 'completed',
  );
});
afterAll(async () => till?.end());

const report = async (query: string) =>
  till.api.must<Report>('GET', `/payment/month-report${query}`, { token: shop.secretKey });

it('the month report contains totals, the balance of each coin and the rates with their sources', async () => {
  const { totals, balances, rates, isFinal, timeZone } = await report(`?month=${thisMonth}`);
  expect([isFinal, timeZone]).toEqual([false, 'UTC']);
  expect(totals).toEqual([
    {
      kind: 'payment',
      coin: 'BTC',
      currency: 'USD',
      count: 1,
      amount: '0.05',
      fiatAmount: '5000',
      unpricedAmount: '0',
    },
  ]);
  const wallet = await shop.balance('BTC');
  expect(balances.find(({ coin }) => coin === 'BTC')).toEqual({
    coin: 'BTC',
    opening: '0',
    incoming: wallet,
    outgoing: '0',
    fees: '0',
    closing: wallet,
  });
  expect(parseCoinAmount(wallet, 'BTC')).toBe(5_000_000n);
  expect(rates).toEqual([
    { coin: 'BTC', currency: 'USD', lowest: '100000', highest: '100000', sources: ['fixed'] },
  ]);
});

it('the month report covers the last complete month by default, in the time zone of the shop', async () => {
  await till.api.must('PATCH', '/merchant/edit', {
    token: shop.token,
    body: { merchantId: shop.merchantId, timeZone: 'Pacific/Auckland' },
  });
  const past = await report('');
  expect([past.isFinal, past.timeZone]).toEqual([true, 'Pacific/Auckland']);
  expect(past.month < thisMonth || past.month === thisMonth).toBe(true);
  expect(past.totals).toEqual([]);
});

it('the month report can be downloaded as one CSV table for spreadsheets', async () => {
  const response = await fetch(
    `${till.api.baseUrl}/payment/month-report?month=${thisMonth}&timeZone=UTC&format=csv`,
    {
      headers: { authorization: `Bearer ${shop.secretKey}` },
    },
  );
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="tilld-sandbox-month-${thisMonth}.csv"`,
  );
  const lines = (await response.text()).replace('\uFEFF', '').split('\r\n');
  expect(lines[0]).toBe(
    'section,kind,coin,currency,count,amount,fiatAmount,unpricedAmount,lowestRate,highestRate,rateSources,firstReceipt,lastReceipt,tips',
  );
  expect(lines).toContain('total,payment,BTC,USD,1,0.05,5000,0,,,,,,');
  expect(lines).toContain('balance,closing,BTC,,,0.05,,,,,,,,');
  expect(lines).toContain('receipt,,,USD,1,,5000,,,,,TEST-1,TEST-1,0');
  expect(lines).toContain('rate,,BTC,USD,,,,,100000,100000,fixed,,,');
});

const readPdf = async (language: string): Promise<Buffer> => {
  const query = `month=2026-01&timeZone=UTC&format=pdf&language=${language}`;
  const response = await fetch(`${till.api.baseUrl}/payment/month-report?${query}`, {
    headers: { authorization: `Bearer ${shop.secretKey}` },
  });
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('content-disposition')).toBe(
    'attachment; filename="tilld-sandbox-month-2026-01.pdf"',
  );
  return Buffer.from(await response.arrayBuffer());
};

it('the month report is a PDF in the chosen language, the same bytes for the same month', async () => {
  const [first, again, german] = [await readPdf('en'), await readPdf('en'), await readPdf('de')];
  expect(first.subarray(0, 5).toString()).toBe('%PDF-');
  expect(first.equals(again)).toBe(true);
  expect(first.equals(german)).toBe(false);
});

it.each([
  ['?month=2026-13', 'month'],
  ['?month=1969-12', 'month'],
  ['?month=9998-12', 'month'],
  ['?timeZone=Mars/Olympus', 'timeZone'],
  ['?format=xml', 'format'],
])('the month report rejects %s and names the field', async (query, field) => {
  const { status, body } = await till.api.call('GET', `/payment/month-report${query}`, {
    token: shop.secretKey,
  });
  expect([status, body.error?.code, body.error?.details?.[0]?.field]).toEqual([
    400,
    'VALIDATION_INVALID',
    field,
  ]);
});
