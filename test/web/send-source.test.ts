/** The wallet page of a shop that has money in the wallet of the server and on a watch-only account. */
import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { newPerson, type Person, signedIn } from '../_helpers/people.ts';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';
import { paidPayment, World } from '../integration/api/world.ts';

const PASSWORD = 'correct horse battery';
const PAYEE = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
const DESCRIPTOR =
  'wpkh([73c5da0a/84h/0h/0h]xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V/<0;1>/*)#wc3n3van';
const ACCOUNT = {
  id: 'wat_2KfHw9TzLq4Xn7VbR0mCy5Pd',
  coin: 'BTC',
  sandbox: false,
  state: 'active',
  active: true,
  descriptor: DESCRIPTOR,
  list: null,
  addresses: ['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
  nextIndex: 3,
  takesEffectAt: null,
  balance: '0.25',
  unconfirmed: '0',
  gap: 2,
  changeGap: 1,
  createdAt: '2026-11-28T12:00:00.000Z',
} as const;

let world: World;
let browser: WebBrowser;
let owner: Person;
let shop: Shop;

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
});
afterAll(async () => {
  await browser?.stop();
  await world?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

const reply = async (route: Route, data: unknown): Promise<void> =>
  route.fulfill({ json: { success: true, error: null, data } });

/** What the browser asked of the server about sends. */
interface Asked {
  readonly page: Page;
  readonly bodies: Record<string, unknown>[];
}

/** The wallet page with that account; its sends wait for a signature, which the sandbox has none of. */
async function openWallet(size: { width: number; height: number }, locale = 'en-US'): Promise<Asked> {
  const page = await browser.page({ viewport: size, locale });
  const user = { email: owner.email, password: PASSWORD, steppedUp: true };
  await signInBrowser(page.context(), world.till.api.baseUrl, user);
  const bodies: Record<string, unknown>[] = [];
  await page.route(/\/merchant\/wallet\/watch\?/u, async (route) => reply(route, { accounts: [ACCOUNT] }));
  await page.route(/\/merchant\/wallet\/estimate-fee/u, async (route) => {
    bodies.push(route.request().postDataJSON() as Record<string, unknown>);
    await reply(route, { fee: '0.00000282', amount: '0.1', total: '0.10000282', maxFee: '0.001' });
  });
  await page.route(/\/merchant\/wallet\/send\?/u, async (route) => {
    bodies.push(route.request().postDataJSON() as Record<string, unknown>);
    await reply(route, awaiting());
  });
  await visit(page, `/dashboard/shop/${shop.merchantId}/wallet`);
  return { page, bodies };
}

function awaiting() {
  return {
    id: 'snd_2KfHw9TzLq4Xn7VbR0mCy5Pd',
    status: 'awaiting_signature',
    coin: 'BTC',
    sandbox: false,
    from: ACCOUNT.id,
    txHash: null,
    fee: '0.00000282',
    amount: '0.1',
    destination: PAYEE,
    outputs: null,
    subtractFee: false,
    confirmations: 0,
    parts: null,
    error: null,
    note: null,
    reason: null,
    maxFee: '0.001',
    feeLimited: false,
    cancelling: false,
    psbt: `cHNidP8BAHECAAAAAc4nK${'A'.repeat(600)}`,
    signatures: { required: 2, collected: 1 },
    expiresAt: '2026-12-05T12:00:00.000Z',
    approvalReasons: [],
    createdAt: '2026-11-28T12:00:00.000Z',
    updatedAt: '2026-11-28T12:00:00.000Z',
  };
}

/** Whether a page is wider than its screen, or a dialog than itself. */
const overflow = async (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const of = [document.documentElement, ...document.querySelectorAll('dialog[open], [role=dialog]')];
    return of.some((each) => each.scrollWidth > each.clientWidth + 1);
  })()`);

async function fill(form: Locator, amount: string): Promise<void> {
  await form.locator('[name=destination]').fill(PAYEE);
  await form.locator('[name=amount]').fill(amount);
  await form.locator('button[type=submit]').click();
}

describe('the send form with a watch-only account', () => {
  it('pays from the account of new orders, shows its balance, and returns the transaction to sign', async () => {
    const { page, bodies } = await openWallet(DESKTOP);
    await page.getByRole('button', { name: 'Send BTC' }).click();
    const form = page.getByRole('dialog', { name: 'Send BTC' });
    await form.getByText('Available: 0.25 BTC').waitFor();
    const source = form.getByLabel('Pay from');
    expect(await source.locator('option:checked').innerText()).toBe('Watch-only account 73c5da0a');
    await form.getByText('You get a transaction (PSBT) to sign').waitFor();
    expect(await form.getByRole('button', { name: 'Choose outputs' }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await fill(form, '0.1');
    await form.getByText('Paid from: Watch-only account 73c5da0a').waitFor();
    await form.getByRole('button', { name: 'Create the transaction to sign' }).click();
    await form.getByText('Signatures: 1 of 2').waitFor();
    expect(bodies.map(({ from, amount }) => [from, amount])).toEqual([
      [ACCOUNT.id, '0.1'],
      [ACCOUNT.id, '0.1'],
    ]);
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });

  it('pays from the wallet of the server when that is chosen', async () => {
    const { page, bodies } = await openWallet(DESKTOP);
    await page.getByRole('button', { name: 'Send BTC' }).click();
    const form = page.getByRole('dialog', { name: 'Send BTC' });
    await form.getByLabel('Pay from').selectOption('own');
    await form.getByText('This server signs the transaction and sends it.').waitFor();
    await form.getByRole('button', { name: 'Choose outputs' }).waitFor();
    await fill(form, '0.01');
    await form.getByText('Paid from: Wallet of this server').waitFor();
    await form.getByRole('button', { name: 'Send now' }).waitFor();
    expect(bodies.map(({ from }) => from)).toEqual(['own']);
    await page.context().close();
  });

  it.each([
    ['phone', PHONE, 'en-US'],
    ['phone', PHONE, 'ar'],
    ['desktop', DESKTOP, 'en-US'],
    ['desktop', DESKTOP, 'ar'],
  ])('fits the screen of a %s (%j, %s)', async (name, size, locale) => {
    const { page } = await openWallet(size, locale);
    await page.locator('main li button').first().click();
    const form = page.getByRole('dialog');
    await form.locator('select').waitFor();
    await page.screenshot({ path: `${SCREENS}/send-source-${name}-${locale}.png` });
    expect(await overflow(page)).toBe(false);
    await fill(form, '0.1');
    await form.locator('code').first().waitFor();
    await page.screenshot({ path: `${SCREENS}/send-source-preview-${name}-${locale}.png` });
    await form
      .locator('button')
      .filter({ hasText: /transaction to sign|للتوقيع/u })
      .click();
    await form.locator('input[type=file]').waitFor();
    await page.screenshot({ path: `${SCREENS}/sign-psbt-${name}-${locale}.png` });
    expect(await overflow(page)).toBe(false);
    await page.context().close();
  });
});

describe('the menu of the dashboard', () => {
  it.each(['treasury', 'outputs'])('marks the wallet on its page %s', async (path) => {
    const { page } = await openWallet(DESKTOP);
    await visit(page, `/dashboard/shop/${shop.merchantId}/${path}`);
    const entry = page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Wallet', exact: true });
    expect(await entry.getAttribute('aria-current')).toBe('true');
    await page.context().close();
  });
});
