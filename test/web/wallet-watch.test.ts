/** The owner's dialog of watch-only accounts: addresses of a cold ETH or SOL wallet are pasted or read from a file. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { coldAddress, coldAddresses } from '../_helpers/listed-addresses.ts';
import { newPerson, type Person, signedIn } from '../_helpers/people.ts';
import { axeFindings, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';
import { World } from '../integration/api/world.ts';

const PASSWORD = 'correct horse battery';
const DESKTOP = { width: 1280, height: 800 };

let world: World;
let browser: WebBrowser;
let owner: Person;

beforeAll(async () => {
  await ensureWebBuilt();
  world = await World.start();
  const { api } = world.till;
  browser = await WebBrowser.start(api.baseUrl);
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  owner = await signedIn(api, person.email);
});
afterAll(async () => {
  await browser?.stop();
  await world?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

interface Opened {
  readonly page: Page;
  readonly dialog: Locator;
  readonly shop: Shop;
}

/** The dialog of a new shop. */
async function openDialog(viewport: typeof DESKTOP, locale = 'en-US'): Promise<Opened> {
  const shop = await Shop.open(world.till.api, { owner: owner.token });
  const page = await browser.page({ viewport, locale });
  const user = { email: owner.email, password: PASSWORD, steppedUp: true };
  await signInBrowser(page.context(), world.till.api.baseUrl, user);
  await visit(page, `/dashboard/shop/${shop.merchantId}/wallet?open=watch`);
  const dialog = page.getByRole('dialog');
  await dialog.locator('select').waitFor();
  return { page, dialog, shop };
}

async function list(shop: Shop): Promise<{ size: number; remaining: number; last: string } | null> {
  const { body } = await owner.session.call<{
    accounts: { state: string; list: { size: number; remaining: number; last: string } | null }[];
  }>('GET', `/merchant/wallet/watch?merchantId=${shop.merchantId}`);
  return body.data.accounts.find(({ state }) => state === 'active')?.list ?? null;
}

/** A file as a table program saves it. */
const csvFile = (lines: readonly string[]) => ({
  name: 'addresses.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(`\uFEFF${lines.join('\r\n')}\r\n`),
});

const overflow = async (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(`[document.documentElement, ...document.querySelectorAll('[role=dialog]')].some(
    (each) => each.scrollWidth > each.clientWidth + 1,
  )`);

describe('the form for addresses of a cold wallet', () => {
  it('names the lines of a pasted list that are invalid or repeated, and sends nothing until they are corrected', async () => {
    const { page, dialog, shop } = await openDialog(DESKTOP);
    await dialog.getByLabel('Coin').selectOption('SOL');
    const cold = coldAddresses('SOL', 'ledger', 3);
    const text = dialog.getByLabel('Addresses of your wallet, one per line');
    const submit = dialog.getByRole('button', { name: 'Show its addresses' });
    await text.fill([cold[0], 'not-an-address-1', cold[1], cold[0], cold[2]].join('\n'));
    await dialog.getByText('Addresses read: 3').waitFor();
    await dialog.getByText('Lines without a valid address: 2', { exact: true }).waitFor();
    await dialog.getByText('Lines with an address listed before: 4', { exact: true }).waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await text.fill(cold.join('\n'));
    await submit.click();
    await dialog.getByText('Compare these addresses with those of your wallet').waitFor();
    // The form shows the addresses too until it is emptied.
    await expect.poll(() => text.inputValue()).toBe('');
    for (const address of cold) await dialog.getByText(address).waitFor();
    expect(await list(shop)).toBeNull();
    await dialog.getByRole('button', { name: 'They match: use this list' }).click();
    await dialog.getByText('Unused addresses: 3 of 3.').waitFor();
    expect(await list(shop)).toEqual({ size: 3, remaining: 3, last: cold[2] });
    await page.context().close();
  });

  it('reads a CSV file, takes its corrections, and shows how many addresses are left after an order', async () => {
    const { page, dialog, shop } = await openDialog(DESKTOP);
    await dialog.getByLabel('Coin').selectOption('ETH');
    const cold = coldAddresses('ETH', 'trezor', 8);
    const rows = ['address,label', ...cold.map((address, at) => `"${address}",account ${at}`)];
    const faulty = [...rows.slice(0, 3), '0x1234,short', `${cold[0]?.toLowerCase()},again`, ...rows.slice(3)];
    const choose = dialog.getByLabel('Or choose a CSV file');
    await choose.setInputFiles(csvFile(faulty));
    await dialog.getByText('Lines without a valid address: 4', { exact: true }).waitFor();
    await dialog.getByText('Lines with an address listed before: 5', { exact: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const submit = dialog.getByRole('button', { name: 'Show its addresses' });
    expect(await submit.isDisabled()).toBe(true);
    // A browser reports no change when the same file is chosen again, unless it was forgotten before.
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), choose.click()]);
    expect(await choose.inputValue()).toBe('');
    await chooser.setFiles(csvFile(rows));
    await dialog.getByText('Addresses read: 8').waitFor();
    await dialog.getByText('Lines without a valid address').waitFor({ state: 'detached' });
    await submit.click();
    await dialog.getByRole('button', { name: 'They match: use this list' }).click();
    await dialog.getByText('Unused addresses: 8 of 8.').waitFor();
    await shop.createPayment({ allowedCryptos: ['ETH'] });
    await page.reload();
    await dialog.getByLabel('Coin').selectOption('ETH');
    await dialog.getByText('Unused addresses: 7 of 8.').waitFor();
    await page.context().close();
  });

  it('names the line of an address that the server refused', async () => {
    const { page, dialog, shop } = await openDialog(DESKTOP);
    await dialog.getByLabel('Coin').selectOption('ETH');
    const address = coldAddress('ETH', 'keystone', 1);
    const miscased = address.replace(/[a-f]/u, (letter) => letter.toUpperCase());
    await dialog
      .getByLabel('Addresses of your wallet, one per line')
      .fill(['Address', coldAddress('ETH', 'keystone', 0), '', `${miscased};mistyped`].join('\n'));
    await dialog.getByRole('button', { name: 'Show its addresses' }).click();
    await dialog.getByText('Refused lines: 4', { exact: true }).waitFor();
    expect(await list(shop)).toBeNull();
    await page.context().close();
  });

  it.each([
    ['phone', PHONE, 'en-US'],
    ['phone', PHONE, 'ar'],
    ['desktop', DESKTOP, 'en-US'],
    ['desktop', DESKTOP, 'ar'],
  ])('fits the screen of a %s (%j, %s)', async (name, size, locale) => {
    const { page, dialog } = await openDialog(size, locale);
    await dialog.locator('select').selectOption('ETH');
    const cold = coldAddresses('ETH', `${name} ${locale}`, 7);
    const text = dialog.locator('textarea');
    const take = async (state: string): Promise<void> => {
      await page.screenshot({ path: `${SCREENS}/watch-list-${state}-${name}-${locale}.png` });
      expect(await overflow(page)).toBe(false);
    };
    await take('empty');
    await text.fill([...cold, '0x12', ...cold].join('\n'));
    await dialog.getByRole('status').locator('p').nth(2).waitFor();
    await dialog.locator('button[type=submit]').scrollIntoViewIfNeeded();
    await take('faults');
    await text.fill(cold.join('\n'));
    await dialog.locator('button[type=submit]').click();
    await expect.poll(() => text.inputValue()).toBe('');
    await dialog.locator('li', { hasText: cold[6] }).waitFor();
    await take('compare');
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });
});
