import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { readQr } from '../_helpers/web/qr-reader.ts';

/** Counts the tones that the page plays. */
const COUNT_TONES = `globalThis.tones = 0;
const create = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { globalThis.tones += 1; return create.call(this); };`;
const OFFLINE = /net::ERR_(INTERNET_DISCONNECTED|FAILED)/;

let till: Till;
let shop: Shop;
let browser: WebBrowser;
let tea: string;
beforeAll(async () => {
  await ensureWebBuilt();
  // Blocks are made by the tests alone.
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' });
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  shop = await Shop.open(till.api, { settings: { name: 'Blue Door Books', timeZone: 'Europe/Berlin' } });
  const token = shop.secretKey;
  const product = await till.api.must<{ id: string }>('POST', '/merchant/product/create', {
    token,
    body: { name: 'Tea' },
  });
  const price = await till.api.must<{ id: string }>('POST', '/merchant/price/create', {
    token,
    body: { productId: product.id, amount: '3.20', currency: 'EUR' },
  });
  tea = price.id;
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

interface Made {
  readonly id: string;
  readonly code: string;
}

async function counter(body: object = {}): Promise<Made> {
  const token = shop.secretKey;
  const { id } = await till.api.must<{ id: string }>('POST', '/merchant/counter/create', {
    token,
    body: { name: 'Till 1', currency: 'EUR', ...body },
  });
  const { url } = await till.api.must<{ url: string }>('POST', '/merchant/counter/connect', {
    token,
    body: { counterId: id },
  });
  return { id, code: new URL(url).hash };
}

/** A phone that is connected to a new counter. */
async function phone(
  body: object = {},
  options: BrowserContextOptions = {},
): Promise<{ page: Page; context: BrowserContext; made: Made }> {
  const made = await counter(body);
  const context = await browser.context({ viewport: PHONE, hasTouch: true, ...options });
  await context.addInitScript({ content: COUNT_TONES });
  const page = await context.newPage();
  await page.goto(`/counter/app${made.code}`);
  await page.locator('.connect .primary').tap();
  await page.locator('#charge').waitFor();
  return { page, context, made };
}

async function press(page: Page, keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.locator('.keypad').getByRole('button', { name: key, exact: true }).tap();
}

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('the element is not visible');
  return box;
}

async function openPayment(page: Page): Promise<string> {
  const id = await page.evaluate<string | null>(`localStorage.getItem('tilld-counter-payment')`);
  if (id === null) throw new Error('no payment is open');
  return id;
}

async function simulate(paymentId: string, scenario: string, more: object = {}): Promise<void> {
  const body = { paymentId, scenario, coin: 'BTC', ...more };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
}

const tones = async (page: Page): Promise<number> => page.evaluate<number>('globalThis.tones');

describe('the app of a counter', () => {
  it('can be installed, and opens without a connection', async () => {
    const { page, context } = await phone({ tips: [10] });
    expect(new URL(page.url()).hash).toBe('');
    const href = await page.locator('link[rel=manifest]').getAttribute('href');
    const manifest = await (await fetch(new URL(href ?? '', page.url()))).json();
    expect(manifest).toMatchObject({
      name: 'Counter · tilld',
      display: 'standalone',
      start_url: './app',
      scope: './',
    });
    for (const { src, sizes } of (manifest as { icons: { src: string; sizes: string }[] }).icons) {
      const icon = await fetch(new URL(src, page.url()));
      expect([sizes, icon.headers.get('content-type')]).toEqual([sizes, 'image/png']);
    }
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await page.reload();
    await page.waitForFunction('navigator.serviceWorker.controller !== null');
    await context.setOffline(true);
    await page.reload();
    await page.locator('#charge').waitFor();
    await page.locator('.offline').waitFor();
    await press(page, ['5', '00']);
    await page.locator('#charge').tap();
    await page.getByRole('button', { name: 'No tip' }).tap();
    await page.locator('.problem', { hasText: 'Try again once it is back' }).waitFor();
    expect(await page.locator('.amount').innerText()).toBe('€5.00');
    await context.setOffline(false);
    await page.locator('.offline').waitFor({ state: 'hidden' });
    const lines = browser.takeComplaints();
    expect(lines.filter((line) => !OFFLINE.test(line))).toEqual([]);
    await context.close();
  });

  it('charges an amount, shows the code on the whole screen, sounds when seen and is green when paid', async () => {
    const { page, context } = await phone();
    await page.screenshot({ path: `${SCREENS}/counter-charge.png` });
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.locator('#charge').isDisabled()).toBe(true);
    await press(page, ['1', '2', '5', '0', '0', 'Erase one digit']);
    expect(await page.locator('.amount').innerText()).toBe('€12.50');
    await page.getByRole('button', { name: 'Charge €12.50' }).tap();
    const qr = page.locator('.qr');
    await qr.waitFor();
    expect((await boxOf(qr)).width).toBeGreaterThan(PHONE.width * 0.85);
    const next = await boxOf(page.locator('#next'));
    expect(next.y + next.height).toBeLessThanOrEqual(PHONE.height);
    const id = await openPayment(page);
    expect(await readQr(qr)).toMatch(new RegExp(`/checkout/${id}$`));
    await page.getByRole('button', { name: 'BTC' }).tap();
    expect(await readQr(qr)).toMatch(/^bitcoin:/);
    await page.screenshot({ path: `${SCREENS}/counter-code.png` });
    expect(await axeFindings(page)).toEqual([]);
    await page.reload();
    await page.getByText('Waiting for payment').first().waitFor();
    expect(await tones(page)).toBe(0);
    await simulate(id, 'exact');
    await page.locator('.payment.seen').waitFor();
    expect(await tones(page)).toBe(1);
    await page.screenshot({ path: `${SCREENS}/counter-seen.png` });
    expect(await axeFindings(page)).toEqual([]);
    await simulate(id, 'confirm', { confirmations: 6 });
    await page.locator('.payment.paid').waitFor();
    expect(await tones(page)).toBe(4);
    await page.screenshot({ path: `${SCREENS}/counter-paid.png` });
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Next customer' }).tap();
    await page.getByRole('button', { name: /^Today\s*€12\.50$/ }).tap();
    await page.getByText('1 paid today').waitFor();
    await page.screenshot({ path: `${SCREENS}/counter-day.png` });
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: /€12\.50/ }).tap();
    await page.locator('.payment.paid').waitFor();
    await page.locator('#next').tap();
    await page.locator('#charge').waitFor();
    await context.close();
  });

  it('adds favourites to the typed amount, and a tip that the customer chooses', async () => {
    const { page, context } = await phone({ tips: [5, 10, 15], favourites: [tea] });
    const key = page.locator('.favourites').getByRole('button', { name: /^Tea/ });
    await key.tap();
    await key.tap();
    await press(page, ['1', '00']);
    expect(await page.locator('.amount').innerText()).toBe('€7.40');
    await page.screenshot({ path: `${SCREENS}/counter-favourites.png` });
    expect(await axeFindings(page)).toEqual([]);
    await page.locator('#charge').tap();
    await page.getByText('The bill is €7.40.').waitFor();
    await page.screenshot({ path: `${SCREENS}/counter-tip.png` });
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: /10 %/ }).tap();
    await page.getByText('Including a tip of €0.74').waitFor();
    expect(await shop.payment(await openPayment(page))).toMatchObject({
      amount: '8.14',
      tip: '0.74',
      lines: [{ name: 'Tea', quantity: 2, amount: '6.4' }],
    });
    await page.locator('#next').tap();
    await key.tap();
    await page.getByRole('button', { name: 'Remove Tea' }).tap();
    expect(await page.locator('.amount').innerText()).toBe('€0.00');
    await context.close();
  });

  it('refuses a tip above the bill, and no amount at all', async () => {
    const { page, context } = await phone({ tips: [5] });
    await press(page, ['2', '00']);
    await page.locator('#charge').tap();
    await page.getByRole('button', { name: 'Other amount' }).tap();
    await press(page, ['2', '0', '1']);
    await page.locator('.problem', { hasText: 'The tip can be at most €2.00.' }).waitFor();
    expect(await page.locator('.tip .primary').isDisabled()).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await press(page, ['Erase one digit']);
    await page.getByRole('button', { name: 'Charge €2.20' }).tap();
    await page.locator('.qr').waitFor();
    await page.locator('#next').tap();
    expect(await page.locator('#charge').isDisabled()).toBe(true);
    await context.close();
  });

  it('creates one payment when the answer to a charge is lost', async () => {
    const { page, context } = await phone();
    await press(page, ['9', '00']);
    await page.route('**/merchant/counter/charge', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.locator('#charge').tap();
    await page.locator('.problem', { hasText: 'Try again once it is back' }).waitFor();
    await page.unroute('**/merchant/counter/charge');
    await page.locator('#charge').tap();
    await page.locator('.qr').waitFor();
    await page.locator('#next').tap();
    await page.locator('.day-total').tap();
    await page.locator('.day li').first().waitFor();
    expect(await page.locator('.day li').count()).toBe(1);
    expect(browser.takeComplaints().filter((line) => !OFFLINE.test(line))).toEqual([]);
    await context.close();
  });

  it('says above the code that the connection is lost, and not over it', async () => {
    const { page, context } = await phone();
    await press(page, ['5', '00']);
    await page.locator('#charge').tap();
    await page.locator('.qr').waitFor();
    await context.setOffline(true);
    const note = page.locator('.offline');
    await note.waitFor();
    const [noteBox, code] = [await boxOf(note), await boxOf(page.locator('.qr'))];
    expect(noteBox.y + noteBox.height).toBeLessThanOrEqual(code.y);
    await page.screenshot({ path: `${SCREENS}/counter-offline.png` });
    expect(await axeFindings(page)).toEqual([]);
    await context.setOffline(false);
    await note.waitFor({ state: 'hidden' });
    expect(browser.takeComplaints().filter((line) => !OFFLINE.test(line))).toEqual([]);
    await context.close();
  });

  it('shows the code of the payer’s page for the remainder when too little was paid', async () => {
    const { page, context } = await phone();
    await press(page, ['5', '0', '00']);
    await page.locator('#charge').tap();
    await page.getByRole('button', { name: 'BTC' }).tap();
    const id = await openPayment(page);
    await simulate(id, 'underpay', { confirmations: 6 });
    await page.getByText('Too little was paid').first().waitFor();
    expect(await readQr(page.locator('.qr'))).toMatch(new RegExp(`/checkout/${id}$`));
    expect(await axeFindings(page)).toEqual([]);
    await context.close();
  });

  it('forgets the shop once the device is disconnected in the dashboard', async () => {
    const { page, context, made } = await phone();
    await press(page, ['5', '00']);
    await till.api.must('DELETE', '/merchant/counter/delete', {
      token: shop.secretKey,
      body: { counterId: made.id },
    });
    await page.locator('#charge').tap();
    await page.locator('.problem', { hasText: 'This device is no longer connected.' }).waitFor();
    expect(await page.evaluate<number>('localStorage.length')).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.locator('#code').fill('0000-0000-0000');
    await page.locator('.connect .primary').tap();
    await page.locator('.problem', { hasText: 'This code is unknown, used or expired.' }).waitFor();
    await context.close();
  });

  it.each([
    ['Arabic on a phone in the dark', 'ar', PHONE, 'dark', 'rtl'],
    ['German on a desktop', 'de-DE', DESKTOP, 'light', 'ltr'],
  ] as const)('is laid out for %s', async (_name, locale, viewport, colorScheme, direction) => {
    const body = { tips: [5, 10], favourites: [tea] };
    const { page, context } = await phone(body, { locale, viewport, colorScheme });
    expect(await page.locator('html').getAttribute('dir')).toBe(direction);
    await press(page, ['1', '2', '00']);
    await page.screenshot({ path: `${SCREENS}/counter-${locale}.png` });
    expect(await axeFindings(page)).toEqual([]);
    await page.locator('#charge').tap();
    await page.locator('.tips button').first().tap();
    await page.locator('.qr').waitFor();
    await page.screenshot({ path: `${SCREENS}/counter-${locale}-code.png` });
    expect(await axeFindings(page)).toEqual([]);
    await context.close();
  });
});
