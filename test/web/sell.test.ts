import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { newMember, signedIn, type Person } from '../_helpers/people.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser } from '../_helpers/web/dashboard.ts';
import { startShopPage, type ShopPage } from '../_helpers/web/shop-page.ts';

const PASSWORD = 'correct horse battery';
const SCROLLS = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
const CLIPBOARD = 'navigator.clipboard.readText()';
const LOOKS = [
  ['phone', PHONE, 'dark'],
  ['desktop', DESKTOP, 'light'],
] as const;

interface Link {
  readonly id: string;
  readonly url: string;
}

let till: Till;
/** As the addresses of links have it. */
let origin = '';
let browser: WebBrowser;
let site: ShopPage;
let shop: Shop;
let owner: Person;
let context: BrowserContext;
let page: Page;
/** What the shop's own page says; pasted by a test. */
let markup = '';
const ids = { product: '', price: '', inactive: '' };

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '1500ms' });
  await till.ready();
  origin = till.api.baseUrl.replace('127.0.0.1', 'localhost');
  site = await startShopPage(origin, () => markup);
  browser = await WebBrowser.start(origin, [site.origin]);
  shop = await Shop.open(till.api, { settings: { name: 'Blue Door Books', embedOrigins: [site.origin] } });
  const { user } = await must<{ user: { email: string } }>('GET', '/auth/me');
  owner = await signedIn(till.api, user.email, shop.token);
  const product = { name: 'Reading club', description: 'Every Tuesday', recurring: true };
  ids.product = await made('/merchant/product/create', { ...product, recurringInterval: 'monthly' });
  ids.price = await price('12.50');
  ids.inactive = await price('9');
  await must('PATCH', '/merchant/price/edit', { priceId: ids.inactive, active: false });
  context = await browser.context({
    viewport: DESKTOP,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await signInBrowser(context, origin, { email: owner.email, password: PASSWORD });
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.stop();
  await Promise.all([site?.close(), till?.end()]);
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function must<T>(method: string, path: string, body?: object): Promise<T> {
  const given = body === undefined ? {} : { body };
  return till.api.must<T>(method, path, { token: shop.token, ...given });
}
const made = async (path: string, body: object): Promise<string> =>
  (await must<{ id: string }>('POST', path, body)).id;
const price = async (amount: string): Promise<string> =>
  made('/merchant/price/create', { productId: ids.product, amount, currency: 'EUR' });
const link = async (body: object): Promise<Link> =>
  till.api.must<Link>('POST', '/merchant/link/create', { token: shop.secretKey, body });
const linksOf = async (priceId: string): Promise<Link[]> =>
  (
    await must<{ links: Link[] }>(
      'GET',
      `/merchant/link/list?merchantId=${shop.merchantId}&priceId=${priceId}`,
    )
  ).links;

const open = async (path: string, tab: Page = page): Promise<void> => {
  await tab.goto(`/dashboard/shop/${shop.merchantId}/${path}`);
  await tab.locator('h1').waitFor();
};
const urlIn = async (dialog: Locator): Promise<string> => dialog.locator('code').first().innerText();

/** The dialog that the button of a price opens, with its link in it. */
async function sell(tab: Page = page): Promise<Locator> {
  await tab.getByRole('button', { name: 'Sell for €12.50' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Reading club' });
  await dialog.getByRole('img', { name: /QR code of .*\/l\// }).waitFor();
  return dialog;
}

/** The dialog that shares a link of the list. */
async function share(name: string, tab: Page = page): Promise<Locator> {
  await open('links', tab);
  await tab.getByRole('listitem').filter({ hasText: name }).getByRole('button', { name: 'Share' }).click();
  const dialog = tab.getByRole('dialog', { name });
  await dialog.getByRole('img', { name: /QR code of/ }).waitFor();
  return dialog;
}

/** The mail that a link opens, as a mail program reads it. */
async function mailOf(dialog: Locator): Promise<{ to: string; subject: string; body: string }> {
  const mail = new URL((await dialog.getByRole('link', { name: 'Email it' }).getAttribute('href')) ?? '');
  expect(mail.protocol).toBe('mailto:');
  const [subject = '', body = ''] = ['subject', 'body'].map((name) =>
    decodeURIComponent(new RegExp(`[?&]${name}=([^&]*)`).exec(mail.search)?.[1] ?? ''),
  );
  return { to: mail.pathname, subject, body };
}

describe('the Sell action of a catalog price', () => {
  it('creates one payment link, reuses it, and opens its checkout', async () => {
    await open('products');
    const first = await sell();
    const url = await urlIn(first);
    expect(await linksOf(ids.price)).toMatchObject([{ url, name: 'Reading club', priceId: ids.price }]);
    const mail = await mailOf(first);
    expect(mail).toMatchObject({ to: '', subject: 'Blue Door Books: Reading club' });
    expect(mail.body.split('\r\n\r\n')).toEqual([
      'Reading club',
      'Every Tuesday',
      'Please pay €12.50 here:',
      url,
      'Blue Door Books',
    ]);
    await first.getByRole('button', { name: 'Copy address' }).click();
    await expect.poll(async () => page.evaluate(CLIPBOARD)).toBe(url);
    const opened = context.waitForEvent('page');
    await first.getByRole('link', { name: 'Open the page' }).click();
    const payer = await opened;
    // Its product recurs: the payer starts a subscription, whose invoices are emailed.
    await payer.locator('input[type=email]').fill('reader@example.com');
    await payer.getByRole('button', { name: 'Subscribe' }).click();
    await payer.waitForURL(/\/checkout\/pay_/);
    expect(await payer.locator('.total').innerText()).toBe('€12.50');
    await payer.close();
    await page.keyboard.press('Escape');
    await first.waitFor({ state: 'detached' });
    expect(await urlIn(await sell())).toBe(url);
    expect(await linksOf(ids.price)).toHaveLength(1);
  });

  it('creates another payment link once the first one is closed', async () => {
    const [closed] = await linksOf(ids.price);
    await must('PATCH', '/merchant/link/edit', { paymentLinkId: closed?.id, active: false });
    await open('products');
    const url = await urlIn(await sell());
    expect(url).not.toBe(closed?.url);
    expect(await linksOf(ids.price)).toHaveLength(2);
  });

  it('is not offered while the price or its product is inactive, nor to a bookkeeper', async () => {
    await open('products');
    const sells = page.getByRole('button', { name: /^Sell for/ });
    await sells.waitFor();
    expect(await sells.count()).toBe(1);
    await page.getByRole('button', { name: 'Deactivate', exact: true }).click();
    await page.getByRole('button', { name: 'Activate', exact: true }).waitFor();
    expect(await sells.count()).toBe(0);
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await sells.waitFor();
    const { merchantId } = shop;
    const bookkeeper = await newMember(till.api, owner.session, { merchantId, role: 'bookkeeper' });
    const theirs = await browser.context({ viewport: DESKTOP });
    await signInBrowser(theirs, origin, { email: bookkeeper.email, password: PASSWORD });
    const tab = await theirs.newPage();
    await open('products', tab);
    await tab.getByText('€12.50').first().waitFor();
    expect(await tab.getByRole('button', { name: /^Sell for/ }).count()).toBe(0);
    await theirs.close();
  });

  it('shows why the payment link could not be created, and offers a retry', async () => {
    await open('products');
    const make = '**/merchant/link/list**';
    await context.route(make, async (route) => route.abort());
    await page.getByRole('button', { name: 'Sell for €12.50' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reading club' });
    await dialog.getByRole('alert').waitFor();
    await context.unroute(make);
    browser.takeComplaints();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('img', { name: /QR code of/ }).waitFor();
    expect(await linksOf(ids.price)).toHaveLength(2);
  });

  it('is shown together with buttons that copy the ids of price and product', async () => {
    await open('products');
    await page.getByText('Ids for the API').click();
    for (const [name, id] of [
      ['Product', ids.product],
      ['€12.50', ids.price],
      ['€9.00', ids.inactive],
    ] as const) {
      await page.getByRole('button', { name: `Copy the id of ${name}` }).click();
      await expect.poll(async () => page.evaluate(CLIPBOARD)).toBe(id);
    }
  });

  it('is on a page whose product form offers no recurring interval, and keeps one that the API has set', async () => {
    await open('products');
    await page.getByRole('heading', { name: 'Reading club' }).waitFor();
    expect(await page.getByText('monthly').count()).toBe(0);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Description (optional)').fill('Every Wednesday');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Every Wednesday').waitFor();
    await page.getByRole('button', { name: 'New product' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    expect(await page.getByRole('dialog').locator('select').count()).toBe(0);
    const { products } = await must<{ products: object[] }>('GET', '/merchant/product/list');
    expect(products).toMatchObject([{ description: 'Every Wednesday', recurringInterval: 'monthly' }]);
  });
});

describe('a payment link in the dashboard', () => {
  it('opens on the site of the shop by an embedded button, whatever the name of the link is', async () => {
    const name = 'Tea & <b>cake</b> "fresh"';
    const { url } = await link({ name, amount: '5', currency: 'EUR' });
    const dialog = await share(name);
    expect((await mailOf(dialog)).body).toContain(`Please pay €5.00 here:\r\n\r\n${url}`);
    await dialog.getByText('Button for your site').click();
    await dialog.getByRole('button', { name: 'Copy the HTML' }).click();
    await expect.poll(async () => page.evaluate<string>(CLIPBOARD)).toContain(url);
    markup = await page.evaluate<string>(CLIPBOARD);
    const tab = await context.newPage();
    await tab.goto(site.origin);
    await tab.getByRole('link', { name, exact: true }).click();
    await tab.frameLocator('dialog iframe').getByRole('button', { name: 'Continue to payment' }).waitFor();
    expect(new URL(tab.url()).origin).toBe(site.origin);
    await tab.close();
  });

  it('is emailed without an amount when the payer chooses the amount', async () => {
    await link({ name: 'Support us', openAmount: {}, currency: 'EUR' });
    expect((await mailOf(await share('Support us'))).body).toContain('Please pay here:');
  });

  it('offers neither email nor embedding when it is for a point of sale', async () => {
    await link({ kind: 'pos', name: 'Till 1', openAmount: {}, currency: 'EUR' });
    const dialog = await share('Till 1');
    await dialog.getByRole('link', { name: 'Open the page' }).waitFor();
    expect(await dialog.getByRole('link', { name: 'Email it' }).count()).toBe(0);
    expect(await dialog.getByText('Button for your site').count()).toBe(0);
  });
});

describe('the sale dialog by keyboard', () => {
  it('traps the focus and returns it', async () => {
    await open('products');
    const opener = page.getByRole('button', { name: 'Sell for €12.50' });
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Reading club' });
    await dialog.getByRole('img', { name: /QR code of/ }).waitFor();
    const holds = 'document.querySelector("[role=dialog]").contains(document.activeElement)';
    await expect.poll(async () => page.evaluate<boolean>(holds)).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const isBack = async (): Promise<boolean> =>
      opener.evaluate((element) => element === element.ownerDocument.activeElement);
    await expect.poll(isBack).toBe(true);
  });
});

describe('accessibility of the sale dialog', () => {
  it.each(LOOKS)('has no findings, and the dialog fits a %s', async (_name, viewport, colorScheme) => {
    const shown = await browser.context({ viewport, colorScheme });
    await signInBrowser(shown, origin, { email: owner.email, password: PASSWORD });
    const tab = await shown.newPage();
    const look = async (_what: string): Promise<void> => {
      expect(await axeFindings(tab)).toEqual([]);
      expect(await tab.evaluate(SCROLLS)).toBe(false);
    };
    await open('products', tab);
    await tab.getByText('Ids for the API').click();
    await look('products');
    await sell(tab);
    await look('price');
    const dialog = await share('Tea & <b>cake</b> "fresh"', tab);
    await dialog.getByText('Button for your site').click();
    await dialog.getByRole('button', { name: 'Copy the HTML' }).scrollIntoViewIfNeeded();
    await look('link');
    await shown.close();
  });
});
