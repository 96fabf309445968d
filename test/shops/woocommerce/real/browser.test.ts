import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../_helpers/nodes/proc.ts';
import { eventually } from '../../../_helpers/poll.ts';
import { DESKTOP, PHONE, SCREENS, WebBrowser } from '../../../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../../../_helpers/web/build.ts';
import { Owner } from '../../_helpers/owner.ts';
import { ShopProxy } from '../../_helpers/proxies.ts';
import { fillInAddress } from '../checkout-form.ts';
import { WooShop } from '../driver.ts';

/** What people see in a real WooCommerce: `test/shops/woocommerce/run --woocommerce DIRECTORY`. The stand-in looks like no theme and has no administration. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: WooShop;
let url: string;
let browser: WebBrowser;
let pages: { blocks: string; classic: string; addToCart: string };

beforeAll(async () => {
  await ensureWebBuilt();
  owner = stack.use(await Owner.start());
  const toShop = stack.use(await ShopProxy.start());
  const port = await freePort();
  toShop.port = port;
  url = toShop.url;
  shop = stack.use(await WooShop.start({ tilldUrl: owner.till.api.baseUrl, publicUrl: url, port }));
  await shop.connect((address) => owner.agree(address));
  pages = await shop.command('pages');
  browser = await WebBrowser.start(url, [owner.till.api.baseUrl]);
  stack.defer(() => browser.stop());
}, 1_200_000);
afterAll(() => stack.disposeAsync());

async function withCart(options: { viewport?: { width: number; height: number } } = {}): Promise<Page> {
  const page = await browser.page(options);
  await page.goto(pages.addToCart);
  return page;
}

/** On tilld's page: the payment that is shown there. */
async function paymentShown(page: Page): Promise<string> {
  await page.waitForURL(/\/checkout\/pay_/, { timeout: 60_000 });
  return /pay_\w+/.exec(page.url())?.[0] ?? '';
}

async function paidAndBack(page: Page, paymentId: string): Promise<void> {
  await owner.payFinally(paymentId);
  await page.waitForURL((address) => address.href.startsWith(url), { timeout: 60_000 });
  await page.getByText('Your payment has arrived. Thank you.').waitFor();
}

describe('the WooCommerce block checkout', () => {
  it.each([
    ['desktop', undefined],
    ['phone', PHONE],
  ])(
    'lets the customer on a %s choose coins, pay on the page of tilld and return',
    async (name, viewport) => {
      const page = await withCart(viewport === undefined ? {} : { viewport });
      await page.goto(pages.blocks);
      await fillInAddress(page, 'blocks');
      await page.getByText('By your own nodes').waitFor();
      await page.screenshot({ path: `${SCREENS}/woocommerce-blocks-${name}.png`, fullPage: true });
      await page.getByRole('button', { name: 'Place Order' }).click();
      await paidAndBack(page, await paymentShown(page));
      await page.screenshot({ path: `${SCREENS}/woocommerce-thanks-${name}.png`, fullPage: true });
    },
  );
});

describe('the WooCommerce classic checkout', () => {
  it('redirects the customer to the page of tilld and back', async () => {
    const page = await withCart();
    await page.goto(pages.classic);
    await fillInAddress(page, 'classic');
    await page.getByText('By your own nodes').waitFor();
    await page.screenshot({ path: `${SCREENS}/woocommerce-classic.png`, fullPage: true });
    await page.getByRole('button', { name: 'Place order' }).click();
    await paidAndBack(page, await paymentShown(page));
  });
});

async function signedIn(): Promise<Page> {
  const page = await browser.page();
  await page.goto('/wp-login.php');
  await page.getByLabel('Username or Email Address').fill('owner');
  await page.locator('#user_pass').fill('a long pass phrase of the owner');
  await page.getByRole('button', { name: 'Log In' }).click();
  await page.locator('#wpadminbar').waitFor();
  return page;
}

describe('the WooCommerce administration', () => {
  it('shows the settings with the health report, and an order with its notes and the refund button', async () => {
    const { orderId, paymentId } = await shop.order({ email: 'ada@example.com' });
    await owner.payFinally(paymentId);
    await eventually(
      'the order is paid',
      () => shop.state(orderId),
      (state) => state === 'paid',
      60_000,
    );
    const page = await signedIn();
    await page.goto('/wp-admin/admin.php?page=wc-settings&tab=checkout&section=tilld');
    expect(await page.locator('[data-tilld-health]').count()).toBe(4);
    await page.screenshot({ path: `${SCREENS}/woocommerce-settings.png`, fullPage: true });
    await page.goto(`/wp-admin/admin.php?page=wc-orders&action=edit&id=${orderId}`);
    await page.getByText('Paid: 0.0002 BTC').waitFor();
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await page.getByRole('button', { name: /via Coins|via tilld/ }).waitFor();
    await page.screenshot({ path: `${SCREENS}/woocommerce-order.png`, fullPage: true });
  });

  it('shows errors in a notice on its pages and in Site Health', async () => {
    await owner.revokeKeys();
    await shop.reconcile();
    const page = await signedIn();
    for (const [name, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      await page.setViewportSize(viewport);
      await page.goto('/wp-admin/plugins.php');
      await page.locator('[data-tilld-notice]').waitFor();
      await page.screenshot({ path: `${SCREENS}/woocommerce-notice-${name}.png` });
      await page.goto('/wp-admin/site-health.php');
      await page.getByRole('button', { name: /tilld/ }).first().click();
      await page.screenshot({ path: `${SCREENS}/woocommerce-site-health-${name}.png`, fullPage: true });
      await page.goto('/wp-admin/admin.php?page=wc-settings&tab=checkout&section=tilld');
      await page.screenshot({ path: `${SCREENS}/woocommerce-trouble-${name}.png`, fullPage: true });
    }
  });
});
