import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { axeFindings, PHONE, SCREENS, WebBrowser } from '../../_helpers/web/browser.ts';
import { Owner } from '../_helpers/owner.ts';
import { ShopProxy } from '../_helpers/proxies.ts';
import { VendureShop } from './driver.ts';

/** What only Vendure has; the life of orders is in vendure.test.ts. This shop places orders when money is seen. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: VendureShop;
let toShop: ShopProxy;

beforeAll(async () => {
  owner = stack.use(await Owner.start());
  toShop = stack.use(await ShopProxy.start());
  const port = await freePort();
  toShop.port = port;
  const setup = { tilldUrl: owner.till.api.baseUrl, publicUrl: toShop.url, port };
  shop = stack.use(await VendureShop.start(setup, { placeWhenSeen: true }));
  await shop.connect((address) => owner.agree(address));
});
afterAll(() => stack.disposeAsync());

async function reaches(orderId: string, wanted: string): Promise<void> {
  await eventually(
    `the order is ${wanted}`,
    () => shop.orderState(orderId),
    (state) => state === wanted,
    60_000,
  );
}

it('the Vendure plugin places the order when money is seen, reopens it when the money is reversed, and settles it with later money', async () => {
  const { orderId, paymentId } = await shop.order();
  await owner.pay(paymentId);
  await reaches(orderId, 'PaymentAuthorized');
  await owner.takeBack(paymentId);
  await reaches(orderId, 'ArrangingAdditionalPayment');
  await owner.payFinally(paymentId);
  await reaches(orderId, 'PaymentSettled');
});

it("the Vendure plugin ignores a shopper's claim that an order is paid", async () => {
  const { orderId, paymentId } = await shop.order();
  await expect(shop.forgePayment(orderId, paymentId)).rejects.toThrow(/createTilldPayment|payment/i);
  expect(await shop.orderState(orderId)).toBe('ArrangingPayment');
});

it('the Vendure plugin rejects a webhook without a valid signature', async () => {
  const body = JSON.stringify({ type: 'payment.completed', data: { payment: { id: 'pay_made_up' } } });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': 'v1,AAAA',
  };
  const answer = await fetch(`${toShop.url}/tilld/webhook/1`, { method: 'POST', headers, body });
  expect(answer.status).toBe(400);
});

it('the Vendure plugin keeps an order open that costs more than was paid, and refuses to cancel its payment', async () => {
  const { orderId, paymentId } = await shop.order({ quantity: 1 });
  await shop.changeQuantity(orderId, 2);
  await owner.payFinally(paymentId);
  await eventually(
    'the shopkeeper is told',
    () => shop.notes(orderId),
    (notes) => notes.some((note) => note.includes('is paid and final')),
    60_000,
  );
  expect((await shop.notes(orderId)).join('\n')).toContain('covers 25.00 USD, the order costs 45.00 USD');
  expect(await shop.orderState(orderId)).toBe('ArrangingPayment');
  await expect(shop.cancel(orderId)).rejects.toThrow('cannot be cancelled');
  expect(await shop.orderState(orderId)).toBe('ArrangingPayment');
});

it('the Vendure plugin allows to cancel a placed order, whose money is then refunded', async () => {
  const { orderId, paymentId } = await shop.order();
  await owner.payFinally(paymentId);
  await reaches(orderId, 'PaymentSettled');
  await shop.cancelPlaced(orderId);
  expect(await shop.orderState(orderId)).toBe('Cancelled');
});

it('the Vendure plugin erases a deleted customer in tilld', async () => {
  const email = 'forget-me@example.com';
  const { orderId, paymentId } = await shop.order({ email });
  await owner.payFinally(paymentId);
  await reaches(orderId, 'PaymentSettled');
  expect(await owner.customerEmails()).toContain(email);
  await shop.deleteCustomer(orderId);
  await eventually(
    'the address is gone',
    () => owner.customerEmails(),
    (emails) => !emails.includes(email),
    60_000,
  );
  expect((await owner.payment(paymentId)).status).toBe('completed');
});

it('the Vendure settings page is accessible only to administrators, and shows the state of the connection in their language', async () => {
  shop.language = 'de';
  await shop.stop();
  await shop.start();
  const browser = await WebBrowser.start(toShop.url);
  try {
    const page = await browser.page({ viewport: PHONE });
    expect((await page.goto('/tilld/settings'))?.status()).toBe(403);
    const query = 'mutation { login(username: "superadmin", password: "superadmin") { __typename } }';
    await page.request.post('/admin-api', { data: { query } });
    // The shop has just started: its job and the check of its connection follow.
    const answers = async () => {
      await page.goto('/tilld/settings');
      return page.getByRole('cell').allTextContents();
    };
    await expect.poll(answers, { timeout: 60_000 }).toEqual(['ja', 'ja', 'ja', 'ja']);
    await page.getByRole('button', { name: 'Neu verbinden' }).waitFor();
    await page.screenshot({ path: `${SCREENS}/vendure-settings.png` });
    expect(await axeFindings(page)).toEqual([]);
    expect((await page.goto('/tilld/connected?state=guessed&code=1'))?.status()).toBe(400);
    await page.getByText('nicht angefordert').waitFor();
    expect(browser.takeComplaints()).toEqual([]);
  } finally {
    await browser.stop();
  }
});
