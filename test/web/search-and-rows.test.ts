/** Finding things in the dashboard: the rows, order and pages of lists, and the search over all shops. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { newMember, signedIn } from '../_helpers/people.ts';
import { putShopInMode } from '../_helpers/shop-mode.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';

const DESKTOP = { width: 1440, height: 900 };
const PASSWORD = 'correct horse battery';
const PAYMENTS = 25;

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let other: Shop;
let email = '';
let page: Page;
let phone: Page;
let path = '';

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  shop = await Shop.open(till.api, { settings: { name: 'Corner shop' } });
  other = await Shop.open(till.api, { owner: shop.token, settings: { name: 'Beach shop' } });
  path = `/dashboard/shop/${shop.merchantId}`;
  for (let number = 1; number <= PAYMENTS; number += 1) {
    const customer = { email: `buyer-${number}@mail.example` };
    const orderId = `Order-${String((number * 7) % PAYMENTS).padStart(2, '0')}`;
    await shop.createPayment({ orderId, customerId: undefined, customer });
    till.clock.advance(1000);
  }
  await shop.createPayment({ orderId: 'Nameless-1', customerId: undefined, customer: {}, amount: '7.77' });
  await other.createPayment({ orderId: 'Towel-12', amount: '912.50', customerId: undefined, customer: {} });
  putShopInMode(till, other.merchantId, 'live');
  const asOwner = async (route: string, body: object) =>
    till.api.must('POST', route, { token: shop.token, body });
  await asOwner('/merchant/product/create', { name: 'Blue towel', description: 'Soft' });
  await asOwner('/merchant/link/create', {
    merchantId: other.merchantId,
    name: 'Towel by the sea',
    amount: '5',
    currency: 'EUR',
  });
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  ({ email } = user);
  page = await open({ viewport: DESKTOP, acceptDownloads: true });
  phone = await open({ viewport: PHONE, colorScheme: 'dark' });
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function open(options: Parameters<WebBrowser['page']>[0], as = email): Promise<Page> {
  const one = await browser.page(options);
  await signInBrowser(one.context(), till.api.baseUrl, { email: as, password: PASSWORD });
  return one;
}

const rows = (on: Page) => on.getByRole('region', { name: 'Payments' }).locator('tbody tr');
const orders = async (on: Page) => rows(on).locator('a').allInnerTexts();
const head = (name: string) => page.getByRole('columnheader', { name });

async function openPayments(query = ''): Promise<void> {
  await visit(page, `${path}/payments${query}`);
  await rows(page).first().waitFor();
}

describe('a row in the list of payments', () => {
  it('opens the payment by a click anywhere in it, like its link', async () => {
    await openPayments();
    const row = rows(page).filter({ hasText: 'Nameless-1' });
    await row.getByText('7.77').click();
    await page.getByRole('heading', { name: 'Nameless-1' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/payments\/pay_/);
  });

  it('opens a browser tab by a middle click or with Ctrl', async () => {
    await openPayments();
    const cell = rows(page).filter({ hasText: 'Nameless-1' }).getByText('7.77');
    for (const click of [{ button: 'middle' as const }, { modifiers: ['Control' as const] }]) {
      const [tab] = await Promise.all([page.context().waitForEvent('page'), cell.click(click)]);
      await tab.getByRole('heading', { name: 'Nameless-1' }).waitFor();
      await tab.close();
    }
    expect(new URL(page.url()).pathname).toBe(`${path}/payments`);
  });

  it('does not open the payment while text in it is being selected', async () => {
    await openPayments();
    const cell = rows(page).filter({ hasText: 'buyer-25@' }).getByText('buyer-25@mail.example');
    const box = await cell.boundingBox();
    if (box === null) throw new Error('there is no such cell');
    await page.mouse.move(box.x + 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    expect(String(await page.evaluate('getSelection().toString()'))).toContain('mail.example');
    expect(new URL(page.url()).pathname).toBe(`${path}/payments`);
    expect(await orders(page)).toHaveLength(20);
  });

  it('leads, in the list of customers, to the payments of that customer', async () => {
    await visit(page, `${path}/customers`);
    const row = page.getByRole('row', { name: /buyer-25@/ });
    await row.getByText(/^cus_/).click();
    await page.getByRole('button', { name: /^Customer cus_.*remove this filter/ }).waitFor();
    await expect.poll(() => orders(page)).toHaveLength(1);
    await visit(page, `${path}/audit`);
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  });
});

describe('the list of payments', () => {
  it('shows the email address of customers on wide screens', async () => {
    await openPayments();
    await rows(page).filter({ hasText: 'buyer-25@mail.example' }).waitFor();
    const nameless = rows(page).filter({ hasText: 'Nameless-1' });
    expect(await nameless.locator('td').nth(2).innerText()).toBe('–');
    await visit(phone, `${path}/payments`);
    await rows(phone).first().waitFor();
    expect(await phone.getByText('buyer-25@mail.example').isVisible()).toBe(false);
  });

  it('loads the customers of a page in one request, and includes them in the CSV', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    // A load of the page: a page that was shown before has its customers.
    await page.goto(`${path}/payments`);
    await page.getByText('buyer-25@mail.example').waitFor();
    expect(asked.filter((one) => one === '/merchant/customer/list')).toHaveLength(1);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const [first = '', ...lines] = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    const at = first.split(',').indexOf('customerEmail');
    const emails = lines.map((line) => line.split(',')[at]);
    expect(emails).toHaveLength(PAYMENTS + 1);
    expect(new Set(emails)).toEqual(
      new Set(['', ...Array.from({ length: PAYMENTS }, (_, index) => `buyer-${index + 1}@mail.example`)]),
    );
  });

  it('is sorted by a click on a heading: ascending, descending and back to default', async () => {
    await openPayments();
    expect(await head('Created').getAttribute('aria-sort')).toBe('descending');
    expect(await head('Order').getAttribute('aria-sort')).toBeNull();
    const press = async () => head('Order').getByRole('button').click();
    await press();
    await expect.poll(async () => (await orders(page))[0]).toBe('Nameless-1');
    expect((await orders(page)).slice(1, 4)).toEqual(['Order-00', 'Order-01', 'Order-02']);
    expect(await head('Order').getAttribute('aria-sort')).toBe('ascending');
    expect(await head('Created').getAttribute('aria-sort')).toBeNull();
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(async () => (await orders(page)).at(-1)).toBe('Order-24');
    await press();
    await expect.poll(async () => (await orders(page))[0]).toBe('Order-24');
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-orderId');
    await page.reload();
    await expect.poll(async () => (await orders(page))[0]).toBe('Order-24');
    await press();
    await page.getByRole('button', { name: 'Older' }).waitFor();
    expect(new URL(page.url()).searchParams.has('sort')).toBe(false);
    await head('Created').getByRole('button').click();
    await expect.poll(async () => (await orders(page))[0]).toBe('Order-07');
  });

  it('shows the selected number of rows per page, which is part of the URL', async () => {
    await openPayments();
    expect(await orders(page)).toHaveLength(20);
    await page.getByLabel('Rows on a page').selectOption('50');
    await expect.poll(async () => (await orders(page)).length).toBe(PAYMENTS + 1);
    expect(new URL(page.url()).searchParams.get('limit')).toBe('50');
    expect(await page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
    await page.reload();
    await expect.poll(async () => (await orders(page)).length).toBe(PAYMENTS + 1);
    await openPayments('?limit=7');
    expect(await orders(page)).toHaveLength(20);
  });
});

const dialog = (on: Page) => on.getByRole('dialog', { name: 'Find anything' });
const hits = async (on: Page) => dialog(on).getByRole('link').allInnerTexts();

async function openByKeys(on: Page): Promise<void> {
  await on.getByRole('button', { name: 'Find anything' }).waitFor();
  await on.keyboard.press('Control+k');
  await dialog(on).waitFor();
}

async function find(on: Page, text: string): Promise<void> {
  await dialog(on).getByLabel('Search').fill(text);
  await dialog(on)
    .getByText(/^(One result|\d+ results|Nothing found)$/)
    .waitFor();
}

describe('the global search', () => {
  it('opens by its shortcut, focuses its field, and closes by Escape', async () => {
    await visit(page, path);
    await page.getByRole('heading', { name: 'Corner shop' }).waitFor();
    await openByKeys(page);
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('finds each kind of object in all shops', async () => {
    await visit(page, path);
    await page.getByRole('button', { name: 'Find anything' }).click();
    await find(page, 'towel');
    const found = (await hits(page)).join('\n');
    for (const part of ['Towel-12', 'Towel by the sea', 'Blue towel', 'Beach shop'])
      expect(found).toContain(part);
    expect(await dialog(page).getByRole('heading', { level: 3 }).allInnerTexts()).toEqual([
      'Payments',
      'Payment links',
      'Products',
    ]);
    expect(await axeFindings(page)).toEqual([]);
    for (const [text, hit] of [
      ['buyer-7@', /^buyer-7@mail\.example/],
      ['912.5', /^Towel-12/],
      ['beach', /^Beach shop/],
      ['webho', /^Webhooks$/],
      ['settings', /^Shop settings$/],
    ] as const) {
      await find(page, text);
      await expect
        .poll(async () => (await hits(page)).some((one) => hit.test(one)), { message: text })
        .toBe(true);
    }
    await find(page, 'nothing-like-it');
    expect(await hits(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('shows at most five results of a kind, from each shop in turn, and links to the other payments', async () => {
    await visit(page, path);
    await page.getByRole('button', { name: 'Find anything' }).click();
    await find(page, 'er-');
    const payments = dialog(page).locator('section', { hasText: 'Payments' });
    const shown = await payments.getByRole('link').allInnerTexts();
    expect([shown.length, shown.at(-1)]).toEqual([6, 'All payments with “er-”']);
    expect(shown.slice(0, 5).join('\n')).not.toContain('All payments');
    await find(page, '12');
    expect((await payments.getByRole('link').allInnerTexts()).join('\n')).toContain('Towel-12');
    await page.keyboard.press('Escape');
  });

  it('is navigated with the arrow keys, and Enter opens the first result in the mode (live or sandbox) of the object', async () => {
    await visit(page, path);
    await openByKeys(page);
    await find(page, 'towel');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Towel by the sea');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Towel-12' }).waitFor();
    const { pathname, searchParams } = new URL(page.url());
    expect(pathname).toContain(`/shop/${other.merchantId}/payments/pay_`);
    expect(searchParams.get('mode')).toBe('sandbox');
    await page.getByText('You are looking at test payments').waitFor();
    expect(await dialog(page).count()).toBe(0);
    // The next hit is of a shop that is shown as it is.
    await openByKeys(page);
    await find(page, 'nameless');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nameless-1' }).waitFor();
    expect(new URL(page.url()).searchParams.has('mode')).toBe(false);
  });

  it('opens a result in a new tab with Ctrl, and stays open', async () => {
    await visit(page, path);
    await openByKeys(page);
    await find(page, 'nameless');
    const hit = dialog(page).getByRole('link', { name: /Nameless-1/ });
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      hit.click({ modifiers: ['Control'] }),
    ]);
    await tab.getByRole('heading', { name: 'Nameless-1' }).waitFor();
    await tab.close();
    expect(await dialog(page).count()).toBe(1);
    await page.keyboard.press('Escape');
  });

  it('works on a phone, and finds no objects of other accounts', async () => {
    const stranger = await Shop.open(till.api, { settings: { name: 'Towel stranger' } });
    await stranger.createPayment({ orderId: 'Towel-secret' });
    await visit(phone, path);
    await phone.getByRole('button', { name: 'Find anything' }).click();
    await find(phone, 'towel');
    expect((await hits(phone)).join('\n')).not.toMatch(/stranger|secret/);
    expect(await hits(phone)).toHaveLength(3);
    expect(await axeFindings(phone)).toEqual([]);
    await dialog(phone)
      .getByRole('link', { name: /Blue towel/ })
      .click();
    await phone.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  });

  it('requests from the shop of another owner only what the role allows', async () => {
    const owner = await signedIn(till.api, email, shop.token);
    const keeper = await newMember(till.api, owner.session, {
      merchantId: shop.merchantId,
      role: 'bookkeeper',
    });
    const theirs = await open({ viewport: DESKTOP }, keeper.email);
    const refused: string[] = [];
    theirs.on('response', (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
    });
    await visit(theirs, path);
    await theirs.getByRole('heading', { name: 'Corner shop' }).waitFor();
    await openByKeys(theirs);
    await find(theirs, 'nameless');
    expect(await hits(theirs)).toEqual([expect.stringContaining('Nameless-1')]);
    await find(theirs, 'towel');
    expect(await hits(theirs)).toEqual([expect.stringContaining('Blue towel')]);
    await find(theirs, 'buyer-3@');
    expect((await hits(theirs)).at(-1)).toContain('buyer-3@mail.example');
    await find(theirs, 'settings');
    expect(await hits(theirs)).toEqual([]);
    expect(refused).toEqual([]);
    await theirs.close();
  });
});

it('the dashboard menu scrolls on a low screen, and its header and footer stay visible', async () => {
  await page.setViewportSize({ width: 1366, height: 600 });
  await visit(page, `${path}/settings`);
  await page.getByRole('heading', { name: 'Shop settings', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click({ trial: true, timeout: 3_000 });
  await page.getByRole('button', { name: 'Find anything' }).click({ trial: true, timeout: 3_000 });
  const menu = page.getByRole('navigation', { name: 'Main' });
  await menu.getByRole('link', { name: 'API docs' }).click({ trial: true, timeout: 3_000 });
  expect(await axeFindings(page)).toEqual([]);
  await page.setViewportSize(DESKTOP);
});

it('every page of the dashboard has its own title and icon', async () => {
  const titles = new Map<string, string>();
  for (const at of [
    '/dashboard/shops',
    '/dashboard/nodes',
    '/dashboard/account',
    ...['', '/payments', '/wallet', '/customers', '/products', '/links', '/webhooks'].map(
      (one) => path + one,
    ),
    ...['/mails', '/keys', '/people', '/audit', '/settings'].map((one) => path + one),
  ]) {
    await visit(page, at);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const title = await page.title();
    expect(title, at).toMatch(/^\S.* · tilld$/);
    expect(titles.get(title), `${at} has the title of another page`).toBeUndefined();
    titles.set(title, at);
  }
  for (const at of ['/dashboard/login', '/docs', '/dashboard/shops']) {
    await visit(page, at);
    const icon = (await page.locator('link[rel="icon"]').getAttribute('href')) ?? '';
    // Of one whole in the page itself nothing is to be loaded.
    if (icon.startsWith('data:image/svg+xml,')) continue;
    const { status, headers } = await fetch(new URL(icon, page.url()));
    expect([at, status, headers.get('content-type')]).toEqual([at, 200, 'image/svg+xml']);
  }
});
