/** The frame around every page: where one is, whether what is shown is fresh, and what an address without a page shows. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { openMenu, signInBrowser } from '../_helpers/web/dashboard.ts';

const PASSWORD = 'correct horse battery';

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let email: string;
let page: Page;
let phone: Page;
let shopPath: string;

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  await till.ready();
  shop = await Shop.open(till.api, { settings: { name: 'Corner shop' } });
  await Shop.open(till.api, { owner: shop.token, settings: { name: 'Other shop' } });
  browser = await WebBrowser.start(till.api.baseUrl);
  shopPath = `/dashboard/shop/${shop.merchantId}`;
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  ({ email } = user);
  page = await open({ viewport: DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] });
  phone = await open({ viewport: PHONE, colorScheme: 'dark' });
});

async function open(options: Parameters<WebBrowser['context']>[0]): Promise<Page> {
  const context = await browser.context(options);
  await signInBrowser(context, till.api.baseUrl, { email, password: PASSWORD });
  return context.newPage();
}

afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

const menu = (on: Page) => on.getByRole('navigation', { name: 'Main' });
const chosen = (on: Page) =>
  on.getByLabel('Shop', { exact: true }).evaluate((select) => (select as { value?: string }).value);

describe('the dashboard menu', () => {
  it('keeps the selected shop on account pages, also after a reload, and not on the list of shops', async () => {
    await page.goto(shopPath);
    for (const name of ['Nodes', 'Account']) {
      await menu(page).getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      expect([name, await chosen(page)]).toEqual([name, shop.merchantId]);
      expect(await menu(page).getByRole('link', { name: 'Wallet' }).count()).toBe(1);
    }
    await page.reload();
    await menu(page).getByRole('link', { name: 'Payments', exact: true }).click();
    expect(new URL(page.url()).pathname).toBe(`${shopPath}/payments`);
    await page.goto('/dashboard/shops');
    await page.getByRole('heading', { name: 'Shops' }).waitFor();
    expect([await chosen(page), await menu(page).getByRole('link', { name: 'Wallet' }).count()]).toEqual([
      '',
      0,
    ]);
  });

  it('links to the documentation', async () => {
    await menu(page).getByRole('link', { name: 'API docs' }).click();
    await page.waitForURL('**/docs');
  });

  it('shows its entries in groups', async () => {
    await page.goto(shopPath);
    await menu(page).getByRole('link', { name: 'Home' }).waitFor();
    const titles = ['Sell', 'Money', 'Developers', 'Settings'];
    const groups = await Promise.all(
      titles.map(async (name) => menu(page).getByRole('list', { name }).getByRole('link').allInnerTexts()),
    );
    expect(Object.fromEntries(titles.map((title, at) => [title, groups[at]]))).toEqual({
      Sell: ['Payment links', 'Counters', 'Products', 'Subscriptions', 'Customers'],
      Money: ['Wallet', 'Books'],
      Developers: ['API keys', 'Webhooks', 'API docs'],
      Settings: ['Shop settings', 'Team', 'Emails', 'Audit log', 'Nodes', 'Account'],
    });
    expect(await page.getByRole('button', { name: 'Menu' }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
  });
});

const button = () => phone.getByRole('button', { name: /^Menu/ });
const isExpanded = async () => button().getAttribute('aria-expanded');

describe('the dashboard menu on a phone', () => {
  it('opens and closes by its button, and by Escape, which returns the focus to the button', async () => {
    await phone.goto(`${shopPath}/wallet`);
    await phone.getByRole('heading', { level: 1 }).waitFor();
    expect([await isExpanded(), await menu(phone).count()]).toEqual(['false', 0]);
    await button().focus();
    await phone.keyboard.press('Enter');
    await menu(phone).waitFor();
    const focused = phone.locator(':focus');
    await expect.poll(async () => focused.innerText()).toBe('Wallet');
    expect(await isExpanded()).toBe('true');
    expect(await axeFindings(phone)).toEqual([]);
    await phone.keyboard.press('Escape');
    await expect.poll(isExpanded).toBe('false');
    expect([await menu(phone).count(), await focused.innerText()]).toEqual([0, 'Menu']);
    await button().click();
    await menu(phone).waitFor();
    await button().click();
    await expect.poll(async () => menu(phone).count()).toBe(0);
  });

  it('closes when a page is chosen, also the current one, and moves the focus to the page', async () => {
    for (const name of ['Webhooks', 'Webhooks', 'Home']) {
      await button().click();
      await menu(phone).getByRole('link', { name, exact: true }).click();
      await expect.poll(async () => menu(phone).count()).toBe(0);
      await expect.poll(async () => phone.evaluate('document.activeElement.id')).toBe('content');
    }
    expect(new URL(phone.url()).pathname).toBe(shopPath);
  });

  it('closes when the user taps the page, or the keyboard focus leaves the menu', async () => {
    await button().click();
    await phone.mouse.click(200, 835);
    await expect.poll(async () => menu(phone).count()).toBe(0);
    await button().click();
    await phone.getByRole('button', { name: 'Sign out' }).focus();
    await phone.keyboard.press('Tab');
    await expect.poll(async () => menu(phone).count()).toBe(0);
  });
});

describe('the dashboard in an offline browser', () => {
  it('shows a message, marks the data as outdated, and reloads it once it is online', async () => {
    await page.goto(`${shopPath}/payments`);
    await page.getByText('No payment yet').waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline. What you see may be out of date.').waitFor();
    await page.getByText('This could not be refreshed and may be out of date').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    browser.takeComplaints();
    const { orderId } = await shop
      .createPayment({ orderId: 'While you were away' })
      .then(async ({ id }) => shop.payment(id));
    await page.context().setOffline(false);
    await page.getByRole('link', { name: orderId }).waitFor({ timeout: 5_000 });
    expect(await page.getByText('may be out of date').count()).toBe(0);
    browser.takeComplaints();
  });
});

describe('the dashboard at an unknown path', () => {
  it.each([
    ['/dashboard/no-such-page', 'Not found'],
    ['/dashboard/shop/none', 'No such shop'],
  ])('%s shows the menu and the heading %s', async (path, heading) => {
    for (const on of [page, phone]) {
      await on.goto(path);
      await on.getByRole('heading', { name: heading, level: 1 }).waitFor();
      expect(await (await openMenu(on)).getByRole('link', { name: 'Account' }).count()).toBe(1);
      expect(await on.title()).toBe(`${heading} · tilld`);
    }
  });

  it('shows a message under a heading for an unknown payment', async () => {
    await page.goto(`${shopPath}/payments/pay_none`);
    await page.getByRole('heading', { name: 'No such payment', level: 1 }).waitFor();
  });

  it('redirects signed-out visitors to sign-in, or shows a message without the menu', async () => {
    const stranger = await browser.page({ viewport: DESKTOP });
    await stranger.goto('/dashboard/no-such-page');
    await stranger.getByRole('heading', { name: 'Not found' }).waitFor();
    expect(await menu(stranger).count()).toBe(0);
    await stranger.close();
  });
});

describe('the keys page', () => {
  it('copies the example also in a browser that refuses the clipboard', async () => {
    await page.goto(`${shopPath}/keys`);
    await page.evaluate(`navigator.clipboard.writeText('something else').then(() => {
      navigator.clipboard.writeText = async () => { throw new Error('refused'); };
    })`);
    const card = page.locator('section', { hasText: 'Your first call' });
    await card.getByRole('button', { name: 'Copy the command' }).click();
    await card.getByRole('button', { name: 'Copied' }).waitFor();
    const command = await page.evaluate('navigator.clipboard.readText()');
    expect(command).toBe(await card.locator('code').innerText());
  });

  it('shows an example of a first API call that works unchanged', async () => {
    await page.goto(`${shopPath}/keys`);
    const card = page.locator('section', { hasText: 'Your first call' });
    await card.getByRole('button', { name: 'Copy the command' }).click();
    const command = await page.evaluate('navigator.clipboard.readText()');
    expect(command).toBe(await card.locator('code').innerText());
    const [url = '', ...parts] = String(command).split(' \\\n  ');
    expect(url).toBe(`curl ${till.api.baseUrl}/payment/create`);
    const headers = parts
      .slice(0, 2)
      .map((part) => /^-H '(.+?): (.+)'$/.exec(part)?.slice(1) as [string, string]);
    const body = /^-d '(.+)'$/.exec(parts[2] ?? '')?.[1] ?? '';
    const answer = await fetch(url.slice('curl '.length), { method: 'POST', headers, body });
    expect(answer.status).toBe(201);
    expect(command).not.toContain('sk_');
    expect(await axeFindings(page)).toEqual([]);
  });
});

/** Runs in the page. */
function colourBehind(it: { computedStyleMap?(): { get(name: string): unknown } }): string {
  return String(it.computedStyleMap?.().get('background-color'));
}

describe('the dashboard on a slow or limited browser', () => {
  it('shows placeholders while a page loads', async () => {
    const slow = await open({ viewport: DESKTOP });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await slow.route('**/payment/list?*', async (route) => {
      await held;
      await route.continue();
    });
    await slow.goto(`${shopPath}/payments`);
    const bar = slow.getByRole('status', { name: 'Loading' }).locator('div').first();
    await bar.waitFor();
    const [colour, ground] = await Promise.all(
      [bar, slow.locator('section', { has: bar })].map((at) => at.evaluate(colourBehind)),
    );
    expect(colour).not.toBe(ground);
    release();
    await slow.getByRole('link', { name: 'While you were away' }).waitFor();
    await slow.close();
  });

  it('shows a message in a browser without JavaScript', async () => {
    const bare = await browser.page({ viewport: PHONE, javaScriptEnabled: false });
    await bare.goto('/dashboard');
    await bare.getByRole('heading', { name: 'tilld' }).waitFor();
    expect(await bare.getByRole('main').innerText()).toContain('The dashboard needs JavaScript');
    expect(await bare.getByRole('heading').evaluate((it) => it.getBoundingClientRect().left)).toBeGreaterThan(
      0,
    );
    await bare.close();
  });
});

describe('resending the verification email in the dashboard', () => {
  it('shows that the link is in the log when no mail server is configured', async () => {
    await page.goto('/dashboard/account');
    await page.getByRole('button', { name: 'Email the link again' }).click();
    await page.getByText('This server has no mail server: the new link is in its log').waitFor();
  });
});

describe('signing out of the dashboard', () => {
  for (const [way, answers] of [
    ['here', '**/auth/session'],
    ['everywhere', '**/auth/sessions'],
  ] as const) {
    it(`${way} while the page still loads leads to one sign-in page that keeps its input`, async () => {
      const one = await open({ viewport: DESKTOP });
      const isOut = Promise.withResolvers<void>();
      const isRefused = Promise.withResolvers<void>();
      await one.route('**/merchant/list', async (route) => {
        await isOut.promise;
        await route.continue();
      });
      await one.route(answers, async (route) => {
        if (route.request().method() !== 'DELETE') return route.fallback();
        const answer = await route.fetch();
        isOut.resolve();
        await isRefused.promise;
        await route.fulfill({ response: answer });
      });
      await one.goto('/dashboard/account');
      await one.getByText('This one').waitFor();
      const refused = one.waitForResponse('**/merchant/list');
      const isGone = one.waitForResponse(
        (response) => response.url().endsWith('/auth/session') && response.request().method() === 'GET',
      );
      if (way === 'here') await one.getByRole('button', { name: 'Sign out' }).click();
      else {
        await one.getByRole('button', { name: 'End every session' }).click();
        await one.getByRole('button', { name: 'Yes, end them all' }).click();
      }
      expect((await refused).status()).toBe(401);
      expect((await isGone).status()).toBe(401);
      expect(await one.getByRole('heading', { name: 'Sign in' }).count()).toBe(0);
      isRefused.resolve();
      await one.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(new URL(one.url()).pathname).toBe('/dashboard/login');
      expect(await one.getByText('Your session has ended').count()).toBe(0);
      await one.context().close();
    });
  }
});
