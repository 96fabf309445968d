/** Receipts of payments as payers and bookkeepers read them: number, seller, refunds, PDF. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { refund } from '../refunds/refund-client.ts';

interface ReceiptJson {
  readonly url: string | null;
  readonly pdfUrl: string | null;
  readonly number: string | null;
  readonly issuedAt: string | null;
  readonly seller: object | null;
}
type Paid = PaymentJson & { readonly receipt: { readonly number: string; readonly issuedAt: string } | null };

const SELLER = {
  legalName: 'Kaffee <Blau> GmbH',
  addressLines: ['Hauptstraße 1', '10115 Berlin'],
  country: 'DE',
  taxNumber: 'DE123456789',
  email: 'office@kaffee.example',
};
/** Of the test network, as the sandbox expects. */
const PAYER = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
let till: Till;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start({ TILLD_RATES: 'fixed:BTC=100000,LTC=100,ETH=4000,SOL=200' });
  await till.ready();
  shop = await Shop.open(till.api, { settings: { business: SELLER, receiptPrefix: 'R-' } });
});
afterAll(async () => till?.end());

const edit = async (fields: object) =>
  till.api.call('PATCH', '/merchant/edit', {
    token: shop.token,
    body: { merchantId: shop.merchantId, ...fields },
  });

async function paid(fields: object = {}, scenario = 'exact'): Promise<Paid> {
  const { id } = await shop.createPayment({
    amount: '50',
    currency: 'USD',
    allowedCryptos: ['BTC'],
    ...fields,
  });
  await till.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: id, scenario, coin: 'BTC', confirmations: 3 },
  });
  return (await eventually(
    'the payment to be completed',
    async () => shop.payment(id),
    ({ status }) => status === 'completed',
  )) as Paid;
}

const read = async (paymentId: string) =>
  till.api.must<ReceiptJson>('GET', `/payment/receipt?paymentId=${paymentId}`, { token: shop.secretKey });

async function page(paymentId: string, lang = 'en'): Promise<string> {
  const response = await fetch(`${till.api.baseUrl}/checkout/${paymentId}/receipt?lang=${lang}`);
  return (await response.text()).replaceAll(/\s+/g, ' ');
}

describe('a receipt', () => {
  it('has the next number, the seller, the rate and its source, in the language of the payer', async () => {
    const payment = await paid();
    expect(payment.receipt?.number).toBe('TEST-R-1');
    const { url, pdfUrl, ...receipt } = await read(payment.id);
    expect(receipt).toMatchObject({ ...payment.receipt, seller: SELLER });
    expect([url, pdfUrl].map((address) => new URL(address ?? '').pathname)).toEqual([
      `/checkout/${payment.id}/receipt`,
      `/checkout/${payment.id}/receipt.pdf`,
    ]);
    const english = await page(payment.id);
    for (const text of [
      'TEST-R-1',
      'Kaffee &lt;Blau&gt; GmbH',
      '10115 Berlin',
      'Germany',
      'Tax number DE123456789',
      'office@kaffee.example',
      'Source of the rate: fixed',
    ])
      expect(english).toContain(text);
    const german = await page(payment.id, 'de');
    for (const text of ['Belegnummer', 'Deutschland', 'Quelle des Kurses: fixed'])
      expect(german).toContain(text);
  });

  it('keeps its seller and its number when the shop changes them, and over a restart', async () => {
    const before = await paid();
    await edit({ business: { ...SELLER, legalName: 'Kaffee Rot AG', taxNumber: null }, receiptPrefix: 'S/' });
    const after = await paid();
    expect([before.receipt?.number, after.receipt?.number]).toEqual(['TEST-R-2', 'TEST-S/3']);
    await till.down();
    await till.up();
    await till.ready();
    expect((await paid()).receipt?.number).toBe('TEST-S/4');
    expect((await read(before.id)).seller).toEqual(SELLER);
    expect(await page(before.id)).not.toContain('Kaffee Rot AG');
    expect(await page(after.id)).toContain('Kaffee Rot AG');
    await edit({ business: SELLER, receiptPrefix: 'R-' });
  });

  it('lists refunds with their value, and says that the payment was refunded', async () => {
    const { id, receipt } = await paid();
    expect(await page(id)).not.toContain('efunded');
    const { status } = await refund(shop, { paymentId: id, destination: PAYER, amount: '0.0001' });
    expect(status).toBeLessThan(300);
    const html = await eventually(
      'the refund on the receipt',
      async () => page(id),
      (text) => text.includes('Partly refunded'),
    );
    expect(html).toMatch(/Sent back to you.*0\.0001 BTC.*\$10\.00/);
    expect(((await shop.payment(id)) as Paid).receipt).toEqual(receipt);
  });

  it('is a PDF file, and redirects to the payment before it is completed', async () => {
    const { id, receipt } = await paid({ lines: [{ name: 'Coffee', quantity: 2, amount: '50' }] });
    const response = await fetch(`${till.api.baseUrl}/checkout/${id}/receipt.pdf?lang=de`);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="receipt-${receipt?.number}.pdf"`,
    );
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
    const open = await shop.createPayment({ amount: '50', currency: 'USD' });
    const early = await fetch(`${till.api.baseUrl}/checkout/${open.id}/receipt.pdf`, { redirect: 'manual' });
    expect([early.status, (await read(open.id)).number]).toEqual([303, null]);
  });

  it('limits the PDF files that one client address requests', async () => {
    const { id } = await paid();
    const statuses: number[] = [];
    for (let count = 0; count < 7; count += 1)
      statuses.push((await fetch(`${till.api.baseUrl}/checkout/${id}/receipt.pdf`)).status);
    expect(statuses).toContain(429);
  });

  it('is in the export of movements and in the month report', async () => {
    const { id, receipt } = await paid();
    const { lines } = await till.api.must<{ lines: { paymentId: string; receiptNumber: string | null }[] }>(
      'GET',
      '/payment/export',
      { token: shop.secretKey },
    );
    const line = lines.find(({ paymentId }) => paymentId === id);
    expect(line?.receiptNumber).toBe(receipt?.number);
    const month = receipt?.issuedAt.slice(0, 7);
    const { receipts } = await till.api.must<{
      receipts: {
        first: string;
        last: string;
        totals: { currency: string; count: number; fiatAmount: string }[];
      };
    }>('GET', `/payment/month-report?month=${month}&timeZone=UTC`, { token: shop.secretKey });
    expect(receipts.first).toBe('TEST-R-1');
    expect(receipts.last).toBe(receipt?.number);
    expect(receipts.totals.map(({ count, fiatAmount }) => Number(fiatAmount) / count)).toEqual([50]);
  });
});

describe('the settings of receipts', () => {
  it.each([
    [{ business: { ...SELLER, legalName: '' } }, 'business.legalName'],
    [{ business: { ...SELLER, addressLines: [] } }, 'business.addressLines'],
    [{ business: { ...SELLER, country: 'ZX' } }, 'business.country'],
    [{ business: { ...SELLER, email: 'nobody' } }, 'business.email'],
    [{ business: { ...SELLER, taxNumber: 'DE1\n2' } }, 'business.taxNumber'],
    [{ receiptPrefix: 'R1' }, 'receiptPrefix'],
    [{ receiptPrefix: 'R 1-' }, 'receiptPrefix'],
  ])('are refused with the name of the field: %j', async (fields, field) => {
    const { status, body } = await edit(fields);
    expect([status, body.error?.details?.[0]?.field]).toEqual([400, field]);
  });

  it('can be cleared', async () => {
    const { body } = await edit({ business: null, receiptPrefix: '' });
    expect((body.data as { merchant: object }).merchant).toMatchObject({ business: null, receiptPrefix: '' });
    expect((await read((await paid()).id)).seller).toBeNull();
  });
});
