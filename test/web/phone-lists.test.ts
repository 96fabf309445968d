/** Lists on a phone in German, whose words are long: amounts are on the screen and on one line. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { eventually } from '../_helpers/poll.ts';
import { Till } from '../_helpers/till.ts';
import { DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';

const LONG_ORDER = '2026/Bestellung/Filiale-Nord/11998-bernadette-oberhuber';

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let page: Page;
let path: string;
let exactId: string;

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  const email = 'maximiliana.vonundzuhohenfels@buchhandlung-blaue-tuer.example';
  const password = 'correct horse battery';
  const { token } = await till.api.must<{ token: string }>('POST', '/auth/register', {
    body: { email, password },
  });
  shop = await Shop.open(till.api, {
    owner: token,
    settings: { currency: 'EUR', timeZone: 'Europe/Berlin' },
  });
  path = `/dashboard/shop/${shop.merchantId}`;
  for (const [orderId, scenario, amount] of [
    [LONG_ORDER, 'overpay', '25000'],
    ['A-1', 'underpay', '1250.75'],
    ['A-2', 'exact', '25000'],
  ] as const) {
    const { id } = await shop.createPayment({ orderId, amount, currency: 'EUR' });
    if (scenario === 'exact') exactId = id;
    const body = { paymentId: id, scenario, coin: 'BTC', confirmations: 3 };
    await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  }
  const { id } = await shop.createPayment({ orderId: 'A-3', amount: '25000', currency: 'EUR' });
  const many = { paymentId: id, scenario: 'underpay', coin: 'ETH', amount: '1.123456789012345678' };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body: many });
  await eventually(
    'the money is there',
    () => shop.balance('BTC'),
    (balance) => balance !== '0',
  );
  page = await browser.page({ viewport: PHONE, locale: 'de-DE' });
  await signInBrowser(page.context(), till.api.baseUrl, { email, password });
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

/** How far the content of a table reaches beyond its card, pixels. */
async function hidden(list: string): Promise<number> {
  const region = page.getByRole('region', { name: list });
  await region.getByRole('row').nth(1).waitFor();
  return region.evaluate((element) => element.scrollWidth - element.clientWidth);
}

it.each([
  ['payments', '/payments', 'Zahlungen'],
  ['latest payments', '', 'Zahlungen'],
  ['wallet', '/wallet', 'Verlauf'],
  ['audit log', '/audit', 'Prüfprotokoll'],
])('the list of the %s fits the screen of a phone', async (_what, at, list) => {
  await visit(page, path + at);
  expect(await hidden(list)).toBe(0);
});

it('the list of payments shows their status on a phone', async () => {
  await visit(page, `${path}/payments`);
  const rows = page.getByRole('region', { name: 'Zahlungen' }).locator('tbody tr');
  await rows.filter({ hasText: 'Zu viel gezahlt' }).getByText('Abgeschlossen').waitFor();
  await rows.filter({ hasText: 'A-1' }).getByText('Zu wenig gezahlt').waitFor();
});

it('the audit log breaks names of people only between words on a phone', async () => {
  await visit(page, `${path}/audit`);
  const name = page.getByRole('region', { name: 'Prüfprotokoll' }).getByText('maximiliana').first();
  await name.waitFor();
  expect((await name.boundingBox())?.height).toBeLessThan(60);
});

it('the wallet history shows each amount on one line on a phone', async () => {
  await visit(page, `${path}/wallet`);
  const amounts = page.getByRole('region', { name: 'Verlauf' }).locator('td .money b');
  await amounts.first().waitFor();
  const heights = await amounts.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  expect(heights.length).toBeGreaterThan(1);
  // Two lines of this size take 32 pixels.
  expect(Math.max(...heights)).toBeLessThan(20);
});

it.each([PHONE, DESKTOP])(
  'the transactions of a payment show amount and coin on one line (%j)',
  async (size) => {
    await page.setViewportSize(size);
    await visit(page, `${path}/payments/${exactId}`);
    const amount = page.getByRole('region', { name: 'Transaktionen' }).locator('td b.money').first();
    await amount.waitFor();
    expect(await amount.innerText()).toMatch(/^0,\d+\sBTC$/u);
    expect((await amount.boundingBox())?.height).toBeLessThan(24);
    await page.setViewportSize(PHONE);
  },
);

it('the volume chart keeps its readable axis visible while its bars scroll on a phone', async () => {
  await visit(page, `${path}?days=90`);
  const number = page
    .getByRole('main')
    .getByText(/^0\s€$/)
    .first();
  await number.waitFor();
  const box = await number.boundingBox();
  expect(box?.x).toBeGreaterThan(0);
  expect(box?.height).toBeGreaterThan(11);
});

it('the wallet shows each balance on one line on a phone', async () => {
  await visit(page, `${path}/wallet`);
  const balance = page.getByRole('listitem').locator('b.money').first();
  await balance.waitFor();
  expect((await balance.boundingBox())?.height).toBeLessThan(40);
});
