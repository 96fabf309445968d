import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DESKTOP, PHONE, SCREENS, WebBrowser } from '../../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../../_helpers/web/build.ts';
import type { Owner } from '../_helpers/owner.ts';
import { fillInAddress, overlap } from './checkout-form.ts';
import type { WooShop } from './driver.ts';
import type { Pages } from './shopper.ts';
import { startConnected } from './start.ts';

/** The way to the page of tilld and back, as a customer with a browser walks it. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: WooShop;
let shopUrl: string;
let tilldUrl: string;
let browser: WebBrowser;
let pages: Pages;

beforeAll(async () => {
  await ensureWebBuilt();
  ({ owner, shop, shopUrl } = await startConnected(stack));
  pages = await shop.command('pages');
  tilldUrl = owner.till.api.baseUrl.replace('127.0.0.1', 'localhost');
  browser = await WebBrowser.start(shopUrl, [tilldUrl]);
  stack.defer(() => browser.stop());
}, 1_200_000);
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
  expect(shop.site.debugLog()).toEqual([]);
});
afterAll(() => stack.disposeAsync());

async function withCart(viewport = DESKTOP): Promise<Page> {
  const page = await browser.page({ viewport });
  await page.goto(pages.addToCart);
  return page;
}

async function place(page: Page): Promise<void> {
  await page.goto(pages.classic);
  await fillInAddress(page, 'classic');
  await page.getByRole('button', { name: 'Place order' }).click();
}

/** @returns the payment whose page the customer was led to */
async function placed(page: Page): Promise<string> {
  await place(page);
  await page.waitForURL(`${tilldUrl}/checkout/pay_*`);
  return /pay_\w+/.exec(page.url())?.[0] ?? '';
}

const says = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
const screenshot = (page: Page, name: string): Promise<unknown> =>
  page.screenshot({ path: `${SCREENS}/woo-way-back-${name}.png`, fullPage: true });
const REFUSED = /Your payment for order \d+ was seen: you need not pay again/;

/** From the page of tilld, by its own link. */
async function goBack(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Back to your order' }).click();
  await page.waitForURL((address) => address.href.startsWith(shopUrl));
}

async function cartIsEmpty(page: Page): Promise<void> {
  await page.goto(pages.blocks);
  await says(page, 'Your cart is currently empty');
}

describe.each([
  ['phone', PHONE],
  ['desktop', DESKTOP],
])('a WooCommerce customer on a %s', (device, viewport) => {
  it('is redirected to the order after paying in full, and the cart is empty', async () => {
    const page = await withCart(viewport);
    await owner.payFinally(await placed(page));
    await says(page, 'Your payment has arrived. Thank you.');
    await screenshot(page, `paid-${device}`);
    await page.reload();
    await says(page, 'Your payment has arrived. Thank you.');
    await cartIsEmpty(page);
  });

  it('is redirected to the order before the payment is final, and cannot create a second one by the Back button', async () => {
    const page = await withCart(viewport);
    await owner.pay(await placed(page));
    await goBack(page);
    await says(page, 'Your payment was seen.');
    await screenshot(page, `seen-${device}`);
    await page.goBack();
    await page.waitForURL(`${tilldUrl}/**`);
    await page.goBack();
    await page.waitForURL((address) => address.href.startsWith(shopUrl));
    // A browser that kept the form as it was shows it again; otherwise the cart is empty, or the form itself tells why.
    const button = page.getByRole('button', { name: 'Place order' });
    const refusal = page.getByText(REFUSED);
    await Promise.any([refusal.first().waitFor(), button.click()]);
    await says(page, REFUSED);
    await screenshot(page, `refused-${device}`);
    await page.getByRole('link', { name: 'See your order' }).click();
    await says(page, 'Your payment was seen.');
  });

  it('pays the remaining amount from the order page after an underpayment', async () => {
    const page = await withCart(viewport);
    const paymentId = await placed(page);
    await owner.pay(paymentId, 'underpay');
    await goBack(page);
    await says(page, 'Please pay the rest, so that your order goes on.');
    await screenshot(page, `short-${device}`);
    const rest = page.getByRole('link', { name: 'Pay the rest' });
    expect(await overlap(page.locator('.tilld-state'), rest)).toBe(false);
    await rest.click();
    await page.waitForURL(`${tilldUrl}/checkout/${paymentId}*`);
    await owner.payFinally(paymentId);
    await says(page, 'Your payment has arrived. Thank you.');
  });
});

describe('a WooCommerce customer with an unusual payment', () => {
  it('is redirected to the order after overpaying', async () => {
    const page = await withCart();
    await owner.payFinally(await placed(page), 'overpay');
    await says(page, 'Your payment has arrived. Thank you.');
    await cartIsEmpty(page);
  });

  it('is redirected to the order after paying late', async () => {
    const page = await withCart();
    await owner.payFinally(await placed(page), 'late');
    await says(page, 'Your payment has arrived. Thank you.');
  });

  it('is redirected to the cart after the payment was cancelled, and can pay with a new payment', async () => {
    const page = await withCart();
    const first = await placed(page);
    await owner.cancel(first);
    await page.waitForURL(pages.blocks);
    const second = await placed(page);
    expect(second).not.toBe(first);
    await owner.payFinally(second);
    await says(page, 'Your payment has arrived. Thank you.');
  });

  it('is refused in the second of two checkout tabs once the first has paid', async () => {
    const page = await withCart();
    const other = await page.context().newPage();
    await other.goto(pages.classic);
    await fillInAddress(other, 'classic');
    await owner.pay(await placed(page));
    await other.getByRole('button', { name: 'Place order' }).click();
    await says(other, REFUSED);
    await screenshot(other, 'second-tab');
    await goBack(page);
    await cartIsEmpty(other);
  });
});
