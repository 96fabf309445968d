import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { CheckoutWorld } from '../_helpers/web/checkout-world.ts';
import { visit } from '../_helpers/web/dashboard.ts';

const PASSWORD = 'correct horse battery';

let world: CheckoutWorld;
let browser: WebBrowser;
let page: Page;
let email = '';
/** The addresses of the payments that have each dialog. */
const paths = { shop: '', pending: '', short: '', late: '' };

beforeAll(async () => {
  await ensureWebBuilt();
  world = await CheckoutWorld.start();
  const { shop, till } = world;
  browser = await WebBrowser.start(till.api.baseUrl);
  paths.shop = `/dashboard/shop/${shop.merchantId}`;
  const payments = `${paths.shop}/payments`;
  const short = await world.pay();
  await world.simulate(short.id, 'underpay', { coin: 'LTC', confirmations: 6 });
  const late = await world.pay();
  await world.simulate(late.id, 'late', { coin: 'BTC', confirmations: 6 });
  const pending = await world.pay();
  Object.assign(paths, {
    pending: `${payments}/${pending.id}`,
    short: `${payments}/${short.id}`,
    late: `${payments}/${late.id}`,
  });
  await till.api.must('POST', '/merchant/product/create', { token: shop.token, body: { name: 'A book' } });
  page = await browser.page({ viewport: DESKTOP });
  // The browser's day is the daemon's: late payments have moved it.
  await page.clock.setSystemTime(till.clock.now());
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  email = user.email;
  await page.goto(paths.shop);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Latest payments' }).waitFor();
});

afterAll(async () => {
  await browser?.stop();
  await world?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

/** Whether the keyboard is within the dialog; what it rests on, else. */
async function focusIn(dialog: Locator): Promise<true | string> {
  return dialog.evaluate((element) => {
    const { activeElement } = element.ownerDocument;
    return element.contains(activeElement) || String(activeElement?.outerHTML.slice(0, 80));
  });
}

const dialogs: [title: string, at: () => string, button: string][] = [
  ['New shop', () => '/dashboard/shops', 'New shop'],
  ['New payment', () => `${paths.shop}/payments`, 'New payment'],
  ['Cancel this payment?', () => paths.pending, 'Cancel payment'],
  ['Refund', () => paths.short, 'Refund'],
  ['Refund by link', () => paths.short, 'Refund by link'],
  ['Accept this payment?', () => paths.late, 'Accept as paid'],
  ['Send BTC', () => `${paths.shop}/wallet`, 'Send BTC'],
  ['Receive ETH', () => `${paths.shop}/wallet`, 'Receive ETH'],
  ['New customer', () => `${paths.shop}/customers`, 'New customer'],
  ['New product', () => `${paths.shop}/products`, 'New product'],
  ['New price', () => `${paths.shop}/products`, 'Add price'],
  ['Delete product', () => `${paths.shop}/products`, 'Delete'],
  ['New payment link', () => `${paths.shop}/links`, 'New payment link'],
  ['Regenerate keys', () => `${paths.shop}/keys`, 'Regenerate keys'],
  ['Rotate the signing secret', () => `${paths.shop}/keys`, 'Rotate'],
];

describe('dialogs of the dashboard used by keyboard', () => {
  it.each(dialogs)(
    '"%s" opens, traps the focus, closes by Escape and returns the focus',
    async (title, at, name) => {
      await visit(page, at());
      const opener = page.getByRole('button', { name, exact: true });
      await opener.focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.waitFor();
      await expect.poll(() => focusIn(dialog)).toBe(true);
      const stops = await dialog.locator('button, input, select, textarea, a[href]').count();
      expect(stops).toBeGreaterThan(0);
      for (const key of ['Tab', 'Shift+Tab']) {
        // Around more than once, whatever has a place of its own in the order.
        for (let times = 0; times < stops + 3; times += 1) {
          await page.keyboard.press(key);
          // At its edge the focus rests for a moment on a guard, which sends it on.
          await expect.poll(() => focusIn(dialog), { message: `${key} ${times}`, interval: 5 }).toBe(true);
        }
      }
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      // Given back once the dialog is gone, which may be a moment later.
      const hasFocus = async (): Promise<boolean> =>
        opener.evaluate((element) => element === element.ownerDocument.activeElement);
      await expect.poll(hasFocus).toBe(true);
    },
  );
});

describe('a dialog of the dashboard', () => {
  it.each([
    ['New payment link', 'Name', () => `${paths.shop}/links`, 'New payment link'],
    ['Send BTC', 'To address', () => `${paths.shop}/wallet`, 'Send BTC'],
    // Its recommended way has no field.
    ['Refund', 'Refund by link', () => paths.short, 'Refund'],
    // A stray Enter key must not confirm a destructive action.
    ['Cancel this payment?', 'Close', () => paths.pending, 'Cancel payment'],
  ])('"%s" starts at "%s"', async (title, first, at, name) => {
    await visit(page, at());
    await page.getByRole('button', { name, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.waitFor();
    const control = dialog.getByLabel(first, { exact: true }).or(dialog.getByRole('button', { name: first }));
    await expect
      .poll(async () => control.evaluate((element) => element === element.ownerDocument.activeElement))
      .toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('for a refund leads to the link and back', async () => {
    await visit(page, paths.short);
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Refund' });
    await dialog.getByRole('button', { name: 'Refund by link' }).click();
    await dialog.getByRole('button', { name: 'Create link' }).waitFor();
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.getByLabel('Payer’s address').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});

describe('the welcome page of a new merchant', () => {
  it('leads to the requested page, also after sign-in', async () => {
    const shown = await browser.page({ viewport: DESKTOP });
    await shown.goto('/dashboard/nodes');
    await shown.getByRole('link', { name: 'Create an account' }).click();
    await shown.getByText('Already have an account?').waitFor();
    await shown.getByRole('link', { name: 'Sign in' }).click();
    await shown.getByRole('heading', { name: 'Sign in' }).waitFor();
    await shown.getByLabel('Email').fill(email);
    await shown.getByLabel('Password').fill(PASSWORD);
    await shown.getByRole('button', { name: 'Sign in' }).click();
    await shown.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    await shown.context().close();
  });

  it.each([
    ['phone', PHONE, 'dark'],
    ['desktop', DESKTOP, 'light'],
  ] as const)('is accessible and fits a %s', async (_name, viewport, colorScheme) => {
    const shown = await browser.page({ viewport, colorScheme });
    await shown.goto('/dashboard/register');
    await shown.getByRole('heading', { name: 'Create an account' }).waitFor();
    expect(await axeFindings(shown)).toEqual([]);
    await shown.getByLabel('Email').fill('owner@example');
    await shown.getByLabel('Password').fill('short');
    await shown.getByRole('button', { name: 'Create account' }).click();
    expect(await axeFindings(shown)).toEqual([]);
    const scrolls = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await shown.evaluate(scrolls)).toBe(false);
    await shown.context().close();
  });
});
