/** The owner's dialog of forwards to cold storage: a rule, its pending destination and its undo. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { newPerson, type Person, signedIn } from '../_helpers/people.ts';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';
import { World } from '../integration/api/world.ts';
import { COLD_KEY } from '../integration/forwards/forward-world.ts';

const PASSWORD = 'correct horse battery';

let world: World;
let browser: WebBrowser;
let owner: Person;
let shop: Shop;
let page: Page;

beforeAll(async () => {
  await ensureWebBuilt();
  world = await World.start(undefined, { TILLD_FORWARD_DELAY: '24h' });
  const { api } = world.till;
  browser = await WebBrowser.start(api.baseUrl);
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  shop = await Shop.open(api, { owner: person.token });
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

const stored = async () =>
  (
    await world.till.api.must<{ forwards: { coin: string; pending: { addresses: string[] } | null }[] }>(
      'GET',
      '/merchant/wallet/forward',
      { token: shop.secretKey },
    )
  ).forwards;
const dialog = (): Locator => page.getByRole('dialog', { name: 'Forward to cold storage' });

it('a forward to an extended key shows the addresses that take effect later, and can be dropped', async () => {
  await visit(page, `/dashboard/shop/${shop.merchantId}/wallet`);
  await page.getByRole('button', { name: 'Cold storage' }).click();
  await dialog().getByLabel('Or its public key or descriptor').fill(COLD_KEY);
  await dialog().getByLabel('Forward from this amount on').fill('0.1');
  await dialog().getByRole('button', { name: 'Save' }).click();
  const drop = dialog().getByRole('button', { name: 'Drop the new destination' });
  await drop.waitFor();
  const [forward] = await stored();
  for (const address of forward?.pending?.addresses ?? []) await dialog().getByText(address).waitFor();
  expect(forward?.pending?.addresses).toHaveLength(5);
  expect(await axeFindings(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENS}/forward-desktop.png` });
  await page.setViewportSize(PHONE);
  const hidden = await dialog().evaluate((box) => box.scrollWidth - box.clientWidth);
  expect(hidden).toBe(0);
  await page.setViewportSize(DESKTOP);
  await drop.click();
  await drop.waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject([{ coin: 'BTC', pending: null }]);
  await dialog().getByRole('button', { name: 'Stop forwarding BTC' }).click();
  await dialog().getByRole('button', { name: 'Stop forwarding BTC' }).waitFor({ state: 'detached' });
  expect(await stored()).toEqual([]);
});
