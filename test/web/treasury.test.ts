/** The treasury page and its neighbours: what a shop holds, its limits of today, and the entries about money. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { newPerson, type Person, signedIn } from '../_helpers/people.ts';
import { eventually } from '../_helpers/poll.ts';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';
import { World } from '../integration/api/world.ts';

const PASSWORD = 'correct horse battery';
const STRANGER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';

let world: World;
let browser: WebBrowser;
let owner: Person;
let shop: Shop;
let page: Page;

beforeAll(async () => {
  await ensureWebBuilt();
  world = await World.start(undefined, { TILLD_SANDBOX_BLOCK_INTERVAL: '100ms' });
  const { api } = world.till;
  browser = await WebBrowser.start(api.baseUrl);
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  shop = await Shop.open(api, { owner: person.token });
  owner = await signedIn(api, person.email);
  for (const coin of ['LTC', 'ETH'] as const) {
    const { id } = await shop.createPayment();
    const body = { paymentId: id, scenario: 'exact', coin };
    await api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
    await eventually(
      `${coin} was received`,
      async () => shop.payment(id),
      ({ status }) => status === 'completed',
    );
  }
  const limits = { merchantId: shop.merchantId, currency: 'EUR', perDay: '500' };
  await owner.session.call('PATCH', '/merchant/wallet/limits', limits);
  await shop.send({ coin: 'LTC', destination: STRANGER, amount: '0.25' });
  page = await browser.page({ viewport: DESKTOP });
  await signInBrowser(page.context(), api.baseUrl, {
    email: owner.email,
    password: PASSWORD,
    steppedUp: true,
  });
});
afterAll(async () => {
  await browser?.stop();
  await world?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function look(name: string): Promise<void> {
  for (const [device, viewport] of [
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.screenshot({ path: `${SCREENS}/${name}-${device}.png`, fullPage: true });
    expect([device, await axeFindings(page)]).toEqual([device, []]);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await expect.poll(() => page.evaluate(overflow), { message: device }).toBe(0);
  }
  await page.setViewportSize(DESKTOP);
}

it('the treasury shows the money of each coin, the limit of today in words and as a bar, and money in and out', async () => {
  await visit(page, `/dashboard/shop/${shop.merchantId}/wallet`);
  await page.getByRole('navigation', { name: 'Pages of the wallet' }).getByText('Treasury').click();
  await page.getByText(/of €500\.00 used today/).waitFor();
  const bar = page.getByRole('progressbar', { name: 'Limit per day' });
  expect(Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
  expect(await page.getByRole('listitem').filter({ hasText: 'On this server' }).count()).toBe(4);
  await page.getByRole('table', { name: 'Money in and out' }).waitFor({ state: 'attached' });
  await look('treasury');
});

it('the audit log lists entries about money only, from a link of the treasury', async () => {
  await page.getByRole('main').getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('button', { name: 'About money', pressed: true }).waitFor();
  await page.getByText('Changed the limits of the wallet').first().waitFor();
  expect(await page.getByText('Created a shop').count()).toBe(0);
  await look('audit-about-money');
  await page.getByRole('button', { name: 'About money' }).click();
  await page.getByText('Created a shop').first().waitFor();
});

it('a new shop is offered a watch-only account before its first payment', async () => {
  await visit(page, '/dashboard/shops');
  await page.getByRole('button', { name: 'New shop' }).click();
  await page.getByLabel('Name').fill('Second shop');
  await page.getByLabel('Domain').fill(`second-${Date.now()}.example`);
  await page.getByRole('button', { name: 'Create shop' }).click();
  await page.getByText('Keys stay with you').waitFor();
  await look('new-shop-keys');
  await page.getByRole('link', { name: 'Set up a watch-only account' }).click();
  await page.getByRole('dialog', { name: 'Watch-only account' }).waitFor();
});

it('the labels of outputs are exported to a file, imported from one, and shown in the list', async () => {
  await visit(page, `/dashboard/shop/${shop.merchantId}/outputs?coin=LTC`);
  await page.getByRole('button', { name: 'Labels' }).click();
  const dialog = page.getByRole('dialog', { name: 'Labels' });
  const saved = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Export labels' }).click();
  const exported = readFileSync(await (await saved).path(), 'utf8');
  const lines = exported.split('\n').filter((line) => line !== '');
  const records = lines.map((line) => JSON.parse(line) as { type: string; ref: string; spendable?: boolean });
  const output = records.find(({ type, spendable }) => type === 'output' && spendable === true);
  const text = `${JSON.stringify({ ...output, label: 'From the fair', spendable: false })}\nnothing\n`;
  const file = { name: 'labels.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(text) };
  await dialog.getByLabel('Import labels').setInputFiles(file);
  await dialog.getByText('Labels imported: 1').waitFor();
  await dialog.getByText('Outputs frozen: 1').waitFor();
  await dialog.getByText('Lines that could not be read: 2').waitFor();
  await look('labels');
  await page.keyboard.press('Escape');
  await page.getByText('From the fair').waitFor();
  await page.getByRole('button', { name: 'Unfreeze' }).waitFor();
});
