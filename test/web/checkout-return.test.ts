/** The checkout on a device that sleeps, has a wrong clock, or refuses the clipboard. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { Till } from '../_helpers/till.ts';
import { PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';

let till: Till;
let browser: WebBrowser;
let shop: Shop;

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '250ms' });
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  shop = await Shop.open(till.api);
});

afterAll(async () => {
  await browser?.stop();
  await till?.end();
});

afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

/** Runs in the page: a stream that the network cut without a word, and that still seems to be alive. */
const SILENT_STREAM = `window.streams = 0;
window.EventSource = class extends EventTarget {
  constructor() {
    super();
    window.streams += 1;
    this.beats = setInterval(() => this.dispatchEvent(new Event('beat')), 1000);
  }
  close() { clearInterval(this.beats); }
};`;

async function openCheckout(script: string, options = {}): Promise<{ page: Page; id: string }> {
  const page = await browser.page({ viewport: PHONE, ...options });
  await page.addInitScript(script);
  const { id } = await shop.createPayment({ amount: '49.90', currency: 'EUR' });
  await page.goto(`/checkout/${id}`);
  await expect.poll(() => page.locator('time').innerText()).toMatch(/^5\d:\d\d$/);
  return { page, id };
}

async function payElsewhere(id: string): Promise<void> {
  const page = await browser.page({ viewport: PHONE });
  await page.goto(`/checkout/${id}`);
  await page.getByRole('button', { name: 'Pay exactly' }).click();
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  await page.context().close();
}

describe('the checkout after the return from a wallet', () => {
  it.each([
    ['becomes visible', `document.dispatchEvent(new Event('visibilitychange'))`],
    ['is restored', `dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`],
    ['is online again', `dispatchEvent(new Event('online'))`],
    ['gets the focus', `dispatchEvent(new Event('focus'))`],
  ])(
    'shows a received payment immediately when the page %s, and reopens the event stream',
    async (_when, event) => {
      const { page, id } = await openCheckout(SILENT_STREAM);
      await payElsewhere(id);
      expect(await page.getByRole('heading', { name: 'Payment complete' }).count()).toBe(0);
      await page.evaluate(event);
      await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
      expect(await page.evaluate('window.streams')).toBe(2);
      await page.context().close();
    },
  );
});

describe('the countdown of the checkout', () => {
  it('is not affected by a change of the device clock', async () => {
    const { page } = await openCheckout('');
    await page.evaluate('{ const now = Date.now; Date.now = () => now() + 1_800_000; }');
    const before = await page.locator('time').innerText();
    await expect.poll(() => page.locator('time').innerText()).not.toBe(before);
    expect(await page.locator('time').innerText()).toMatch(/^5\d:\d\d$/);
    await page.context().close();
  });
});

describe('the copy button of the checkout', () => {
  it('copies the address also in a browser without clipboard permission', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, id } = await openCheckout('', { permissions });
    await page.evaluate(`navigator.clipboard.writeText = async () => { throw new Error('refused'); }`);
    await page.getByRole('button', { name: 'Copy address' }).first().click();
    await page.locator('#toast', { hasText: 'Copied' }).waitFor();
    const { options } = await shop.payment(id);
    const addresses = Object.values(options).map((option) => option?.address);
    expect(addresses).toContain(await page.evaluate('navigator.clipboard.readText()'));
    await page.context().close();
  });
});

describe('the checkout of a phone that reloads the page', () => {
  it('shows the coin that the payer had selected', async () => {
    const { page } = await openCheckout('');
    const litecoin = page.getByRole('radio', { name: /LTC/ });
    expect(await litecoin.isChecked()).toBe(false);
    await litecoin.check();
    await page.reload();
    expect(await litecoin.isChecked()).toBe(true);
    await page.context().close();
  });
});

describe('the checkout without a connection', () => {
  it('shows that in a line above the page, which covers nothing, until the daemon responds again', async () => {
    const { page } = await openCheckout('');
    const note = page.locator('#offline');
    expect(await note.isHidden()).toBe(true);
    await page.context().setOffline(true);
    await note.waitFor();
    expect(await note.innerText()).toBe('Connection lost. Trying again…');
    const [noteBox, code] = [
      await note.boundingBox(),
      await page.locator('#checkout svg').first().boundingBox(),
    ];
    expect((noteBox?.y ?? 0) + (noteBox?.height ?? 0)).toBeLessThan(code?.y ?? 0);
    expect(await page.locator('#toast').isHidden()).toBe(true);
    await page.screenshot({ path: `${SCREENS}/checkout-offline.png` });
    await page.context().setOffline(false);
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await note.waitFor({ state: 'hidden' });
    browser.takeComplaints();
    await page.context().close();
  });
});
