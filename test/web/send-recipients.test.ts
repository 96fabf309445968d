/** The wallet page: a send to several recipients from chosen outputs, and the fee of one that waits. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { newPerson, type Person, signedIn } from '../_helpers/people.ts';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';
import { paidPayment, World } from '../integration/api/world.ts';

const PASSWORD = 'correct horse battery';
const PAYEES = ['tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'];

let world: World;
let browser: WebBrowser;
let owner: Person;
let shop: Shop;
let page: Page;

beforeAll(async () => {
  await ensureWebBuilt();
  world = await World.start();
  const { api } = world.till;
  browser = await WebBrowser.start(api.baseUrl);
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  shop = await Shop.open(api, { owner: person.token });
  await paidPayment(shop, { amount: '20000' });
  owner = await signedIn(api, person.email);
  page = await browser.page({ viewport: DESKTOP });
  const user = { email: owner.email, password: PASSWORD, steppedUp: true };
  await signInBrowser(page.context(), api.baseUrl, user);
});
afterAll(async () => {
  await browser?.stop();
  await world?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

const dialog = (name: string): Locator => page.getByRole('dialog', { name });

interface Entry {
  readonly id: string;
  readonly fee: string;
  readonly outputs: readonly { readonly destination: string; readonly amount: string }[] | null;
}
const sends = async (): Promise<Entry[]> =>
  (
    await world.till.api.must<{ transactions: Entry[] }>(
      'GET',
      '/merchant/wallet/transactions?direction=out',
      { token: shop.secretKey },
    )
  ).transactions;

/** As a spreadsheet copies its cells. */
async function paste(field: Locator, text: string): Promise<void> {
  await field.focus();
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', ${JSON.stringify(text)});
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(paste);
  }`);
}

it('a pasted table becomes a send to several recipients from the chosen outputs', async () => {
  await visit(page, `/dashboard/shop/${shop.merchantId}/wallet`);
  await page.getByRole('button', { name: 'Send BTC' }).click();
  const form = dialog('Send BTC');
  await form.getByRole('button', { name: 'Several recipients' }).click();
  await form.getByRole('button', { name: 'Choose outputs' }).click();
  await form.getByRole('checkbox').first().check();
  await paste(form.getByLabel('Address 1'), `address\tamount\n${PAYEES[0]}\t0.01\n${PAYEES[1]}\t0.02`);
  expect(await form.getByLabel('Amount 2 in BTC').inputValue()).toBe('0.02');
  expect(await axeFindings(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENS}/send-recipients-desktop.png` });
  await page.setViewportSize(PHONE);
  expect(await form.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  await page.screenshot({ path: `${SCREENS}/send-recipients-phone.png` });
  await page.setViewportSize(DESKTOP);
  await form.getByRole('button', { name: 'Add a recipient' }).click();
  await form.getByLabel('Address 3').fill('nobody');
  await form.getByLabel('Amount 3 in BTC').fill('0.01');
  await form.getByRole('button', { name: 'Continue' }).click();
  await page.waitForFunction(`document.activeElement.name === 'outputs.2.destination'`);
  await form.getByRole('button', { name: 'Remove recipient 3' }).click();
  await form.getByRole('button', { name: 'Continue' }).click();
  await form.getByText('2 recipients').waitFor();
  // What was entered, the chosen output included, is still there after going back.
  await form.getByRole('button', { name: 'Back' }).click();
  expect(await form.getByRole('checkbox').first().isChecked()).toBe(true);
  await form.getByRole('button', { name: 'Continue' }).click();
  await form.getByText('2 recipients').waitFor();
  await page.screenshot({ path: `${SCREENS}/send-recipients-preview.png` });
  await form.getByRole('button', { name: 'Send now' }).click();
  await form.getByText(/are on their way/).waitFor();
  await form.getByRole('button', { name: 'Done' }).click();
  expect(await sends()).toMatchObject([
    {
      outputs: [
        { destination: PAYEES[0], amount: '0.01' },
        { destination: PAYEES[1], amount: '0.02' },
      ],
    },
  ]);
});

it('the fee of a waiting send is raised in the dialog that the history links to', async () => {
  const [before] = await sends();
  await page.getByRole('link', { name: 'Raise the fee' }).click();
  const raise = dialog('Raise the fee');
  await raise.getByText('2 recipients').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENS}/raise-fee-desktop.png` });
  await page.setViewportSize(PHONE);
  expect(await raise.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  await page.screenshot({ path: `${SCREENS}/raise-fee-phone.png` });
  await page.setViewportSize(DESKTOP);
  await raise.getByLabel('Fee rate').fill('40');
  await raise.getByRole('button', { name: 'Raise the fee' }).click();
  await page.getByText('The fee is raised').waitFor();
  await raise.waitFor({ state: 'detached' });
  const [after] = await sends();
  expect(after?.id).toBe(before?.id);
  expect(Number(after?.fee)).toBeGreaterThan(Number(before?.fee));
});
