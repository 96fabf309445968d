import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { CheckoutWorld } from '../../_helpers/web/checkout-world.ts';

interface Link {
  readonly id: string;
  readonly url: string;
}
type Payment = PaymentJson & {
  readonly createdAt: string;
  readonly orderId: string;
  readonly amount: string;
  readonly renews?: string;
  readonly customerId: string | null;
  readonly metadata: Record<string, string> | null;
};

let world: CheckoutWorld;
beforeAll(async () => {
  world = await CheckoutWorld.start();
});
afterAll(async () => world?.end());

const call = async <T>(method: string, path: string, body: object, of: Shop = world.shop): Promise<T> =>
  world.till.api.must<T>(method, path, { token: of.secretKey, body });
const read = async (id: string): Promise<Payment> => (await world.shop.payment(id)) as Payment;
const newLink = async (body: object): Promise<Link> =>
  call<Link>('POST', '/merchant/link/create', { name: 'Beans', ...body });
const change = async (link: Link, body: object): Promise<unknown> =>
  call('PATCH', '/merchant/link/edit', { paymentLinkId: link.id, ...body });
const setUp = async (fields: object): Promise<unknown> =>
  world.till.api.must('PATCH', '/merchant/edit', {
    token: world.shop.token,
    body: { merchantId: world.shop.merchantId, ...fields },
  });

async function post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const body = new URLSearchParams(fields);
  return fetch(world.till.api.baseUrl + path, { method: 'POST', redirect: 'manual', body, headers });
}

const idIn = (location: string | null): string =>
  /^\/checkout\/([^?]+)\?/.exec(location ?? '')?.[1] ?? 'none';

/** A payment that was started on a link's page. */
async function payBy(link: Link, fields: Record<string, string> = {}): Promise<Payment> {
  const answer = await post(`${new URL(link.url).pathname}?lang=en`, fields);
  return read(idIn(answer.headers.get('location')));
}

async function renew(id: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await post(`/checkout/${id}/renew?lang=en`, {}, headers);
  expect(answer.status).toBe(303);
  return idIn(answer.headers.get('location'));
}

/** What the page of a payment leads to: `form` asks for a new one, else the id of the one that is there, or `none`. */
async function offer(id: string): Promise<string> {
  const page = await (await fetch(`${world.till.api.baseUrl}/checkout/${id}?lang=en`)).text();
  if (page.includes(`action="/checkout/${id}/renew?`)) return 'form';
  return /class="button" href="\/checkout\/(pay_\w+)\?/.exec(page)?.[1] ?? 'none';
}

/** Neither offered, nor created when requested nevertheless. */
async function expectNoRenewal(id: string): Promise<void> {
  expect(await offer(id)).toBe('none');
  expect(await renew(id)).toBe(id);
}

const ofOrder = async (orderId: string): Promise<readonly Payment[]> => {
  const { payments } = await world.till.api.must<{ payments: Payment[] }>(
    'GET',
    `/payment/list?orderId=${encodeURIComponent(orderId)}&limit=100`,
    { token: world.shop.secretKey },
  );
  return payments;
};

describe('an expired payment of a payment link', () => {
  it('can be renewed for the same order, price, customer and answers, with new addresses', async () => {
    const fields = [
      { name: 'email', required: true },
      { name: 'note', required: true },
    ];
    const link = await newLink({ currency: 'EUR', openAmount: {}, fields });
    const old = await payBy(link, { amount: '12.50', note: 'For Ada', email: 'ada@example.com' });
    await expectNoRenewal(old.id);
    await world.runOut(old.id);
    expect(await offer(old.id)).toBe('form');
    const next = await read(await renew(old.id));
    expect(next).toMatchObject({
      status: 'pending',
      renews: old.id,
      orderId: old.orderId,
      amount: '12.50',
      customerId: old.customerId,
      metadata: { paymentLinkId: link.id, note: 'For Ada', email: 'ada@example.com' },
    });
    expect(old.customerId).not.toBeNull();
    expect(old.renews).toBeUndefined();
    expect(next.options['BTC']?.address).not.toBe(old.options['BTC']?.address);
    expect(await offer(old.id)).toBe(next.id);

    expect(await read(old.id)).toMatchObject({ renewedBy: next.id });
    // Asked again: the one that is open, and then the one that was paid. Never two.
    expect(await renew(old.id)).toBe(next.id);
    await world.simulate(next.id, 'exact', { coin: 'LTC', confirmations: 6 });
    expect(await renew(old.id)).toBe(next.id);
    expect(await ofOrder(old.orderId)).toHaveLength(2);
  });

  it('emits payment.created for the renewal, with a reference to the expired payment', async () => {
    const old = await payBy(await newLink({ currency: 'EUR', amount: '20' }));
    await world.runOut(old.id);
    const next = await renew(old.id);
    const { events } = await world.till.api.must<{
      events: { type: string; data: { payment?: Payment } }[];
    }>('GET', '/merchant/events?limit=100&after=0', { token: world.shop.secretKey });
    const told = events.filter(({ data }) => data.payment?.id === next);
    expect(told.map(({ type }) => type)).toEqual(['payment.created']);
    expect(told[0]?.data.payment).toMatchObject({ renews: old.id, orderId: old.orderId });
  });

  it('gets one renewal when several are requested concurrently', async () => {
    const old = await payBy(await newLink({ currency: 'EUR', amount: '20' }));
    await world.runOut(old.id);
    const made = await Promise.all(Array.from({ length: 12 }, async () => renew(old.id)));
    expect(new Set(made).size).toBe(1);
    expect(made[0]).not.toBe(old.id);
    expect(await ofOrder(old.orderId)).toHaveLength(2);
  });

  it('can be renewed again when the renewal expires too', async () => {
    const old = await payBy(await newLink({ currency: 'EUR', amount: '20' }));
    await world.runOut(old.id);
    const second = await renew(old.id);
    await world.runOut(second);
    expect(await renew(old.id)).toBe(second);
    const third = await renew(second);
    expect((await read(third)).renews).toBe(second);
    expect((await ofOrder(old.orderId)).filter(({ status }) => status === 'pending')).toHaveLength(1);
  });

  it('keeps its addresses: late money at them counts for the renewal, and no further renewal is offered', async () => {
    const old = await payBy(await newLink({ currency: 'EUR', amount: '20' }));
    await world.runOut(old.id);
    const next = await renew(old.id);
    await world.simulate(old.id, 'exact', { coin: 'BTC' });
    await eventually(
      'the late money is known',
      () => world.shop.payment(next),
      ({ exception }) => exception === 'late',
    );
    expect(await read(old.id)).toMatchObject({ status: 'cancelled', supersededBy: next, transactions: [] });
    expect((await read(next)).transactions).toMatchObject([{ paymentId: old.id }]);
    expect(await offer(old.id)).toBe(next);
    await expectNoRenewal(next);
    // The order has its money: the payer is not asked a third time.
    expect(await renew(old.id)).toBe(next);
    expect(await ofOrder(old.orderId)).toHaveLength(2);
  });

  it.each([
    ['en', 'This order continues on another payment'],
    ['de', 'Diese Bestellung läuft über eine andere Zahlung'],
    ['es', 'Este pedido continúa en otro pago'],
    ['fr', 'Cette commande se poursuit avec un autre paiement'],
    ['pt', 'Este pedido continua em outro pagamento'],
    ['it', 'Questo ordine prosegue con un altro pagamento'],
    ['nl', 'Deze bestelling gaat verder via een andere betaling'],
    ['pl', 'To zamówienie ma teraz inną płatność'],
    ['ar', 'يستمر هذا الطلب في دفعة أخرى'],
  ])('links to the payment that superseded it, without JavaScript, in %s', async (language, title) => {
    const old = await payBy(await newLink({ currency: 'EUR', amount: '20' }));
    await world.runOut(old.id);
    const next = await read(await renew(old.id));
    await world.simulate(next.id, 'underpay', { coin: 'LTC' });
    const page = await (await fetch(`${world.till.api.baseUrl}/checkout/${old.id}?lang=${language}`)).text();
    expect(page).toContain(title);
    expect(page).toContain(`class="button" href="/checkout/${next.id}?lang=${language}"`);
    for (const { address } of [...Object.values(old.options), ...Object.values(next.options)])
      expect(page).not.toContain(address);
    expect(
      await world.till.api.must('GET', `/payment/get?paymentId=${old.id}`, { token: world.shop.publicKey }),
    ).toMatchObject({
      supersededBy: next.id,
    });
  });

  it('cannot be renewed when the link is inactive, deleted, or has other terms', async () => {
    const link = await newLink({ currency: 'EUR', amount: '20' });
    const old = await payBy(link);
    await world.runOut(old.id);
    for (const terms of [
      { amount: '21', currency: 'EUR' },
      { amount: '20', currency: 'USD' },
      { active: false },
    ]) {
      expect(await offer(old.id)).toBe('form');
      await change(link, terms);
      await expectNoRenewal(old.id);
      await change(link, { amount: '20.00', currency: 'EUR', active: true });
    }
    await call('DELETE', '/merchant/link/delete', { paymentLinkId: link.id });
    await expectNoRenewal(old.id);
  });

  it('cannot be renewed when the catalog has another price or the product is not for sale', async () => {
    const product = await world.till.api.must<{ id: string }>('POST', '/merchant/product/create', {
      token: world.shop.token,
      body: { name: 'Beans' },
    });
    const price = await world.till.api.must<{ id: string }>('POST', '/merchant/price/create', {
      token: world.shop.token,
      body: { productId: product.id, amount: '8', currency: 'EUR' },
    });
    const edit = async (body: object): Promise<unknown> =>
      world.till.api.must('PATCH', '/merchant/price/edit', {
        token: world.shop.token,
        body: { priceId: price.id, ...body },
      });
    const old = await payBy(await newLink({ priceId: price.id }));
    await world.runOut(old.id);
    expect(await offer(old.id)).toBe('form');
    await edit({ active: false });
    await expectNoRenewal(old.id);
    await edit({ active: true });
    expect((await read(await renew(old.id))).amount).toBe(old.amount);
  });

  it('cannot be renewed by a form on another site, nor after a switch between live and sandbox', async () => {
    const old = await payBy(await newLink({ currency: 'EUR', amount: '20' }));
    await world.runOut(old.id);
    expect(await renew(old.id, { 'sec-fetch-site': 'cross-site' })).toBe(old.id);
    expect(await renew(old.id, { origin: 'https://elsewhere.example' })).toBe(old.id);
    expect(await renew(old.id, { origin: world.till.api.baseUrl })).not.toBe(old.id);
    expect((await post('/checkout/pay_none/renew')).status).toBe(404);
  });
});

async function expiredOrder(fields: Record<string, unknown> = {}): Promise<Payment> {
  const { id } = await world.pay(fields);
  await world.runOut(id);
  return read(id);
}

describe('the database table of payments', () => {
  it('stores at most one renewal per payment', async () => {
    const old = await payBy(await newLink({ currency: 'EUR', amount: '20' }));
    await world.runOut(old.id);
    const next = await renew(old.id);
    const other = await payBy(await newLink({ currency: 'EUR', amount: '21' }));
    const db = new Sqlite(join(world.till.dataDir, 'tilld.sqlite'));
    try {
      const update = db.prepare('UPDATE payments SET renews = ? WHERE id = ?');
      expect(() => update.run(old.id, other.id)).toThrow(/UNIQUE/);
      expect(db.prepare('SELECT link_id IS NOT NULL FROM payments WHERE id = ?').pluck().get(next)).toBe(1);
    } finally {
      db.close();
    }
  });
});

describe('an expired payment created by the shop', () => {
  it('cannot be renewed unless the shop allows it, even if its metadata names a payment link', async () => {
    const link = await newLink({ currency: 'EUR', openAmount: {} });
    const forged = { paymentLinkId: link.id, linkId: link.id, renews: 'pay_x' };
    const old = await expiredOrder({ metadata: forged, link_id: link.id });
    await expectNoRenewal(old.id);
    const byPublicKey = await world.till.api.must<PaymentJson>('POST', '/payment/create', {
      token: world.shop.publicKey,
      body: { amount: '5', currency: 'EUR', customer: {}, orderId: 'forged-1', metadata: forged },
    });
    expect(await read(byPublicKey.id)).not.toHaveProperty('renews');
    await world.runOut(byPublicKey.id);
    await expectNoRenewal(byPublicKey.id);
  });
});

describe('an expired payment of a shop that allows renewals', () => {
  beforeAll(async () => setUp({ renewExpired: true }));

  it('is renewed with its order id, line items and metadata', async () => {
    const lines = [{ name: 'Tea', quantity: 2, amount: '7.80' }];
    const old = await expiredOrder({
      lines,
      metadata: { cart: '7' },
      returnUrl: 'https://shop.example/cart',
    });
    expect(await offer(old.id)).toBe('form');
    const next = await read(await renew(old.id));
    expect(next).toMatchObject({
      renews: old.id,
      orderId: old.orderId,
      lines,
      metadata: { cart: '7' },
      returnUrl: 'https://shop.example/cart',
    });
  });

  it('is renewed with the lifetime that the shop set for it', async () => {
    const old = await expiredOrder({ lifetimeMinutes: 25 });
    const { createdAt, expiresAt } = await read(await renew(old.id));
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(25 * 60_000);
  });

  it('is renewed with the lifetime of its last update, not that of its creation', async () => {
    const { id } = await world.pay({ lifetimeMinutes: 25 });
    world.till.clock.advance(20 * 60_000);
    await call('PATCH', '/payment/update', { paymentId: id, amount: '48', lifetimeMinutes: 25 });
    await world.runOut(id);
    const { createdAt, expiresAt } = await read(await renew(id));
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(25 * 60_000);
  });

  it('cannot be renewed when its order has another open payment, or one that was cancelled, paid or underpaid', async () => {
    const old = await expiredOrder({ orderId: 'again-1' });
    expect(await offer(old.id)).toBe('form');
    const other = await world.pay({ orderId: 'again-1', amount: '60' });
    await expectNoRenewal(old.id);
    await world.cancel(other.id);
    await expectNoRenewal(old.id);
    await expectNoRenewal(other.id);
    const short = await world.pay();
    await world.simulate(short.id, 'underpay', { coin: 'LTC' });
    await world.runOut(short.id);
    await expectNoRenewal(short.id);
    const paid = await world.pay();
    await world.simulate(paid.id, 'exact', { coin: 'LTC', confirmations: 6 });
    await expectNoRenewal(paid.id);
    await world.refund(paid.id);
    await expectNoRenewal(paid.id);
  });

  it('is answered with its renewal when the shop sends the create request again', async () => {
    const order = { orderId: 'repeat-1', amount: '9', currency: 'EUR', customer: {} };
    const create = async () =>
      world.till.api.call<PaymentJson>('POST', '/payment/create', {
        token: world.shop.secretKey,
        body: order,
      });
    const old = (await create()).body.data;
    await world.runOut(old.id);
    const next = await renew(old.id);
    const again = await create();
    expect([again.status, again.body.data.id]).toEqual([200, next]);
  });

  // Last: the sessions of the test end with it.
  it('cannot be renewed after a week', async () => {
    const old = await expiredOrder();
    const next = await renew(old.id);
    const stale = await expiredOrder();
    world.till.clock.advance(7 * 86_400_000);
    await expectNoRenewal(stale.id);
    expect(await offer(old.id)).toBe(next);
  });
});
