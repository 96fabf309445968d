import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../_helpers/api-client.ts';
import { Till } from '../_helpers/till.ts';
import { DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { startShopPage, type ShopPage } from '../_helpers/web/shop-page.ts';

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let allowed: ShopPage;
let foreign: ShopPage;

const pageBody = (path: string): string => {
  const id = path.slice(1);
  return `<button data-tilld-payment="${id}">Pay</button> <a data-tilld href="${till.api.baseUrl}/checkout/${id}">Pay by link</a>`;
};

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '1500ms' });
  await till.ready();
  allowed = await startShopPage(till.api.baseUrl, pageBody);
  foreign = await startShopPage(till.api.baseUrl, pageBody);
  browser = await WebBrowser.start(till.api.baseUrl, [allowed.origin, foreign.origin]);
  shop = await Shop.open(till.api, { settings: { name: 'Blue Door Books', embedOrigins: [allowed.origin] } });
});

afterAll(async () => {
  await browser?.stop();
  await Promise.all([allowed?.close(), foreign?.close(), till?.end()]);
});

afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

type Told = [name: string, paymentId: string, status: string];
const told = async (page: Page): Promise<Told[]> => page.evaluate('window.told');
const messages = async (page: Page): Promise<{ origin: string; data: object }[]> =>
  page.evaluate('window.messages');
const frameOf = (page: Page) => page.frameLocator('dialog iframe');

async function openOn(site: ShopPage, fields: object = {}, options = {}): Promise<[Page, PaymentJson]> {
  const made = await shop.createPayment({ amount: '49.90', currency: 'EUR', ...fields });
  const page = await browser.page({ viewport: DESKTOP, ...options });
  await page.goto(`${site.origin}/${made.id}`);
  return [page, made];
}

describe('an embedding site that the shop allows', () => {
  it('opens the checkout in a modal, gets a message when the payment is paid, and the modal stays open', async () => {
    const [page, { id }] = await openOn(allowed, { successUrl: `${till.api.baseUrl}/healthz` });
    await page.getByRole('button', { name: 'Pay' }).click();
    const frame = frameOf(page);
    await frame
      .getByRole('img', { name: /QR code/ })
      .first()
      .waitFor();
    const dialog = page.getByRole('dialog', { name: 'Checkout' });
    expect(await dialog.getAttribute('aria-modal')).toBe('true');
    await frame.getByRole('button', { name: 'Pay exactly' }).click();
    await frame.getByRole('heading', { name: 'Payment complete' }).waitFor();
    await expect.poll(() => told(page)).toContainEqual(['paid', id, 'completed']);
    // Longer than the page's automatic return to the shop takes outside a frame.
    expect(await frame.getByRole('link', { name: 'Back to your order' }).getAttribute('target')).toBe('_top');
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect((await told(page)).at(-1)).toEqual(['close', id, 'completed']);
    for (const once of ['seen', 'paid'])
      expect((await told(page)).filter(([name]) => name === once)).toHaveLength(1);
    const names = (await told(page)).map(([name]) => name);
    expect(names.indexOf('seen')).toBeLessThan(names.indexOf('paid'));
    expect(page.url()).toBe(`${allowed.origin}/${id}`);
    await page.context().close();
  });

  it('gets only the id and the status of the payment', async () => {
    const made = await shop.createPayment({ metadata: { cost: 'secret' } });
    const page = await browser.page();
    await page.goto(`${allowed.origin}/${made.id}`);
    await page.getByRole('link', { name: 'Pay by link' }).click();
    await frameOf(page).getByRole('button', { name: 'Pay exactly' }).click();
    await expect.poll(async () => (await told(page)).map(([name]) => name)).toContain('paid');
    const heard = await messages(page);
    expect(heard.length).toBeGreaterThan(1);
    for (const { origin, data } of heard) {
      expect(origin).toBe(till.api.baseUrl);
      expect(Object.keys(data).toSorted()).toEqual(['paymentId', 'status', 'tilld']);
      expect(data).toMatchObject({ paymentId: made.id });
    }
    await page.context().close();
  });

  it('ignores messages that do not come from the checkout', async () => {
    const [page, { id }] = await openOn(allowed);
    await page.getByRole('button', { name: 'Pay' }).click();
    await frameOf(page)
      .getByRole('img', { name: /QR code/ })
      .first()
      .waitFor();
    await expect.poll(() => told(page)).toEqual([['status', id, 'pending']]);
    const forged = `{ tilld: 'status', paymentId: '${id}', status: 'completed' }`;
    // From the shop's own window, and from another frame of the till's own origin.
    await page.evaluate(`window.postMessage(${forged}, '*')`);
    await page.evaluate(`{
      const other = document.createElement('iframe');
      other.id = 'other';
      other.src = '${till.api.baseUrl}/checkout/${id}';
      document.body.append(other);
    }`);
    const other = page.frameLocator('#other');
    await other.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
    const inside = page
      .frames()
      .find(
        (frame) =>
          frame !== page.mainFrame() &&
          frame.parentFrame() === page.mainFrame() &&
          !frame.url().includes('embed='),
      );
    await inside?.evaluate(`window.parent.postMessage(${forged}, '*')`);
    await expect.poll(async () => (await messages(page)).length).toBeGreaterThanOrEqual(3);
    expect(await told(page)).toEqual([['status', id, 'pending']]);
    await page.context().close();
  });

  it('has the focus trapped in the modal, which closes by Escape and returns the focus', async () => {
    const [page] = await openOn(allowed);
    const button = page.getByRole('button', { name: 'Pay' });
    await button.focus();
    await page.keyboard.press('Enter');
    await frameOf(page)
      .getByRole('img', { name: /QR code/ })
      .first()
      .waitFor();
    for (let step = 0; step < 25; step += 1) {
      await page.keyboard.press('Tab');
      // Between two rounds the focus is the browser's own; never on the page behind.
      const inside = `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`;
      expect(await page.evaluate(inside)).toBe(true);
    }
    await frameOf(page).getByRole('radio', { name: /LTC/ }).focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Pay');
    await button.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.context().close();
  });

  it('shows the modal over the whole screen of a phone', async () => {
    const [page] = await openOn(allowed, {}, { viewport: PHONE });
    await page.getByRole('button', { name: 'Pay' }).click();
    await frameOf(page)
      .getByRole('img', { name: /QR code/ })
      .first()
      .waitFor();
    expect(await page.locator('dialog > div').boundingBox()).toEqual({ x: 0, y: 0, ...PHONE });
    await page.context().close();
  });

  it('opens only URLs of the daemon in the modal', async () => {
    const [page] = await openOn(allowed);
    for (const url of ['https://evil.example/checkout/x', 'javascript:alert(1)', '//evil.example/l/x', '']) {
      const refused = await page.evaluate((address) => {
        const { Tilld } = globalThis as unknown as { Tilld: { open: (options: object) => void } };
        try {
          Tilld.open({ url: address });
          return false;
        } catch {
          return true;
        }
      }, url);
      expect([url, refused]).toEqual([url, true]);
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.context().close();
  });
});

describe('an embedding site that the shop does not allow', () => {
  it('gets neither a frame nor messages, and redirects to the checkout', async () => {
    const [page, { id }] = await openOn(foreign);
    const heard: unknown[] = [];
    await page.exposeFunction('keep', (data: unknown) => void heard.push(data));
    await page.evaluate(`addEventListener('message', ({ data }) => void keep(data))`);
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.waitForURL(`${till.api.baseUrl}/checkout/${id}`);
    await page
      .getByRole('img', { name: /QR code/ })
      .first()
      .waitFor();
    expect(heard).toEqual([]);
    expect(browser.takeComplaints().join()).toContain('frame-ancestors');
    await page.context().close();
  });
});

describe('/pay.js', () => {
  it('is small, may be loaded by every site, and is cached by its ETag', async () => {
    const first = await fetch(`${till.api.baseUrl}/pay.js`);
    const text = await first.text();
    expect(first.headers.get('content-type')).toContain('javascript');
    expect(first.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(first.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    expect(gzipSync(text).length).toBeLessThanOrEqual(4_000);
    const again = await fetch(`${till.api.baseUrl}/pay.js`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it('defines a single global variable', async () => {
    const page = await browser.page();
    await page.goto(`${allowed.origin}/none`);
    const names = `Object.getOwnPropertyNames(window)`;
    const bare = await page.evaluate<string[]>(
      `(() => { const f = document.createElement('iframe'); document.body.append(f); return Object.getOwnPropertyNames(f.contentWindow); })()`,
    );
    const here = await page.evaluate<string[]>(names);
    const own = here.filter((name) => !bare.includes(name));
    expect(own).toContain('Tilld');
    expect(own.filter((name) => /^[^\d]{1,2}$/.test(name))).toEqual([]);
    await page.context().close();
  });
});
