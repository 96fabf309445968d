import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { confirmIt, signInBrowser } from '../_helpers/web/dashboard.ts';

const EMAIL = 'owner@example.com';
const PASSWORD = 'correct horse battery';
const SCOPES = 'payments:write refunds:write customers:write webhooks:write events:read';

let till: Till;
let browser: WebBrowser;
let context: BrowserContext;
let page: Page;
/** The shop that asks: where the owner comes back to. */
let site: Server;
let origin: string;
let token: string;
let shopId: string;

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  await till.ready();
  site = createServer((_req, res) =>
    res.setHeader('content-type', 'text/html').end('<h1>Back in the shop</h1>'),
  );
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const account = { email: EMAIL, password: PASSWORD };
  ({ token } = await till.api.must<{ token: string }>('POST', '/auth/register', { body: account }));
  const { merchant } = await till.api.must<{ merchant: { id: string } }>('POST', '/merchant/create', {
    token,
    body: { name: 'Blue Door Books', domain: 'bluedoor.example' },
  });
  shopId = merchant.id;
  await till.api.must('POST', '/merchant/create', {
    token,
    body: { name: 'Red Door Records', domain: 'reddoor.example' },
  });
  browser = await WebBrowser.start(till.api.baseUrl);
  context = await browser.context({ viewport: DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] });
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
  site?.closeAllConnections();
  site?.close();
});
afterEach(() => {
  // The shop itself has no icon.
  expect(browser.takeComplaints().filter((line) => !line.includes('favicon.ico'))).toEqual([]);
});

const button = (name: string | RegExp) => page.getByRole('button', { name });
const field = (name: string | RegExp) => page.getByLabel(name).last();
const heading = (name: string | RegExp) => page.getByRole('heading', { name });

function connectPath(fields: Record<string, string> = {}, codeVerifier = 'x'): string {
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const request = {
    name: 'WooCommerce of Blue Door',
    scopes: SCOPES,
    redirectUrl: `${origin}/connected`,
    state: 'af0i & fj=#',
    codeChallenge,
  };
  return `/connect?${new URLSearchParams({ ...request, ...fields }).toString()}`;
}

async function signIn(): Promise<void> {
  await heading('Sign in').waitFor();
  await field('Email').fill(EMAIL);
  await field('Password').fill(PASSWORD);
  await button('Sign in').click();
}

async function back(): Promise<URL> {
  await heading('Back in the shop').waitFor();
  return new URL(page.url());
}

describe('a shop that requests an API key from its owner', () => {
  it('is approved by the owner after sign-in, and exchanges its code for the key', async () => {
    const codeVerifier = randomBytes(32).toString('base64url');
    await page.goto(connectPath({}, codeVerifier));
    await signIn();
    await heading('Connect a shop').waitFor();
    await page.getByText(`asks for a key to one of your shops`).waitFor();
    await page.getByText(origin.replace('http://', '')).first().waitFor();
    await page.getByText('It cannot send coins from your wallet').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(5);
    // Two shops: none is chosen for the owner.
    expect(await button('Agree').isDisabled()).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await page
      .getByLabel('Shop', { exact: true })
      .selectOption({ label: 'Blue Door Books (bluedoor.example)' });
    await button('Agree').click();
    await confirmIt(page, { password: PASSWORD });
    const url = await back();
    expect(url.origin + url.pathname).toBe(`${origin}/connected`);
    expect(url.searchParams.get('state')).toBe('af0i & fj=#');
    const connection = await till.api.must<{ merchantId: string; key: string }>('POST', '/connect/token', {
      body: { code: url.searchParams.get('code'), codeVerifier },
    });
    expect(connection.merchantId).toBe(shopId);
    const { payments } = await till.api.must<{ payments: unknown[] }>('GET', '/payment/list', {
      token: connection.key,
    });
    expect(payments).toEqual([]);
  });

  it('is refused by the owner, and receives only the refusal', async () => {
    await page.goto(connectPath({ redirectUrl: `${origin}/connected?page=2` }));
    await button('Refuse').click();
    const url = await back();
    expect(Object.fromEntries(url.searchParams)).toEqual({
      page: '2',
      error: 'access_denied',
      state: 'af0i & fj=#',
    });
  });

  it('gets a key with wallet:send only after a prominent warning', async () => {
    await page.goto(connectPath({ scopes: `${SCOPES} wallet:send` }));
    await page.getByText('This key can empty your wallet.').waitFor();
    expect(await page.getByText('It cannot send coins').count()).toBe(0);
    await page
      .getByLabel('Shop', { exact: true })
      .selectOption({ label: 'Blue Door Books (bluedoor.example)' });
    expect(await button('Agree').isDisabled()).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    const widths = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(widths)).toBe(0);
    await page.setViewportSize(DESKTOP);
    await field('I want it to be able to send').check();
    expect(await button('Agree').isDisabled()).toBe(false);
    await button('Agree').click();
    expect((await back()).searchParams.get('code')).toMatch(/^\w{43}$/);
  });

  it('is shown first by the host that receives the key, before its own description', async () => {
    const name = 'tilld” at bluedoor.example asks to read your orders. You may agree. “';
    await page.goto(connectPath({ name }));
    const host = new URL(origin).host;
    const text = await page.getByText('asks for a key to one of your shops').innerText();
    expect(text.startsWith(`${host} asks for a key`)).toBe(true);
    expect(text.indexOf(host)).toBeLessThan(text.indexOf('tilld”'));
  });

  it.each([
    ['redirectUrl', 'http://evil.example/'],
    ['redirectUrl', 'javascript:alert(1)'],
    ['scopes', 'payments:write keys:write'],
    ['codeChallenge', 'short'],
    ['state', ''],
  ])('is not redirected to after an invalid request: %s %s', async (name, value) => {
    await page.goto(connectPath({ [name]: value }));
    await page.getByRole('alert').getByText(name).waitFor();
    expect(await button('Agree').count()).toBe(0);
    expect(await button('Refuse').count()).toBe(0);
    expect(await page.getByRole('link').count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/dashboard/connect');
    expect(await axeFindings(page)).toEqual([]);
  });

  it('is shown to the owner with the requested scopes, also when a parameter is repeated', async () => {
    await page.goto(`${connectPath({ scopes: 'events:read' })}&scopes=wallet:send`);
    // Whichever of them is read, no more is agreed to than stands there.
    await heading('Connect a shop').waitFor();
    await page.getByRole('listitem').first().waitFor();
    const warned = (await page.getByText('This key can empty your wallet.').count()) > 0;
    const shown = await page.getByRole('listitem').allInnerTexts();
    expect(shown.some((text) => text.includes('Send coins'))).toBe(warned);
    expect(shown).toHaveLength(1);
  });

  it('is approved only after the password was entered again when the session ended meanwhile', async () => {
    await page.goto(connectPath());
    await page
      .getByLabel('Shop', { exact: true })
      .selectOption({ label: 'Red Door Records (reddoor.example)' });
    till.clock.advance(25 * 3_600_000);
    await button('Agree').click();
    await signIn();
    await heading('Connect a shop').waitFor();
    await page
      .getByLabel('Shop', { exact: true })
      .selectOption({ label: 'Red Door Records (reddoor.example)' });
    await button('Agree').click();
    await confirmIt(page, { password: PASSWORD });
    expect((await back()).searchParams.has('code')).toBe(true);
  });

  it('cannot embed the page in a frame, and receives no referrer', async () => {
    const response = await fetch(till.api.baseUrl + connectPath(), { redirect: 'manual' });
    expect(response.status).toBe(302);
    const location = response.headers.get('location') ?? '';
    expect(location).toMatch(/^\/dashboard\/connect\?name=/);
    const shown = await fetch(till.api.baseUrl + location);
    expect(shown.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(shown.headers.get('referrer-policy')).toBe('no-referrer');
    expect(shown.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example'])(
    'never makes the page redirect to another host by its path: %s',
    async (planted) => {
      const response = await fetch(`${till.api.baseUrl}/connect?${planted}`, { redirect: 'manual' });
      const target = new URL(response.headers.get('location') ?? '', till.api.baseUrl);
      expect(target.origin + target.pathname).toBe(`${till.api.baseUrl}/dashboard/connect`);
    },
  );
});

describe('the keys page', () => {
  it('creates a restricted key, shows it once and deletes it', async () => {
    await page.goto(`/dashboard/shop/${shopId}/keys`);
    await heading('Restricted keys').waitFor();
    await page.getByText('WooCommerce of Blue Door').first().waitFor();
    await button('New restricted key').click();
    await field('Name').fill('Warehouse');
    expect(await page.getByRole('dialog').getByText('This key can empty your wallet.').count()).toBe(0);
    await field('Send coins from the wallet').check();
    await page.getByRole('dialog').getByText('This key can empty your wallet.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await field('Send coins from the wallet').uncheck();
    await field('See balances').check();
    await page.getByLabel('Ends').selectOption('30');
    await button('Create key').click();
    const value = page.getByRole('dialog').getByText(/^rk_\w{43}$/);
    const key = await value.innerText();
    expect(await axeFindings(page)).toEqual([]);
    await button(/Copy/).last().click();
    await expect.poll(async () => page.evaluate('navigator.clipboard.readText()')).toBe(key);
    await button('Done').click();
    const row = page.getByRole('listitem').filter({ hasText: 'Warehouse' }).first();
    await row.getByText(`rk_${key.slice(3, 8)}…${key.slice(-4)}`).waitFor();
    await row.getByText(/Ends /).waitFor();
    await row.getByText('never used').waitFor();
    await row.getByText('Cannot send coins').waitFor();
    expect(await page.getByText(key).count()).toBe(0);
    await page.setViewportSize(PHONE);
    await page.setViewportSize(DESKTOP);
    const balances = async () =>
      (await till.api.call('GET', '/merchant/wallet/balances', { token: key })).status;
    expect(await balances()).toBe(200);
    await button('Delete Warehouse').click();
    await heading('Delete this key').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    // The open dialog hides the row from roles, before the key is deleted.
    await expect.poll(balances).toBe(401);
    await row.waitFor({ state: 'detached' });
  });
});

it('the connect page preselects the only shop of an owner, and shows a message when there is none', async () => {
  const { token: other } = await Shop.open(till.api);
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: other });
  await signInBrowser(page.context(), till.api.baseUrl, { email: user.email, password: PASSWORD });
  await page.goto(connectPath());
  await heading('Connect a shop').waitFor();
  await button('Agree').waitFor();
  expect(await button('Agree').isDisabled()).toBe(false);
  const body = { email: 'new@example.com', password: PASSWORD };
  await till.api.must('POST', '/auth/register', { body });
  await signInBrowser(page.context(), till.api.baseUrl, body);
  await page.reload();
  await page.getByText('You have no shop yet').waitFor();
  expect(await button('Agree').isDisabled()).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
});
