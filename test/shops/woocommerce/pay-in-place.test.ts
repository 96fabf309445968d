import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../../_helpers/web/build.ts';
import type { Owner } from '../_helpers/owner.ts';
import { choose, fillInAddress, overlap, type Checkout } from './checkout-form.ts';
import type { WooShop } from './driver.ts';
import { startConnected } from './start.ts';

/** The page of tilld over a page of the shop, as a customer meets it. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: WooShop;
let shopUrl: string;
/** As tilld itself calls its pages. */
let tilldUrl: string;
let browser: WebBrowser;
let pages: Record<Checkout | 'addToCart', string>;

beforeAll(async () => {
  await ensureWebBuilt();
  ({ owner, shop, shopUrl } = await startConnected(stack));
  pages = await shop.command('pages');
  tilldUrl = owner.till.api.baseUrl.replace('127.0.0.1', 'localhost');
  browser = await WebBrowser.start(shopUrl, [tilldUrl]);
  stack.defer(() => browser.stop());
  await allow([shopUrl]);
}, 1_200_000);
afterEach(async () => {
  await shop.command('set', { methods: 'one' });
  expect(browser.takeComplaints()).toEqual([]);
});
afterAll(() => stack.disposeAsync());

const DESCRIPTION: Readonly<Record<string, string>> = {
  Coins: 'By your own nodes',
  Litecoin: 'Pay with Litecoin.',
};

/** The owner names the sites that may show the page of tilld; the plugin reads them at once, as its settings do. */
async function allow(embedOrigins: string[]): Promise<void> {
  await owner.editShop({ embedOrigins });
  await shop.settingsPage();
}

async function withCart(options: BrowserContextOptions = { viewport: DESKTOP }): Promise<Page> {
  const page = await browser.page(options);
  await page.goto(pages.addToCart);
  return page;
}

async function fillIn(page: Page, checkout: Checkout, method = 'Coins'): Promise<void> {
  await page.goto(pages[checkout]);
  await fillInAddress(page, checkout);
  await choose(page, method, DESCRIPTION[method] ?? '');
}

/** Places an order and waits until the page of tilld has opened over that of the shop. @returns the payment */
async function placeOrder(page: Page, checkout: Checkout): Promise<string> {
  await fillIn(page, checkout);
  await page.getByRole('button', { name: 'Place order' }).click();
  return paymentOpened(page);
}

async function paymentOpened(page: Page): Promise<string> {
  await page
    .frameLocator('dialog iframe')
    .getByRole('img', { name: /QR code/ })
    .first()
    .waitFor();
  expect(page.url()).toMatch(new RegExp(`^${shopUrl}/.*order-pay=\\d+&key=`));
  return paymentOf((await page.getByRole('link', { name: 'Pay now' }).getAttribute('href')) ?? '');
}

/** Places an order and waits for the page of tilld itself. @returns the payment */
async function placedAtTilld(page: Page, checkout: Checkout): Promise<string> {
  await fillIn(page, checkout);
  await page.getByRole('button', { name: 'Place order' }).click();
  await page.waitForURL(`${tilldUrl}/checkout/pay_*`);
  await page
    .getByRole('img', { name: /QR code/ })
    .first()
    .waitFor();
  return paymentOf(page.url());
}

const paymentOf = (url: string): string => /pay_\w+/.exec(url)?.[0] ?? '';
const dialogs = (page: Page): Promise<number> => page.getByRole('dialog').count();
const isBack = (page: Page): Promise<void> => page.getByText('Your order has been received').waitFor();
const close = (page: Page): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

describe.each([
  ['phone', PHONE],
  ['desktop', DESKTOP],
])('the WooCommerce checkout on a %s', (device, viewport) => {
  it.each(['blocks', 'classic'] as const)(
    'opens the payment in a window over the %s checkout, and then shows the received order',
    async (checkout) => {
      const page = await withCart({ viewport });
      await fillIn(page, checkout);
      await page.screenshot({ path: `${SCREENS}/woo-${checkout}-${device}.png`, fullPage: true });
      await page.getByRole('button', { name: 'Place order' }).click();
      const payment = await paymentOpened(page);
      await page.screenshot({ path: `${SCREENS}/woo-pay-${checkout}-${device}.png` });
      await owner.payFinally(payment);
      await isBack(page);
      await page.getByText('Your payment has arrived').waitFor();
      await page.screenshot({ path: `${SCREENS}/woo-back-${checkout}-${device}.png`, fullPage: true });
      await page.goto(pages.blocks);
      await page.getByText('Your cart is currently empty').waitFor();
      await page.context().close();
    },
  );

  it('lets the customer close the payment window, open it again and pay', async () => {
    const page = await withCart({ viewport });
    const payment = await placeOrder(page, 'blocks');
    await close(page);
    expect(await dialogs(page)).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Pay now');
    expect(await axeFindings(page, '#tilld-pay')).toEqual([]);
    const links = ['Pay now', 'Pay in another way'].map((name) => page.getByRole('link', { name }));
    expect(await overlap(...links)).toBe(false);
    await page.screenshot({ path: `${SCREENS}/woo-closed-${device}.png`, fullPage: true });
    await page.getByRole('link', { name: 'Pay now' }).click();
    expect(await paymentOpened(page)).toBe(payment);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialogs(page)).toBe(0);
    await page.getByRole('link', { name: 'Pay now' }).press('Enter');
    expect(await paymentOpened(page)).toBe(payment);
    await owner.payFinally(payment);
    await isBack(page);
    await page.context().close();
  });
});

describe('a WooCommerce customer', () => {
  it('who returns before the payment is final sees an order that says so', async () => {
    const page = await withCart();
    await owner.pay(await placeOrder(page, 'classic'));
    await isBack(page);
    await page.getByText('Your payment was seen').waitFor();
    await page.context().close();
  });

  it('can pay the remaining amount in the same window after an underpayment, and is led back to the shop', async () => {
    const page = await withCart();
    const payment = await placeOrder(page, 'blocks');
    await owner.payFinally(payment, 'underpay');
    await page
      .frameLocator('dialog iframe')
      .getByText(/still missing|left to pay|rest/i)
      .first()
      .waitFor();
    expect(await dialogs(page)).toBe(1);
    await owner.payFinally(payment);
    await isBack(page);
    await page.context().close();
  });

  it('gets the same payment with the same amounts after a reload', async () => {
    const page = await withCart();
    const payment = await placeOrder(page, 'blocks');
    const before = await owner.payment(payment);
    await page.reload();
    expect(await paymentOpened(page)).toBe(payment);
    expect(await owner.payment(payment)).toEqual(before);
    await page.context().close();
  });

  it.each(['blocks', 'classic'] as const)(
    'gets no second payment after going back to the %s checkout and placing the order again',
    async (checkout) => {
      const page = await withCart();
      const payment = await placeOrder(page, checkout);
      const { orderId } = await owner.payment(payment);
      await page.goBack();
      await page.getByRole('button', { name: 'Place order' }).waitFor();
      expect(await placeOrder(page, checkout)).toBe(payment);
      expect(await owner.paymentsOf(orderId)).toEqual([payment]);
      await page.context().close();
    },
  );

  it.each(['blocks', 'classic'] as const)(
    'gets one payment for two clicks in the %s checkout',
    async (checkout) => {
      const page = await withCart();
      await fillIn(page, checkout);
      await page.getByRole('button', { name: 'Place order' }).dblclick();
      const payment = await paymentOpened(page);
      expect(await dialogs(page)).toBe(1);
      expect(await owner.paymentsOf((await owner.payment(payment)).orderId)).toEqual([payment]);
      await page.context().close();
    },
  );

  it('pays once with the checkout open in two tabs, and both show the received order', async () => {
    const page = await withCart();
    const payment = await placeOrder(page, 'classic');
    const second = await page.context().newPage();
    await second.goto(page.url());
    expect(await paymentOpened(second)).toBe(payment);
    await owner.payFinally(payment);
    await Promise.all([isBack(page), isBack(second)]);
    await page.context().close();
  });

  it('cannot pay a second time after going back, or on the page of a paid order', async () => {
    const page = await withCart();
    const payment = await placeOrder(page, 'blocks');
    const address = page.url();
    await owner.payFinally(payment);
    await isBack(page);
    await page.goBack();
    await isBack(page);
    await page.goto(address);
    await isBack(page);
    expect(await dialogs(page)).toBe(0);
    await page.context().close();
  });

  it('can pay an order later in a window over the order page', async () => {
    const page = await withCart();
    const payment = await placeOrder(page, 'classic');
    await close(page);
    await page.getByRole('link', { name: 'Pay in another way' }).click();
    await choose(page, 'Coins', 'By your own nodes');
    await page.getByRole('button', { name: 'Pay for order' }).click();
    expect(await paymentOpened(page)).toBe(payment);
    await owner.payFinally(payment);
    await isBack(page);
    await page.context().close();
  });

  it('gets a link to the same payment after returning to the page with the Back button', async () => {
    const page = await withCart();
    const payment = await placeOrder(page, 'classic');
    await close(page);
    await page.getByRole('link', { name: 'Pay in another way' }).click();
    await page.getByRole('button', { name: 'Pay for order' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Pay now' }).click();
    expect(await paymentOpened(page)).toBe(payment);
    await page.context().close();
  });

  it('gets a new payment when the first payment has ended', async () => {
    const page = await withCart();
    const payment = await placeOrder(page, 'blocks');
    await owner.cancel(payment);
    await page
      .frameLocator('dialog iframe')
      .getByRole('heading', { name: /cancel/i })
      .waitFor();
    await close(page);
    await page.getByRole('link', { name: 'Pay now' }).click();
    await expect
      .poll(async () =>
        paymentOf((await page.getByRole('link', { name: 'Pay now' }).getAttribute('href')) ?? ''),
      )
      .not.toBe(payment);
    await owner.payFinally(await paymentOpened(page));
    await isBack(page);
    await page.context().close();
  });

  it('cannot see the payment of an order without the order key', async () => {
    const page = await withCart();
    const payment = await placeOrder(page, 'blocks');
    await page.goto(page.url().replace(/key=.*/, 'key=wc_order_guessed'));
    await page.getByText('Sorry, this order is invalid').waitFor();
    expect(await page.content()).not.toContain(payment);
    await page.context().close();
  });
});

describe('the WooCommerce checkout without a payment window', () => {
  afterEach(async () => {
    await shop.command('policy', { policy: '' });
    await shop.command('set', { payment_page: 'in_place' });
    await allow([shopUrl]);
  });

  it('redirects from the classic checkout to the payment page when JavaScript is disabled', async () => {
    const page = await withCart({ viewport: DESKTOP, javaScriptEnabled: false });
    await fillIn(page, 'classic');
    await page.getByRole('button', { name: 'Place order' }).click();
    await page.waitForURL(`${tilldUrl}/checkout/pay_*`);
    await page.context().close();
  });

  it('redirects to the payment page when a content security policy of the shop blocks pay.js, and Back leads to the checkout', async () => {
    await shop.command('policy', { policy: "script-src 'self' 'unsafe-inline' blob:" });
    const page = await withCart();
    const payment = await placedAtTilld(page, 'blocks');
    await page.goBack();
    expect(await placedAtTilld(page, 'blocks')).toBe(payment);
    expect(browser.takeComplaints().join('\n')).toContain('script-src-elem');
    await page.context().close();
  });

  it('redirects to the payment page when tilld does not allow the frame, and Back does not lead there again', async () => {
    const page = await withCart();
    await fillIn(page, 'classic');
    await owner.editShop({ embedOrigins: [] });
    const payment = await placedAtTilld(page, 'classic');
    await page.goBack();
    await page.getByRole('link', { name: 'Pay now' }).waitFor();
    expect(await dialogs(page)).toBe(0);
    expect(await owner.paymentsOf((await owner.payment(payment)).orderId)).toEqual([payment]);
    expect(browser.takeComplaints().join('\n')).toContain('frame-ancestors');
    await page.context().close();
  });

  it('redirects to the payment page when tilld does not list the shop as an embedding site, and the settings explain how to add it', async () => {
    expect(await shop.settingsPage()).toContain('data-tilld-embedding="ok"');
    await allow(['https://www.other.example']);
    const settings = await shop.settingsPage();
    expect(settings).toContain('data-tilld-embedding="bad"');
    expect(settings).toContain(`enter ${shopUrl} in the settings of tilld`);
    expect(settings).toContain(`${owner.till.api.baseUrl}/dashboard/shop/${owner.merchantId}/settings`);
    const page = await withCart();
    await placedAtTilld(page, 'blocks');
    await page.context().close();
  });

  it('redirects to the payment page when the shop disables the payment window', async () => {
    await shop.command('set', { payment_page: 'tilld' });
    const page = await withCart();
    await placedAtTilld(page, 'classic');
    await page.context().close();
  });
});

it('the WooCommerce checkouts show one payment method per coin with its icon and open the payment of that coin', async () => {
  await shop.command('set', { methods: 'coins' });
  const page = await withCart();
  await page.goto(pages.classic);
  await page.getByText('Litecoin').first().waitFor();
  await page.screenshot({ path: `${SCREENS}/woo-coins-classic.png`, fullPage: true });
  await fillIn(page, 'blocks', 'Litecoin');
  expect(await page.getByRole('radio').count()).toBe(4);
  await page.screenshot({ path: `${SCREENS}/woo-coins-blocks.png`, fullPage: true });
  await page.getByRole('button', { name: 'Place order' }).click();
  const payment = await paymentOpened(page);
  await page.screenshot({ path: `${SCREENS}/woo-coins-pay.png` });
  await owner.payFinally(payment);
  await isBack(page);
  await page.context().close();
});

it('a WooCommerce page that cannot load its payment shows a message and offers another way to pay', async () => {
  const page = await withCart();
  await placeOrder(page, 'blocks');
  await owner.revokeKeys();
  await page.reload();
  await page.getByText('Paying with coins is not possible just now').waitFor();
  await page.getByRole('link', { name: 'Pay in another way' }).waitFor();
  await page.context().close();
});

it('the WooCommerce plugin writes nothing to the debug log in these payment window tests', () => {
  expect(shop.site.debugLog()).toEqual([]);
});
