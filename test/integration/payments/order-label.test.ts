/** What people call an order: shown to payers in place of its id, which stays unique. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { safeOrderName } from '../../../src/usecases/mail/safe-order-name.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

type Labelled = PaymentJson & { readonly orderLabel: string | null };

let till: Till;
let sink: WebhookSink;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start();
  sink = await WebhookSink.start();
  await till.ready();
  shop = await Shop.open(till.api, { webhookUrl: sink.url, settings: { renewExpired: true } });
});
afterAll(async () => {
  await till.end();
  await sink.close();
});

const create = async (fields: object) => (await shop.createPayment({ ...fields })) as Labelled;

const page = async (path: string): Promise<string> => (await fetch(`${till.api.baseUrl}${path}`)).text();

const call = async <T = Labelled>(method: string, path: string, body?: object) =>
  till.api.call<T>(method, path, { token: shop.secretKey, ...(body === undefined ? {} : { body }) });

describe('the label of an order (shown to payers instead of the order id)', () => {
  it('appears on checkout and receipt', async () => {
    const { id, orderId } = await create({ orderId: '19-4afd70c6ac4ea006', orderLabel: ' Nr. <19> ' });
    expect(await page(`/checkout/${id}`)).toContain('Order Nr. &lt;19&gt;');
    expect(await page(`/checkout/${id}`)).not.toContain(orderId);
    await call('POST', '/sandbox/payment/simulate', { paymentId: id, scenario: 'exact', coin: 'BTC' });
    await sink.waitForEvent('payment.completed', id);
    const receipt = await page(`/checkout/${id}/receipt`);
    expect(receipt).toContain('<dd><bdi>Nr. &lt;19&gt;</bdi></dd>');
    expect(receipt).not.toContain(orderId);
  });

  it('appears on the page of a refund link', async () => {
    const { id, orderId } = await create({ orderLabel: 'N-20' });
    await call('POST', '/sandbox/payment/simulate', { paymentId: id, scenario: 'exact', coin: 'BTC' });
    await sink.waitForEvent('payment.completed', id);
    const { body } = await call<{ url: string }>('POST', '/payment/refund-link', {
      paymentId: id,
      preset: 'all',
    });
    const refund = await page(new URL(body.data.url).pathname);
    expect(refund).toContain('Order N-20');
    expect(refund).not.toContain(orderId);
  });

  it('is returned in every view and event of a payment, and null by default', async () => {
    const labelled = await create({ orderLabel: 'N-21' });
    expect(labelled.orderLabel).toBe('N-21');
    expect(await shop.payment(labelled.id)).toMatchObject({ orderLabel: 'N-21', orderId: labelled.orderId });
    const { body } = await sink.waitForEvent('payment.created', labelled.id);
    expect(body).toMatchObject({ data: { payment: { orderLabel: 'N-21' } } });
    expect((await create({})).orderLabel).toBeNull();
  });

  it('can be edited, and removed with an empty text', async () => {
    const { id } = await create({ orderLabel: 'N-22' });
    const changed = await call('PATCH', '/payment/update', { paymentId: id, orderLabel: 'N-23' });
    expect(changed.body.data.orderLabel).toBe('N-23');
    const kept = await call('PATCH', '/payment/update', { paymentId: id, amount: '70' });
    expect(kept.body.data.orderLabel).toBe('N-23');
    const removed = await call('PATCH', '/payment/update', { paymentId: id, orderLabel: '' });
    expect(removed.body.data.orderLabel).toBeNull();
  });

  it('need not be unique: two orders with one label are two payments', async () => {
    const [one, two] = [await create({ orderLabel: 'Tea' }), await create({ orderLabel: 'Tea' })];
    expect(one.id).not.toBe(two.id);
  });

  it.each([
    ['empty', ''],
    ['blank', '  '],
    ['longer than 100 characters', 'x'.repeat(101)],
    ['a line break', 'Order\n19'],
    ['a character that reverses the text direction', 'Order \u202e91'],
    ['an invisible character', 'Order 19\u{e0031}'],
    ['only invisible characters', '\u2800'],
    ['a filler', '\u3164'],
  ])('is rejected when it is %s', async (_, orderLabel) => {
    const { status, body } = await till.api.call('POST', '/payment/create', {
      token: shop.publicKey,
      body: { amount: '1', currency: 'USD', customer: {}, orderId: 'refused', orderLabel },
    });
    expect([status, body.error?.details?.[0]?.field]).toEqual([400, 'orderLabel']);
  });

  it.each(['عدد ۱۹', 'می\u200cخواهم 19', '👩\u200d🍳 19', '❤\ufe0f 19'])(
    'is accepted with the characters %s',
    async (orderLabel) => {
      expect(await create({ orderLabel })).toMatchObject({ orderLabel });
    },
  );

  it('finds its payment in a search by any part of the label', async () => {
    const { id } = await create({ orderLabel: 'Spring-Sale 77' });
    const { body } = await call<{ payments: { id: string }[] }>('GET', '/payment/list?search=spring-sale');
    expect(body.data.payments.map((payment) => payment.id)).toEqual([id]);
  });

  it('finds the transactions of its payment in the wallet when searched completely', async () => {
    const { id } = await create({ orderLabel: 'Wallet 78' });
    await call('POST', '/sandbox/payment/simulate', { paymentId: id, scenario: 'exact', coin: 'BTC' });
    await sink.waitForEvent('payment.completed', id);
    const { body } = await call<{ transactions: { paymentId: string }[] }>(
      'GET',
      `/merchant/wallet/transactions?search=${encodeURIComponent('Wallet 78')}`,
    );
    expect(body.data.transactions.map(({ paymentId }) => paymentId)).toEqual([id]);
  });

  it('is a column of the accounting export, before the note on the payment', async () => {
    const { id } = await create({ orderLabel: 'Books 79' });
    await call('POST', '/sandbox/payment/simulate', { paymentId: id, scenario: 'exact', coin: 'BTC' });
    await sink.waitForEvent('payment.completed', id);
    const csv = await (
      await fetch(`${till.api.baseUrl}/payment/export?format=csv`, {
        headers: { authorization: `Bearer ${shop.secretKey}` },
      })
    ).text();
    const lines = csv.trim().split('\r\n');
    expect(lines[0]?.endsWith(',note,orderLabel,paymentNote,receiptNumber,tip')).toBe(true);
    expect(lines.find((line) => line.includes(id))).toMatch(/,Books 79,,TEST-\d+,$/);
  });

  it('is copied to the payment that renews an expired one', async () => {
    const { id } = await create({ orderLabel: 'N-80', lifetimeMinutes: 5 });
    till.clock.advance(2 * 3_600_000);
    await sink.waitForEvent('payment.expired', id);
    const renewed = await fetch(`${till.api.baseUrl}/checkout/${id}/renew`, {
      method: 'POST',
      redirect: 'manual',
      headers: { accept: 'text/html' },
    });
    const path = renewed.headers.get('location') ?? '';
    expect(path).not.toContain(id);
    expect(await page(path)).toContain('Order N-80');
  });
});

describe('safeOrderName', () => {
  it('returns the order label when it is plain text, and otherwise an order id in plain text', () => {
    const orderId = '19-4afd';
    expect(safeOrderName({ orderId, orderLabel: '#19' }, 'pay_1')).toBe('#19');
    expect(safeOrderName({ orderId, orderLabel: 'win at http://evil.example' }, 'pay_1')).toBe(orderId);
    expect(safeOrderName({ orderId: 'evil.example', orderLabel: null }, 'pay_1')).toBe('pay_1');
  });
});
