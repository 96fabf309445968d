/**
 * Every page and dialog of the dashboard, with the data of a busy shop. Before a release, look at all of them:
 * `TILLD_BUSY_PAYMENTS=2000 TILLD_ALL_VARIANTS=1 scripts/test test/web/every-page.test.ts` leaves screenshots in test-results/screens/every-*.
 * With `TILLD_PAGES_LOCALE=de-DE` and `-t 'on the pages|on payments'` they are in another language.
 */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { BusyShop } from '../_helpers/web/busy-shop.ts';
import { confirmIt, signInBrowser, visit } from '../_helpers/web/dashboard.ts';

const PASSWORD = 'correct horse battery';
/** The refund address of a payer in LTC. */
const PAYER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';
const PAYMENTS = Number(process.env['TILLD_BUSY_PAYMENTS'] ?? 60);
const LOCALE = process.env['TILLD_PAGES_LOCALE'] ?? 'en-US';
/** Each size and each scheme once; all four where people look at pictures of them. */
const IS_WHOLE = process.env['TILLD_ALL_VARIANTS'] === '1';
const VARIANTS = [
  { device: 'desktop', colorScheme: 'light', viewport: DESKTOP },
  { device: 'phone', colorScheme: 'dark', viewport: PHONE },
  ...(IS_WHOLE
    ? ([
        { device: 'desktop', colorScheme: 'dark', viewport: DESKTOP },
        { device: 'phone', colorScheme: 'light', viewport: PHONE },
      ] as const)
    : []),
] as const;
/** Columns beyond the edge of a phone, which look as if they were empty. */
const CUT_TABLES = `[...document.querySelectorAll('[role="region"]:has(> table)')]
  .filter((table) => table.scrollWidth > table.clientWidth).map((table) => table.ariaLabel)`;
/** Amounts in tables that take more than one line. */
const BROKEN_AMOUNTS = `[...document.querySelectorAll('td .money')]
  .filter((amount) => amount.childElementCount === 0 && new Set([...amount.getClientRects()].map(({ top }) => Math.round(top))).size > 1).map((amount) => amount.textContent)`;
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Pages without a session, with the parameters of their addresses. */
const OUTSIDE: readonly [route: string, query: string][] = [
  ['/login', ''],
  ['/register', ''],
  ['/forgot-password', ''],
  ['/reset-password', '?token=abc'],
  ['/verify-email', '?token=abc'],
];
const CONNECT =
  '?name=WooCommerce&scopes=payments%3Awrite%20refunds%3Awrite%20customers%3Awrite%20webhooks%3Awrite&state=s' +
  '&redirectUrl=http%3A%2F%2F127.0.0.1%3A9%2Fback&codeChallenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const INSIDE: readonly [route: string, query: string][] = [
  ['/connect', CONNECT],
  ['/join', '?token=unknown'],
  ['/', ''],
  ['/shops', ''],
  ['/account', ''],
  ['/nodes', ''],
  ['/shop/$shopId', ''],
  ['/shop/$shopId/attention', ''],
  ['/shop/$shopId/payments', ''],
  ['/shop/$shopId/customers', ''],
  ['/shop/$shopId/products', ''],
  ['/shop/$shopId/links', ''],
  ['/shop/$shopId/counters', ''],
  ['/shop/$shopId/subscriptions', ''],
  ['/shop/$shopId/wallet', ''],
  ['/shop/$shopId/treasury', ''],
  ['/shop/$shopId/outputs', ''],
  ['/shop/$shopId/books', ''],
  ['/shop/$shopId/keys', ''],
  ['/shop/$shopId/webhooks', ''],
  ['/shop/$shopId/people', ''],
  ['/shop/$shopId/mails', ''],
  ['/shop/$shopId/audit', ''],
  ['/shop/$shopId/settings', ''],
];
/** Pages again, with other contents. */
const FURTHER: readonly [name: string, route: string][] = [
  ['payments-underpaid', '/shop/$shopId/payments?status=underpaid'],
  ['payments-none', '/shop/$shopId/payments?search=nothing-like-it'],
  ['volume-year', '/shop/$shopId?days=365'],
  ['webhooks-failed', '/shop/$shopId/webhooks?state=failed'],
  ['live-overview', '/shop/$shopId?mode=live'],
  ['live-wallet', '/shop/$shopId/wallet?mode=live'],
  ['unknown', '/nowhere'],
  ['unknown-payment', '/shop/$shopId/payments/pay_unknown'],
  ['unknown-subscription', '/shop/$shopId/subscriptions/sub_unknown'],
];
const PAYMENTS_SHOWN = [
  'pending',
  'exact BTC',
  'expired',
  'cancelled',
  'overpay ETH',
  'underpay LTC',
  'late SOL',
  'refunded LTC',
  'double-spend BTC',
];
const DIALOGS: readonly [title: string | RegExp, route: string, button: string | RegExp, of?: string][] = [
  ['New shop', '/shops', 'New shop'],
  ['Find anything', '/shop/$shopId', /^Find anything/],
  ['New payment', '/shop/$shopId/payments', 'New payment'],
  ['Export movements', '/shop/$shopId/payments', 'Export movements'],
  ['Cancel this payment?', '/shop/$shopId/payments/', 'Cancel payment', 'pending'],
  ['Refund', '/shop/$shopId/payments/', 'Refund', 'overpay ETH'],
  ['Refund by link', '/shop/$shopId/payments/', 'Refund by link', 'underpay LTC'],
  ['Accept this payment?', '/shop/$shopId/payments/', 'Accept as paid', 'late SOL'],
  ['Send LTC', '/shop/$shopId/wallet', 'Send LTC'],
  ['Receive ETH', '/shop/$shopId/wallet', 'Receive ETH'],
  ['Limits', '/shop/$shopId/wallet', 'Limits'],
  ['Freeze the wallet', '/shop/$shopId/wallet', 'Freeze the wallet'],
  ['Forward to cold storage', '/shop/$shopId/wallet', 'Cold storage'],
  ['Watch-only account', '/shop/$shopId/wallet', 'Watch-only'],
  ['New counter', '/shop/$shopId/counters', 'New counter'],
  ['New customer', '/shop/$shopId/customers', 'New customer'],
  ['New product', '/shop/$shopId/products', 'New product'],
  ['New price', '/shop/$shopId/products', 'Add price'],
  [/^Delete product/, '/shop/$shopId/products', 'Delete'],
  ['New payment link', '/shop/$shopId/links', 'New payment link'],
  ['Regenerate keys', '/shop/$shopId/keys', 'Regenerate keys'],
  ['Rotate the signing secret', '/shop/$shopId/keys', 'Rotate'],
  ['New restricted key', '/shop/$shopId/keys', 'New restricted key'],
  [/.*/, '/shop/$shopId/webhooks', 'New endpoint'],
  [/.*/, '/shop/$shopId/people', 'Invite a member'],
];

let busy: BusyShop;
let browser: WebBrowser;

beforeAll(async () => {
  await ensureWebBuilt();
  busy = await BusyShop.open(PAYMENTS);
  browser = await WebBrowser.start(busy.till.api.baseUrl);
}, 900_000);
afterAll(async () => {
  await browser?.stop();
  await busy?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

it('every page in the router of the dashboard is covered by the page tests', () => {
  const source = readFileSync('src/web/dashboard/router.tsx', 'utf8');
  const routes = [...source.matchAll(/(?:page\(\s*\w+,\s*|\bpath: )'(\/[^']*)'/g)].map(([, path]) => path);
  const looked = [...OUTSIDE, ...INSIDE].map(([route]) => route);
  expect(new Set(routes)).toEqual(
    new Set([...looked, '/shop/$shopId/payments/$paymentId', '/shop/$shopId/subscriptions/$subscriptionId']),
  );
});

function address(route: string): string {
  return `/dashboard${route.replace('$shopId', busy.shop.merchantId)}`;
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole('heading').first().waitFor();
  await expect.poll(() => page.locator('.animate-pulse').count()).toBe(0);
}

/** Of its screenshots. */
function nameOf(route: string): string {
  return route.replace('/shop/$shopId', 'shop').replaceAll('/', '-') || 'home';
}

/** Checks the open page in each viewport and colour scheme, beginning with the present ones. */
async function look(page: Page, name: string): Promise<void> {
  const isLast = page.viewportSize()?.width === VARIANTS.at(-1)?.viewport.width;
  for (const { device, colorScheme, viewport } of isLast ? VARIANTS.toReversed() : VARIANTS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const variant = `${name} on a ${device}, ${colorScheme}`;
    const path = `${SCREENS}/every-${LOCALE}-${name}-${device}-${colorScheme}.png`;
    // A dialog lies over what is on the screen, whatever is below it.
    if (IS_WHOLE) await page.screenshot({ path, fullPage: !name.startsWith('dialog-') });
    expect
      .soft([variant, await axeFindings(page, 'html', name.startsWith('payment-'))])
      .toEqual([variant, []]);
    // A chart is drawn again for its new width.
    await expect.poll(() => page.evaluate(OVERFLOW), { message: variant }).toBe(0);
    if (device !== 'phone') continue;
    expect.soft([variant, await page.evaluate(CUT_TABLES)]).toEqual([variant, []]);
    expect.soft([variant, await page.evaluate(BROKEN_AMOUNTS)]).toEqual([variant, []]);
  }
}

/** Opens a dialog by a button of a desktop's page. */
async function openDialog(page: Page, title: string | RegExp, button: string | RegExp): Promise<Locator> {
  await page
    .getByRole('button', { name: button, exact: typeof button === 'string' })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.waitFor();
  return dialog;
}

async function asOwner(): Promise<Page> {
  const page = await browser.page({ viewport: DESKTOP, locale: LOCALE });
  await signInBrowser(page.context(), busy.till.api.baseUrl, {
    email: busy.owner.email,
    password: PASSWORD,
  });
  return page;
}

/** The endpoint that fails. */
async function warehouse(): Promise<string> {
  const { endpoints } = await busy.till.api.must<{ endpoints: { id: string; url: string }[] }>(
    'GET',
    '/merchant/webhook/endpoint/list',
    { token: busy.shop.secretKey },
  );
  return endpoints.find(({ url }) => url.includes('warehouse'))?.id ?? '';
}

describe('the dashboard in each size and colour scheme', () => {
  it('is accessible and fits the screen on the pages before sign-in', async () => {
    const page = await browser.page({ viewport: DESKTOP, locale: LOCALE });
    for (const [route, query] of OUTSIDE) {
      await open(page, address(route) + query);
      await look(page, nameOf(route));
    }
    await page.context().close();
  });

  it('is accessible and fits the screen on the pages of a shop with much data', async () => {
    const page = await asOwner();
    for (const [route, query] of INSIDE) {
      await visit(page, address(route) + query);
      await look(page, nameOf(route));
    }
    for (const [name, route] of FURTHER) {
      await visit(page, address(route));
      await look(page, name);
    }
    await page.context().close();
  });

  it('shows each date of the list of payments on one line, and one row per event on a payment', async () => {
    const page = await asOwner();
    await visit(page, address('/shop/$shopId/payments'));
    const times = page.getByRole('region', { name: 'Payments' }).locator('tbody time:visible');
    const heights = await times.evaluateAll((all) => all.map((one) => one.getClientRects().length));
    expect(heights.length).toBeGreaterThan(10);
    expect(new Set(heights)).toEqual(new Set([1]));
    const { deliveries } = await busy.till.api.must<{ deliveries: { paymentId: string; eventId: string }[] }>(
      'GET',
      `/merchant/webhook/deliveries?limit=20&endpointId=${await warehouse()}`,
      { token: busy.shop.secretKey },
    );
    const { paymentId = '' } = deliveries.find((one) => one.paymentId !== null) ?? {};
    await visit(page, address(`/shop/$shopId/payments/${paymentId}`));
    const events = page.getByRole('region', { name: 'Webhooks' }).locator('tbody tr');
    await expect.poll(() => events.first().getByRole('listitem').count()).toBe(2);
    const names = await events.locator('td:first-child').allInnerTexts();
    expect(new Set(names.map((text) => text.split('\n')[0])).size).toBe(names.length);
    await page.context().close();
  });

  it('names the setting of each missing node', async () => {
    const page = await asOwner();
    await visit(page, '/dashboard/nodes');
    await page.getByRole('heading', { name: 'Connect a node' }).waitFor();
    await page.getByText('TILLD_BTC_RPC_URL').waitFor();
    await page.context().close();
  });

  it('is accessible and fits the screen on payments of every status', async () => {
    const page = await asOwner();
    for (const outcome of PAYMENTS_SHOWN) {
      await visit(page, address(`/shop/$shopId/payments/${busy.payment(outcome).id}`));
      await look(page, `payment-${outcome.replace(' ', '-')}`);
    }
    await page.context().close();
  });

  it('is accessible and fits the screen in its dialogs', async () => {
    const page = await asOwner();
    for (const [title, route, button, outcome] of DIALOGS) {
      await page.setViewportSize(DESKTOP);
      await visit(page, address(route) + (outcome === undefined ? '' : busy.payment(outcome).id));
      const dialog = await openDialog(page, title, button);
      await look(page, `dialog-${String(button).replaceAll(/\W+/g, '-')}`);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    await page.context().close();
  });

  it('is accessible and fits the screen in the confirmation of a send and the step-up dialog', async () => {
    const page = await asOwner();
    await visit(page, address('/shop/$shopId/wallet'));
    await page.getByRole('button', { name: 'Send LTC', exact: true }).click();
    await page.getByLabel('To address').fill(PAYER);
    await page.getByLabel('Amount in LTC').fill('0.01');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Send now' }).waitFor();
    await look(page, 'dialog-send-preview');
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
    await look(page, 'dialog-step-up');
    await confirmIt(page, { password: PASSWORD });
    await page.getByText('are on their way').first().waitFor();
    await look(page, 'dialog-sent');
    await page.setViewportSize(DESKTOP);
    await visit(page, address(`/shop/$shopId/payments/${busy.payment('overpay ETH').id}`));
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await page.getByLabel('Payer’s address').fill('0x8ba1f109551bD432803012645Ac136ddd64DBA72');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Send the refund' }).waitFor();
    await look(page, 'dialog-refund-preview');
    await page.getByRole('button', { name: 'Mark as refunded' }).click();
    await page.getByRole('button', { name: 'Yes, mark as refunded' }).waitFor();
    expect(await page.getByRole('button', { name: 'Send the refund' }).count()).toBe(0);
    await look(page, 'dialog-mark-as-refunded');
    await page.context().close();
  });
});
