/** Sound and notification in the browser of a shopkeeper when a payment is seen and paid. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { newPerson, type Person } from '../_helpers/people.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let owner: Person;
let page: Page;

/** Replaces what the browser would show and play with lists of it. */
const RECORD = `
  window.shown = []; window.tones = 0;
  window.Notification = class extends EventTarget {
    static permission = 'granted';
    static requestPermission = async () => window.allowed ?? 'granted';
    constructor(title, { body }) { super(); window.shown.push(title + ' | ' + body); }
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...at) { window.tones += 1; return start.apply(this, at); };
`;

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' });
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  owner = await newPerson(till.api, 'owner');
  shop = await Shop.open(till.api, { owner: owner.token, settings: { name: 'Blue Door' } });
  page = await browser.page({ viewport: DESKTOP });
  await page.addInitScript(RECORD);
  await signInBrowser(page.context(), till.api.baseUrl, {
    email: owner.email,
    password: 'correct horse battery',
  });
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});

const shown = async (): Promise<string[]> => page.evaluate('window.shown');
const tones = async (): Promise<number> => page.evaluate('window.tones');

/** @param confirmations undefined: seen, and in no block */
async function simulate(paymentId: string, confirmations?: number): Promise<void> {
  const body = {
    paymentId,
    scenario: 'exact',
    coin: 'BTC',
    ...(confirmations === undefined ? {} : { confirmations }),
  };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
}

it('the dashboard stays silent until this browser is set to play a sound and to show notifications', async () => {
  await visit(page, `/dashboard/shop/${shop.merchantId}/mails`);
  const sound = page.getByLabel('Play a sound');
  expect(await sound.isChecked()).toBe(false);
  await sound.check();
  expect(await tones()).toBeGreaterThan(0);
  await page.getByLabel('Show a notification').click();
  await expect.poll(async () => page.getByLabel('Show a notification').isChecked()).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENS}/live-moments-desktop.png`, fullPage: true });
  await page.setViewportSize(PHONE);
  expect(await axeFindings(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENS}/live-moments-phone.png`, fullPage: true });
  await page.setViewportSize(DESKTOP);
});

it('the dashboard announces a payment once when it is seen and once when it is paid, on any page of the shop', async () => {
  await visit(page, `/dashboard/shop/${shop.merchantId}/products`);
  const { id } = await shop.createPayment({ amount: '50', currency: 'USD', orderId: 'mug-1' });
  await page.waitForResponse((response) => response.url().includes('/payment/list'));
  await simulate(id);
  await expect.poll(shown).toEqual(['$50.00 seen on the network | Blue Door, order mug-1']);
  const before = await tones();
  expect(before).toBeGreaterThan(0);
  const other = await shop.createPayment({ amount: '7', currency: 'USD', orderId: 'mug-2' });
  // Its blocks confirm the first payment as well.
  await simulate(other.id, 6);
  await expect
    .poll(async () => (await shown()).slice(1).toSorted())
    .toEqual(['$50.00 paid | Blue Door, order mug-1', '$7.00 paid | Blue Door, order mug-2']);
  expect(await tones()).toBeGreaterThan(before);
});

it('the dashboard announces nothing that happened before its page was opened', async () => {
  await page.reload();
  await page.waitForResponse((response) => response.url().includes('/payment/list'));
  await page.waitForResponse((response) => response.url().includes('/payment/list'));
  expect(await shown()).toEqual([]);
});

it('the choice of notifications says so when the browser blocks them', async () => {
  await visit(page, `/dashboard/shop/${shop.merchantId}/mails`);
  await page.getByLabel('Show a notification').click();
  await expect.poll(async () => page.getByLabel('Show a notification').isChecked()).toBe(false);
  await page.evaluate("window.allowed = 'denied'");
  await page.getByLabel('Show a notification').click();
  await page.getByText('Your browser blocks notifications of this site.').waitFor();
  expect(await page.getByLabel('Show a notification').isChecked()).toBe(false);
});
