import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../../_helpers/web/browser.ts';
import { Forwarder, type Answer } from '../_helpers/forwarder.ts';
import { Owner } from '../_helpers/owner.ts';
import { ShopProxy } from '../_helpers/proxies.ts';
import { MedusaShop } from './driver.ts';

/** What only Medusa has; the life of orders is in medusa.test.ts. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: MedusaShop;
let toShop: ShopProxy;
let tilldFails = false;
let erasureFails = false;
let erasuresAsked = 0;
/** The next answer about a payment. */
let before: Answer | null = null;

beforeAll(async () => {
  owner = stack.use(await Owner.start());
  toShop = stack.use(await ShopProxy.start());
  const failed = { status: 500, headers: {}, body: Buffer.from('out of memory') };
  const toTilld = stack.use(
    await Forwarder.start(owner.till.api.baseUrl, async ({ path }, forward) => {
      if (path.startsWith('/merchant/customer/erase')) erasuresAsked += 1;
      if (erasureFails && path.startsWith('/merchant/customer/erase')) return failed;
      if (!path.startsWith('/payment/get')) return forward();
      if (tilldFails) return failed;
      const given = before;
      before = null;
      return given ?? forward();
    }),
  );
  const port = await freePort();
  toShop.port = port;
  shop = stack.use(await MedusaShop.open({ tilldUrl: toTilld.url, publicUrl: toShop.url, port }));
  await shop.connect((address) => owner.agree(address));
}, 600_000);
afterAll(() => stack.disposeAsync());

async function reaches(cartId: string, wanted: string): Promise<void> {
  await eventually(
    `the order is ${wanted}`,
    () => shop.state(cartId),
    (state) => state === wanted,
    60_000,
  );
}

async function paidOrder() {
  const order = await shop.order();
  await owner.payFinally(order.paymentId);
  await reaches(order.orderId, 'paid');
  return order;
}

it('the Medusa plugin rejects a webhook without a valid signature', async () => {
  const body = JSON.stringify({ type: 'payment.completed', data: { payment: { id: 'pay_made_up' } } });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': 'v1,AAAA',
  };
  const answer = await fetch(`${shop.url}/hooks/tilld`, { method: 'POST', body, headers });
  expect(answer.status).toBe(400);
});

it('the Medusa plugin accepts a connection only with the state of its own request', async () => {
  const answer = await fetch(`${shop.url}/tilld/connected?code=abc&state=guessed`);
  expect(answer.status).toBe(400);
  expect((await shop.health()).key).toBe(true);
});

it('the Medusa plugin shows its page, health and notes only to the shopkeeper', async () => {
  for (const path of ['', '/health', '/payments']) {
    expect((await fetch(`${shop.url}/admin/tilld${path}`)).status).toBe(401);
  }
  const german = await shop.page('/admin/tilld?lang=de');
  expect(german).toContain('<html lang="de">');
  expect(german).toContain('Neu verbinden');
  expect(german).not.toMatch(/rk_|whsec_/);
});

it('the Medusa plugin refuses to cancel an order with a seen payment, with the reason', async () => {
  const { orderId, paymentId } = await shop.order();
  await owner.pay(paymentId);
  await reaches(orderId, 'seen');
  const { orderId: placed } = await shop.payment(orderId);
  await expect(shop.admin('POST', `/admin/orders/${placed}/cancel`, {})).rejects.toThrow('Money came');
  expect(await shop.state(orderId)).toBe('seen');
  expect((await shop.notes(orderId)).join('\n')).toContain('not cancelled');
  await owner.mine(paymentId);
  await reaches(orderId, 'paid');
});

it('the Medusa plugin allows to cancel an order whose payment was reversed, and that payment cannot be paid any more', async () => {
  const { orderId, paymentId } = await shop.order();
  await owner.pay(paymentId);
  await reaches(orderId, 'seen');
  await owner.takeBack(paymentId);
  await reaches(orderId, 'waiting');
  await shop.cancel(orderId);
  expect(await shop.state(orderId)).toBe('cancelled');
  expect((await owner.payment(paymentId)).status).toBe('cancelled');
});

it('the Medusa plugin records the payment of an order once, also when all plugin data is lost', async () => {
  const { orderId } = await paidOrder();
  await shop.forget();
  await shop.reconcile();
  await reaches(orderId, 'paid');
  const { orderId: placed } = await shop.payment(orderId);
  const { order } = await shop.admin<{ order: { total: number; summary: { paid_total: number } } }>(
    'GET',
    `/admin/orders/${placed}`,
  );
  expect(order.summary.paid_total).toBe(order.total);
});

it('the Medusa plugin reports a cancelled refund link, creates a new one, and shows neither to storefronts', async () => {
  const { orderId, paymentId } = await paidOrder();
  const { linkUrl } = await shop.refund(orderId);
  const { orderId: placed } = await shop.payment(orderId);
  const fields = '*payment_collections.payments,*payment_collections.payments.refunds,metadata';
  await shop.reconcile();
  const whole = await shop.admin<object>('GET', `/admin/orders/${placed}?fields=${fields}`);
  expect(JSON.stringify(whole)).not.toContain(new URL(linkUrl).pathname);
  await owner.cancelRefund(paymentId);
  await shop.reconcile();
  const [cancelled] = (await shop.payment(orderId)).refunds;
  expect(cancelled?.status).toBe('cancelled');
  expect((await shop.notes(orderId)).join('\n')).toContain('nothing was paid');
  await shop.admin('POST', `/admin/tilld/refunds/${cancelled?.id}/renew`, {});
  const [renewed] = (await shop.payment(orderId)).refunds;
  expect(renewed?.status).toBe('open');
  expect(renewed?.url).not.toBe(linkUrl);
  await owner.claimAndApprove(renewed?.url ?? '', paymentId);
  await eventually('the refund is settled', () => shop.refundSettled(orderId), Boolean, 60_000);
});

it('the Medusa plugin processes events again whose payment tilld could not return', async () => {
  const { orderId, paymentId } = await shop.order();
  toShop.weather = 'lose';
  tilldFails = true;
  try {
    await owner.payFinally(paymentId);
    await expect(shop.reconcile()).rejects.toThrow();
    tilldFails = false;
    await shop.reconcile();
    expect(await shop.state(orderId)).toBe('paid');
  } finally {
    tilldFails = false;
    toShop.weather = 'pass';
  }
});

it('the Medusa plugin updates or replaces the payment of a session whose price changes, and leaves a payment with money unchanged', async () => {
  const { orderId, paymentId } = await shop.order();
  expect(await shop.changePrice(orderId, 31)).toBe(paymentId);
  expect((await owner.payment(paymentId)).amount).toBe('31.00');
  await owner.cancel(paymentId);
  const second = await shop.changePrice(orderId, 32);
  expect(second).not.toBe(paymentId);
  expect((await owner.payment(second)).amount).toBe('32.00');
  toShop.weather = 'lose';
  try {
    await owner.pay(second);
    await expect(shop.changePrice(orderId, 33)).rejects.toThrow('Money came');
    expect((await owner.payment(second)).amount).toBe('32.00');
  } finally {
    toShop.weather = 'pass';
  }
});

it('the Medusa plugin rejects a payment with another price than its session', async () => {
  const { orderId, paymentId } = await shop.order();
  await owner.changePrice(paymentId, '1.00');
  await owner.payFinally(paymentId);
  await shop.reconcile();
  expect(await shop.notes(orderId)).toEqual(
    expect.arrayContaining([expect.stringContaining('not taken as paid')]),
  );
  expect((await shop.notes(orderId)).join('\n')).not.toContain('Paid, and final');
  expect(await shop.payment(orderId)).toMatchObject({ captured: false, state: 'short' });
});

/** The first payment is cancelled, the customer goes on to the second one, and money comes for the first. */
async function payEarlier(quantity: number, next: number) {
  const { orderId, paymentId: earlier } = await shop.order({ quantity });
  await owner.cancel(earlier);
  const { paymentId: later } = await shop.changeCart(orderId, next);
  toShop.weather = 'lose';
  await owner.payFinally(earlier);
  return { cartId: orderId, earlier, later };
}

describe('money that was paid to an earlier payment of a Medusa cart', () => {
  afterEach(() => {
    toShop.weather = 'pass';
  });

  it('places the order when concurrent requests created several payment sessions', async () => {
    const { cartId, later } = await payEarlier(1, 1);
    await shop.addSession(cartId);
    await shop.addSession(cartId);
    expect(await shop.sessions(cartId)).toHaveLength(3);
    await shop.reconcile();
    expect(await shop.state(cartId)).toBe('paid');
    expect(await shop.sessions(cartId)).toHaveLength(1);
    expect((await owner.payment(later)).status).toBe('cancelled');
  });

  it('does not place the order when the cart became more expensive, and does once the cart is changed back', async () => {
    const { cartId, earlier, later } = await payEarlier(1, 2);
    await shop.reconcile();
    expect(await shop.state(cartId)).toBe('short');
    expect((await owner.payment(later)).status).toBe('cancelled');
    expect((await shop.notes(cartId)).join('\n')).toContain('not taken as paid');
    expect(await shop.payment(cartId)).toMatchObject({ id: earlier, orderId: null, captured: false });
    await expect(shop.payAgain(cartId)).rejects.toThrow('no second payment is made');
    expect((await shop.changeCart(cartId, 1)).paymentId).toBe(earlier);
    await shop.reconcile();
    expect(await shop.state(cartId)).toBe('paid');
  });

  it('places the order when the cart became cheaper, with a reported excess, whose refund does not refund the order', async () => {
    const { cartId, earlier, later } = await payEarlier(2, 1);
    await shop.reconcile();
    expect(await shop.state(cartId)).toBe('paid');
    expect((await owner.payment(later)).status).toBe('cancelled');
    expect((await shop.notes(cartId)).join('\n')).toMatch(/more than asked.*asked was 25 USD/);
    await owner.refund(earlier, '20.00', 'USD');
    await owner.mine(earlier);
    expect(Number((await owner.payment(earlier)).keptFiat)).toBe(25);
    await shop.reconcile();
    expect((await shop.payment(cartId)).refunds).toEqual([]);
    expect(await shop.state(cartId)).toBe('paid');
  });

  it('is recorded for a placed order whose payment session no longer exists', async () => {
    const { orderId, paymentId } = await shop.order();
    await owner.pay(paymentId);
    await reaches(orderId, 'seen');
    await shop.loseSessions(orderId);
    await owner.mine(paymentId);
    await reaches(orderId, 'paid');
    expect((await shop.notes(orderId)).join('\n')).not.toContain('Give the money back');
    expect(await shop.sessions(orderId)).toHaveLength(1);
  });

  it('does not place the order when the session has a lower amount than the cart', async () => {
    const { orderId } = await shop.order({ quantity: 2 });
    const paymentId = await shop.changePrice(orderId, 25);
    await owner.payFinally(paymentId);
    await reaches(orderId, 'short');
    expect((await shop.notes(orderId)).join('\n')).toContain('not taken as paid');
    expect(await shop.payment(orderId)).toMatchObject({ orderId: null, captured: false });
  });

  it('is captured in full when Medusa requests more than the order costs', async () => {
    const { orderId, paymentId } = await shop.order();
    await owner.pay(paymentId);
    await reaches(orderId, 'seen');
    await shop.raiseCollection(orderId, 45);
    await owner.mine(paymentId);
    await reaches(orderId, 'paid');
  });

  it('creates no second session for an order whose payment is recorded', async () => {
    const { orderId, paymentId } = await paidOrder();
    await expect(shop.addSession(orderId)).rejects.toThrow('no second payment is made');
    await expect(shop.payAgain(orderId)).rejects.toThrow();
    expect((await shop.sessions(orderId)).map(({ data }) => data.payment_id)).toEqual([paymentId]);
    expect(await shop.state(orderId)).toBe('paid');
  });
});

it('the Medusa plugin does not report money as reversed that becomes final while the order is placed', async () => {
  const { orderId, paymentId } = await shop.order();
  toShop.weather = 'lose';
  try {
    await owner.pay(paymentId);
    const data = await owner.payment(paymentId);
    const body = Buffer.from(JSON.stringify({ success: true, error: null, data }));
    await owner.mine(paymentId);
    before = { status: 200, headers: { 'content-type': 'application/json' }, body };
    await shop.reconcile();
    expect(await shop.state(orderId)).toBe('paid');
    expect((await shop.notes(orderId)).join('\n')).not.toContain('without money');
  } finally {
    toShop.weather = 'pass';
  }
});

it('the Medusa plugin shows the line items of the order on the checkout', async () => {
  const { paymentId } = await shop.order({ quantity: 2 });
  expect(await owner.payment(paymentId)).toMatchObject({
    amount: '45.00',
    lines: [{ name: 'Mug', quantity: 2, amount: '40.00' }],
  });
});

it('the Medusa plugin allows only administrators to read its data or cancel an order', async () => {
  const { orderId, paymentId } = await shop.order({ email: 'payer@example.com' });
  await owner.pay(paymentId);
  await reaches(orderId, 'seen');
  const placed = (await shop.payment(orderId)).orderId ?? '';
  const routes = [
    ['GET', '/admin/tilld'],
    ['POST', '/admin/tilld/connect'],
    ['GET', '/admin/tilld/health'],
    ['GET', '/admin/tilld/payments'],
    ['POST', '/admin/tilld/reconcile'],
    ['POST', '/admin/tilld/refunds/ref_1/renew'],
    ['POST', `/admin/orders/${placed}/cancel`],
  ];
  for (const [method = '', path = ''] of routes) {
    const answer = await fetch(shop.url + path, { method });
    expect([path, answer.status]).toEqual([path, 401]);
  }
  expect(await owner.payment(paymentId)).toMatchObject({ status: 'confirming' });
  expect((await shop.notes(orderId)).join('\n')).not.toContain('not cancelled');
});

it.each([
  ['desktop', DESKTOP, 'en-US', 'Key'],
  ['phone', PHONE, 'de-DE', 'Schlüssel'],
])(
  'the Medusa plugin shows health, payments and notes to the shopkeeper: %s',
  async (name, viewport, locale, text) => {
    await paidOrder();
    const browser = await WebBrowser.start(shop.url);
    try {
      const page = await browser.page({ viewport, locale, extraHTTPHeaders: shop.credentials });
      await page.goto('/admin/tilld');
      await page.getByText(text).first().waitFor();
      await page.screenshot({ path: `${SCREENS}/medusa-${name}.png` });
      expect(await axeFindings(page)).toEqual([]);
      const width = await page.locator('html').evaluate((html) => html.scrollWidth);
      expect(width).toBeLessThanOrEqual(viewport.width);
      expect(browser.takeComplaints()).toEqual([]);
    } finally {
      await browser.stop();
    }
  },
);

it('the Medusa plugin erases a deleted customer in tilld, by a later job when tilld did not respond', async () => {
  const email = 'forget-me@example.com';
  const { orderId, paymentId } = await shop.order({ email });
  await owner.payFinally(paymentId);
  await reaches(orderId, 'paid');
  expect(await owner.customerEmails()).toContain(email);
  const { orderId: placed } = await shop.payment(orderId);
  const { order } = await shop.admin<{ order: { customer_id: string } }>(
    'GET',
    `/admin/orders/${placed}?fields=customer_id`,
  );
  erasureFails = true;
  try {
    await shop.admin('DELETE', `/admin/customers/${order.customer_id}`);
    await eventually(
      'tilld was asked',
      () => erasuresAsked,
      (asked) => asked > 0,
      60_000,
    );
  } finally {
    erasureFails = false;
  }
  expect(await owner.customerEmails()).toContain(email);
  await shop.reconcile();
  await eventually(
    'the address is gone',
    () => owner.customerEmails(),
    (emails) => !emails.includes(email),
    60_000,
  );
});

it('the Medusa plugin accepts simulated money for an order only when a setting allows it', async () => {
  shop.testMode = false;
  await shop.stop();
  await shop.start();
  const { orderId, paymentId } = await shop.order({ email: 'payer@example.com' });
  await owner.payFinally(paymentId);
  await eventually(
    'the shopkeeper is told',
    () => shop.notes(orderId),
    (notes) => notes.some((note) => note.includes('simulated money')),
    60_000,
  );
  expect(await shop.state(orderId)).toBe('waiting');
  await shop.cancel(orderId);
  expect(await shop.state(orderId)).toBe('cancelled');
});
