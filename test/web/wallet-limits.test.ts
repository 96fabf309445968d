/** The owner's dialog of limits: amounts, allowed addresses and approvers, with what takes effect later. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { newPerson, type Person, signedIn } from '../_helpers/people.ts';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';
import { World } from '../integration/api/world.ts';
import { type Approver, newApprover } from '../integration/limits/approver.ts';

const PASSWORD = 'correct horse battery';

let world: World;
let browser: WebBrowser;
let owner: Person;
let shop: Shop;
let member: Approver;
let page: Page;

beforeAll(async () => {
  await ensureWebBuilt();
  world = await World.start(undefined, { TILLD_LIMIT_DELAY: '24h' });
  const { api } = world.till;
  browser = await WebBrowser.start(api.baseUrl);
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  shop = await Shop.open(api, { owner: person.token });
  owner = await signedIn(api, person.email);
  member = await newApprover(world, owner.session, shop.merchantId);
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

interface Limits {
  readonly allowList: { destination: string; label: string }[] | null;
  readonly approvers: string[];
  readonly pending: { part: string; destination: { destination: string } | null }[];
}
const stored = async () =>
  world.till.api.must<Limits>('GET', '/merchant/wallet/limits', { token: shop.secretKey });
const dialog = (): Locator => page.getByRole('dialog', { name: 'Limits' });
const add = async (address: string, label: string): Promise<void> => {
  await dialog().getByLabel('Address').fill(address);
  await dialog().getByLabel('Label').fill(label);
  await dialog().getByRole('button', { name: 'Add address' }).click();
};

it('the limits dialog applies the first allowed address immediately and a second one after the delay, and can undo it', async () => {
  const [first, second] = [
    (await Shop.open(world.till.api)).wallets.BTC,
    (await Shop.open(world.till.api)).wallets.BTC,
  ];
  await visit(page, `/dashboard/shop/${shop.merchantId}/wallet`);
  await page.getByRole('button', { name: 'Limits' }).click();
  await dialog().getByText('Every address may be paid.').waitFor();
  await add('not an address', '');
  await dialog().getByText('not an address:').waitFor();
  await add(first, 'Cold storage');
  await dialog()
    .getByRole('button', { name: `Remove ${first}` })
    .waitFor();
  await add(second, 'Exchange');
  const undo = dialog().getByRole('button', { name: `Undo: Allowed address: ${second}` });
  await undo.waitFor();
  expect(await stored()).toMatchObject({
    allowList: [{ destination: first, label: 'Cold storage' }],
    pending: [{ part: 'allowList', destination: { destination: second } }],
  });
  await undo.click();
  await undo.waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({ allowList: [{ destination: first }], pending: [] });
  await add(second, 'Exchange');
  await undo.waitFor();
});

it('the limits dialog adds a first approver after the delay, and fits a desktop and a phone', async () => {
  await dialog().getByLabel('Person').selectOption({ label: member.email });
  await dialog().getByRole('button', { name: 'Add approver' }).click();
  const undo = dialog().getByRole('button', { name: `Undo: Approvers: ${member.email}` });
  await undo.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENS}/limits-desktop.png` });
  await page.setViewportSize(PHONE);
  const hidden = await dialog().evaluate((box) => box.scrollWidth - box.clientWidth);
  expect(hidden).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENS}/limits-phone.png` });
  await dialog().getByText('Approvers', { exact: true }).scrollIntoViewIfNeeded();
  await page.screenshot({ path: `${SCREENS}/limits-phone-approvers.png` });
  await page.setViewportSize(DESKTOP);
  await undo.click();
  await undo.waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({ approvers: [] });
});

it('the limits dialog removes an allowed address immediately, and allows every address only after the delay', async () => {
  const [first] = (await stored()).allowList ?? [];
  await dialog().getByRole('button', { name: 'Allow every address' }).click();
  const undo = dialog().getByRole('button', { name: 'Undo: Every address is allowed' });
  await undo.click();
  await undo.waitFor({ state: 'detached' });
  const remove = dialog().getByRole('button', { name: `Remove ${first?.destination}` });
  await remove.click();
  await remove.waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({ allowList: [], pending: [{ part: 'allowList' }] });
});
