/** The addresses at which a payer goes back to the shop, from the request that names them to the page that leads there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type ApiAnswer, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

type Payment = PaymentJson & { readonly successUrl: string | null; readonly returnUrl: string | null };

const ORDER = 'https://shop.example/order/{orderId}?p={paymentId}&s={status}';
const CART = 'https://shop.example/cart';

let till: Till;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' });
  await till.ready();
  shop = await Shop.open(till.api);
});
afterAll(async () => till.end());

const call = async <T = Payment>(method: string, path: string, body: object): Promise<ApiAnswer<T>> =>
  till.api.call<T>(method, path, { token: shop.secretKey, body });

const create = async (fields: object) => (await shop.createPayment({ ...fields })) as Payment;

const simulate = async (paymentId: string, scenario: string): Promise<unknown> =>
  till.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId, scenario, coin: 'BTC' },
  });

/** Where the page leads back to, and what it calls that. */
async function backLink(id: string): Promise<[href: string, text: string] | null> {
  const page = await (await fetch(`${till.api.baseUrl}/checkout/${id}?lang=en`)).text();
  const [, href = '', text = ''] =
    /<a class="[^"]*" href="(http[^"]*)">\s*(Back to [^<]*)<\/a\s*>/.exec(page) ?? [];
  return href === '' ? null : [href.replaceAll('&amp;', '&'), text];
}

interface StateJson {
  readonly status: string;
  readonly redirect: string | null;
}

const state = async (id: string): Promise<StateJson> =>
  (await fetch(`${till.api.baseUrl}/checkout/${id}/state?lang=en`)).json() as Promise<StateJson>;

const filled = ({ id, orderId }: PaymentJson, status: string): string =>
  `https://shop.example/order/${encodeURIComponent(orderId)}?p=${id}&s=${status}`;

describe('placeholders in successUrl and returnUrl', () => {
  it('are stored and returned unchanged, and filled in on the checkout page and in its status response', async () => {
    const payment = await create({ orderId: 'Ä/1 & "2"', successUrl: ORDER, returnUrl: ORDER });
    expect(payment).toMatchObject({ successUrl: ORDER, returnUrl: ORDER });
    expect(await shop.payment(payment.id)).toMatchObject({ successUrl: ORDER, returnUrl: ORDER });
    expect(await backLink(payment.id)).toEqual([filled(payment, 'pending'), 'Back to the shop']);
    await simulate(payment.id, 'exact');
    expect(await backLink(payment.id)).toEqual([filled(payment, 'confirming'), 'Back to your order']);
    expect((await state(payment.id)).redirect).toBeNull();
    await simulate(payment.id, 'confirm');
    const completed = await eventually(
      'completed',
      async () => state(payment.id),
      ({ status }) => status === 'completed',
    );
    expect(completed.redirect).toBe(filled(payment, 'completed'));
    expect(await backLink(payment.id)).toEqual([filled(payment, 'completed'), 'Back to your order']);
  });

  it.each([
    ['successUrl', 'https://shop.example/?o={order}'],
    ['returnUrl', 'https://shop.example/?o={orderid}'],
    ['successUrl', 'https://{orderId}.example/'],
    ['returnUrl', 'https://shop.example:{orderId}/'],
    ['returnUrl', '{orderId}://shop.example/'],
    ['successUrl', 'javascript:alert("{orderId}")'],
  ])('are rejected in %s when they are %s', async (field, url) => {
    const body = { amount: '1', currency: 'USD', customer: {}, orderId: 'refused', [field]: url };
    const made = await call('POST', '/payment/create', body);
    expect([made.status, made.body.error?.details?.[0]?.field]).toEqual([400, field]);
    const { id } = await create({});
    const updated = await call('PATCH', '/payment/update', { paymentId: id, [field]: url });
    expect([updated.status, updated.body.error?.details?.[0]?.field]).toEqual([400, field]);
    if (field !== 'successUrl') return;
    const link = await call('POST', '/merchant/link/create', {
      name: 'Tea',
      amount: '5',
      currency: 'USD',
      successUrl: url,
    });
    expect([link.status, link.body.error?.details?.[0]?.field]).toEqual([400, 'successUrl']);
  });

  it('are rejected when the order id would shorten the path or make the URL too long', async () => {
    const body = {
      amount: '1',
      currency: 'USD',
      customer: {},
      successUrl: 'https://shop.example/{orderId}/done',
    };
    for (const [orderId, url] of [
      ['..', body.successUrl],
      ['é'.repeat(255), `https://shop.example/?${'{orderId}'.repeat(3)}`],
    ]) {
      const { status, body: answer } = await call('POST', '/payment/create', {
        ...body,
        orderId,
        successUrl: url,
      });
      expect([status, answer.error?.details?.[0]?.field]).toEqual([400, 'successUrl']);
    }
    const { id } = await create({ orderId: '.' });
    const { status } = await call('PATCH', '/payment/update', { paymentId: id, returnUrl: body.successUrl });
    expect(status).toBe(400);
  });

  it('are filled in for the payments of a payment link', async () => {
    const link = await till.api.must<{ url: string }>('POST', '/merchant/link/create', {
      token: shop.secretKey,
      body: { name: 'Tea', amount: '5', currency: 'USD', successUrl: ORDER },
    });
    const pay = await fetch(`${till.api.baseUrl}${new URL(link.url).pathname}?lang=en`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(),
    });
    const id = /\/checkout\/([^?]+)/.exec(pay.headers.get('location') ?? '')?.[1] ?? '';
    await simulate(id, 'exact');
    await simulate(id, 'confirm');
    const { redirect } = await eventually(
      'completed',
      async () => state(id),
      ({ status }) => status === 'completed',
    );
    expect(redirect).toBe(filled(await shop.payment(id), 'completed'));
  });
});

describe('the return link on the checkout of a payment with money', () => {
  it.each([
    ['seen', 'exact', 'confirming'],
    ['short', 'underpay', 'underpaid'],
  ])(
    'leads neither to the cart nor to the success page when the payment was %s',
    async (_, scenario, status) => {
      const { id } = await create({ successUrl: 'https://shop.example/thanks', returnUrl: CART });
      expect(await backLink(id)).toEqual([CART, 'Back to the shop']);
      await simulate(id, scenario);
      expect((await shop.payment(id)).status).toBe(status);
      expect(await backLink(id)).toBeNull();
    },
  );

  it('does not lead to the cart when the money arrived after a cancellation', async () => {
    const { id } = await create({ successUrl: 'https://shop.example/thanks', returnUrl: CART });
    await call('POST', '/payment/cancel', { paymentId: id });
    expect((await state(id)).redirect).toBe(CART);
    await simulate(id, 'underpay');
    await eventually(
      'late',
      async () => shop.payment(id),
      ({ exception }) => exception === 'late',
    );
    expect((await state(id)).redirect).toBeNull();
    expect(await backLink(id)).toBeNull();
  });
});
