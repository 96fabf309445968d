import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';

let till: Till;
let browser: WebBrowser;
beforeAll(async () => {
  await ensureWebBuilt();
});
beforeEach(async () => {
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '250ms' });
  await till.ready();
  const { baseUrl } = till.api;
  browser = await WebBrowser.start(baseUrl, [baseUrl.replace('127.0.0.1', 'localhost')]);
});
afterEach(async () => {
  await browser.stop();
  await till.end();
});

/** A user of mouse and keyboard, whose actions are counted. */
class Newcomer {
  clicks = 0;
  fields = 0;
  page: Page;
  readonly #began = performance.now();

  constructor(page: Page) {
    this.page = page;
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  async press(name: string): Promise<void> {
    this.clicks += 1;
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  async follow(name: string): Promise<void> {
    this.clicks += 1;
    await this.page.getByRole('link', { name, exact: true }).click();
  }

  /** A link that opens a tab of its own. */
  async open(name: string): Promise<void> {
    const tab = this.page.context().waitForEvent('page');
    await this.follow(name);
    this.page = await tab;
  }

  async fill(label: string, text: string): Promise<void> {
    this.fields += 1;
    await this.page.getByLabel(label).last().fill(text);
  }
}

/** From the address that a first start names to the page of a shop. */
async function ownShop(viewport: typeof DESKTOP): Promise<Newcomer> {
  const context = await browser.context({ viewport });
  const one = new Newcomer(await context.newPage());
  await one.page.goto('/dashboard/register');
  await one.fill('Email', 'new@example.com');
  await one.fill('Password', 'correct horse battery');
  await one.press('Create account');
  await one.fill('Name', 'Blue Door Books');
  await one.fill('Domain', 'bluedoor.example');
  await one.press('Create shop');
  await one.follow('Go to the shop');
  return one;
}

async function paid(one: Newcomer): Promise<void> {
  await one.press('Pay exactly');
  await one.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
}

it.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('a new user receives a completed test payment within 6 clicks on a %s', async (_, viewport) => {
  const one = await ownShop(viewport);
  await one.press('Make a test payment');
  await one.page.getByText('No payment yet').waitFor();
  expect(await axeFindings(one.page)).toEqual([]);
  await one.open('Open checkout');
  await paid(one);
  console.log(`a test payment: ${one.clicks} clicks, ${one.fields} fields, ${one.seconds.toFixed(1)} s`);
  expect(one.clicks).toBeLessThanOrEqual(6);
  expect(one.fields).toBe(4);
  expect(browser.takeComplaints()).toEqual([]);
});

it.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('a new user receives a payment by a payment link within 8 clicks on a %s', async (_, viewport) => {
  const one = await ownShop(viewport);
  await one.follow('New payment link');
  await one.fill('Name', 'A mug');
  await one.fill('Amount', '12.50');
  await one.press('Create');
  await one.open('Open the page');
  await one.press('Continue to payment');
  await paid(one);
  console.log(`a payment link: ${one.clicks} clicks, ${one.fields} fields, ${one.seconds.toFixed(1)} s`);
  expect(one.clicks).toBeLessThanOrEqual(8);
  expect(one.fields).toBe(6);
  expect(browser.takeComplaints()).toEqual([]);
});
