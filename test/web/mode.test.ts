/** Live and sandbox in the dashboard: going live with nodes in every state. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { confirmIt, signInBrowser } from '../_helpers/web/dashboard.ts';
import { addressScript } from '../../src/chains/utxo/address.ts';
import { UTXO_COINS } from '../../src/domain/coins.ts';
import { Shop } from '../_helpers/api-client.ts';
import { toAtoms } from '../_helpers/nodes/index.ts';
import { eventually } from '../_helpers/poll.ts';
import { TillBesideNodes } from '../_helpers/daemon-with-nodes.ts';

const PASSWORD = 'correct horse battery';

let world: TillBesideNodes;
let browser: WebBrowser;
let page: Page;
let phone: Page;
let shopPath: string;

beforeAll(async () => {
  await ensureWebBuilt();
  world = await TillBesideNodes.start();
  const { till, shop } = world;
  browser = await WebBrowser.start(till.api.baseUrl);
  shopPath = `/dashboard/shop/${shop.merchantId}`;
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  const open = async (options: Parameters<WebBrowser['context']>[0]): Promise<Page> => {
    const context = await browser.context(options);
    await signInBrowser(context, till.api.baseUrl, { email: user.email, password: PASSWORD });
    return context.newPage();
  };
  page = await open({ viewport: DESKTOP });
  phone = await open({ viewport: PHONE, colorScheme: 'dark' });
});

afterAll(async () => {
  await browser?.stop();
  await world?.[Symbol.asyncDispose]();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function openGoLive(on: Page) {
  await on.goto(`${shopPath}/settings`);
  await on.getByRole('button', { name: 'Go live' }).click();
  const dialog = on.getByRole('dialog', { name: 'Go live' });
  await dialog.getByRole('list', { name: 'Readiness of each coin' }).waitFor();
  return dialog;
}

describe('the dialog before a shop goes live', () => {
  it('shows for each coin whether it is ready, and if not, the reason', async () => {
    await world.switchTo('sandbox');
    for (const on of [page, phone]) {
      const dialog = await openGoLive(on);
      expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
        expect.stringMatching(/BTC\s+Ready\s+The node is in sync/),
        expect.stringMatching(/ETH\s+Not reachable\s+The node does not answer/),
        expect.stringMatching(/LTC\s+Wrong network\s+The node serves another network/),
        expect.stringMatching(/SOL\s+No node\s+This server has no node for it/),
      ]);
      await on.keyboard.press('Escape');
    }
  });

  it('warns while no coin is ready, allows the switch nevertheless, and removes the warning once a coin is ready', async () => {
    await world.setHeadersAhead(5);
    const dialog = await openGoLive(page);
    await dialog.getByText('No coin is ready to take real money yet').waitFor();
    await dialog.getByRole('button', { name: 'Go live without a coin' }).click();
    await confirmIt(page, { password: PASSWORD });
    await page.getByText('No coin is ready. Not ready: BTC').waitFor();
    await world.switchTo('sandbox');
    const again = await openGoLive(page);
    await again.getByText('No coin is ready to take real money yet').waitFor();
    expect(await again.innerText()).toMatch(/still syncing, at block \d+ with 5 to go/);
    expect(await axeFindings(page)).toEqual([]);
    await world.setHeadersAhead(0);
    await again.getByRole('button', { name: 'Go live', exact: true }).click({ timeout: 20_000 });
    await page.getByText('Ready: BTC. Not ready: ETH').waitFor();
    expect(await page.getByRole('button', { name: 'Go to the sandbox' }).isVisible()).toBe(true);
  });

  it('shows the error of the server when the switch fails', async () => {
    await world.switchTo('sandbox');
    const dialog = await openGoLive(page);
    const message = 'Too many requests: try again in a minute';
    const error = { status: 429, code: 'RATE_LIMITED', message, details: [] };
    await page.route('**/merchant/sandbox?*', async (route) =>
      route.fulfill({ status: 429, json: { success: false, error, data: null } }),
    );
    await dialog.getByRole('button', { name: 'Go live' }).click();
    await dialog.getByRole('alert').getByText(message).waitFor();
    await page.unroute('**/merchant/sandbox?*');
  });
});

/** What the two buttons of the frame say: which is on. */
async function inView(on: Page): Promise<string> {
  return on.getByRole('group', { name: 'Mode shown' }).locator('[aria-pressed=true]').innerText();
}

const banner = (on: Page) => on.getByRole('complementary', { name: 'Mode shown' });
const shopIsLive = async (): Promise<boolean> => {
  const { merchants } = await world.till.api.must<{ merchants: { sandboxMode: boolean }[] }>(
    'GET',
    '/merchant/list',
    { token: world.shop.secretKey },
  );
  return merchants[0]?.sandboxMode === false;
};

describe('the switch between live and sandbox data in the dashboard', () => {
  let orders: Record<'live' | 'sandbox', { orderId: string; path: string }>;

  beforeAll(async () => {
    const { till, shop, node } = world;
    const pay = async (mode: 'live' | 'sandbox') => {
      await world.switchTo(mode);
      const orderId = mode === 'live' ? 'A real order' : 'A played order';
      const { id } = await shop.createPayment({ orderId, amount: '5000', allowedCryptos: ['BTC'] });
      const { options } = await shop.payment(id);
      const { address, amount } = options.BTC;
      const body = { paymentId: id, scenario: 'exact', confirmations: 9 };
      if (mode === 'sandbox') {
        await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
      } else {
        node.pay(addressScript(UTXO_COINS.BTC, 'regtest', address), toAtoms(amount));
        node.mine(2);
      }
      await eventually(
        'paid',
        () => shop.payment(id),
        ({ status }) => status === 'completed',
      );
      return { orderId, path: `${shopPath}/payments/${id}` };
    };
    orders = { sandbox: await pay('sandbox'), live: await pay('live') };
  });

  it('shows the current mode of the shop, without a banner, until the other is selected', async () => {
    await page.goto(`${shopPath}/payments`);
    await page.getByRole('link', { name: orders.live.orderId }).waitFor();
    expect([await inView(page), await banner(page).count(), new URL(page.url()).search]).toEqual([
      'Live',
      0,
      '',
    ]);
    expect(await page.getByText(orders.sandbox.orderId).count()).toBe(0);
  });

  it('shows data of the other mode in every list with a banner, also on other pages and after a reload', async () => {
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('link', { name: orders.sandbox.orderId }).waitFor();
    expect(await banner(page).innerText()).toContain('You are looking at test payments');
    expect(new URL(page.url()).search).toBe('?mode=sandbox');
    expect(await page.getByText(orders.live.orderId).count()).toBe(0);
    for (const [name, text] of [
      ['Wallet', '+0.05'],
      ['Home', orders.sandbox.orderId],
      ['Webhooks', 'No delivery yet'],
      ['Account', 'Password'],
      ['Payments', orders.sandbox.orderId],
    ] as const) {
      if (name === 'Payments') await page.goBack();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
      await page.getByRole('main').getByText(text).first().waitFor();
      expect([name, new URL(page.url()).searchParams.get('mode')]).toEqual([name, 'sandbox']);
    }
    await page.reload();
    await banner(page).waitFor();
    expect(await inView(page)).toBe('Test');
    expect(await shopIsLive()).toBe(true);
  });

  it('offers no action in the other mode that would move money or create a payment', async () => {
    await page.goto(`${shopPath}/wallet?mode=sandbox`);
    await page.getByRole('button', { name: 'Receive BTC' }).waitFor();
    await banner(page).waitFor();
    expect(await page.getByRole('button', { name: /^Send/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Receive BTC' }).click();
    await page.getByRole('dialog').getByText(/^tb1/).waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${shopPath}/payments?mode=sandbox`);
    await page.getByRole('link', { name: orders.sandbox.orderId }).waitFor();
    expect(await page.getByRole('button', { name: 'New payment' }).count()).toBe(0);
    await page.goto(`${shopPath}/wallet`);
    await page.getByRole('button', { name: 'Send BTC' }).waitFor();
  });

  it('makes the server refuse a send whose form was opened before the shop was switched', async () => {
    await page.goto(`${shopPath}/wallet`);
    await page.getByRole('button', { name: 'Send BTC' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send BTC' });
    await dialog.getByLabel('To address').fill('bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080');
    await dialog.getByLabel('Amount in BTC').fill('0.001');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('button', { name: 'Send now' }).waitFor();
    await world.switchTo('sandbox');
    world.till.clock.advance(6 * 60_000);
    await dialog.getByRole('button', { name: 'Send now' }).click();
    await confirmIt(page, { password: PASSWORD });
    await dialog.getByText('This send is meant for the live wallet').waitFor();
    expect(world.node.received).toEqual([]);
    await world.switchTo('live');
  });

  it('estimates the fee of a refund in the wallet that received the payment', async () => {
    await world.switchTo('sandbox');
    await page.goto(orders.live.path);
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Refund' });
    await dialog.getByLabel('Payer’s address').fill('bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080');
    await dialog.getByLabel('Amount in BTC').fill('0.01');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('button', { name: 'Send the refund' }).waitFor();
    expect(await page.getByText('This page shows real money: a refund sends real coins').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('link', { name: orders.sandbox.orderId }).waitFor();
    expect(await banner(page).count()).toBe(0);
    await world.switchTo('live');
  });

  it('resets to the current mode when another shop is selected', async () => {
    await Shop.open(world.till.api, { owner: world.shop.token, settings: { name: 'Second' } });
    await page.goto(`${shopPath}/payments?mode=sandbox`);
    await banner(page).waitFor();
    await page.getByLabel('Shop', { exact: true }).selectOption({ label: 'Second' });
    await page.getByRole('heading', { name: 'Second' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('fits a phone, and its banner stays visible while scrolling', async () => {
    await phone.goto(`${shopPath}?mode=sandbox`);
    await banner(phone).waitFor();
    await phone.getByText(orders.sandbox.orderId).first().waitFor();
    await phone.mouse.wheel(0, 5_000);
    expect(await banner(phone).evaluate((it) => it.getBoundingClientRect().top)).toBeGreaterThanOrEqual(0);
    expect(await phone.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  });
});

const card = (on: Page) => on.locator('section', { hasText: 'Before you go live' });

/** Titles of the steps, and whether each is done. */
const stateOf = async (on: Page) =>
  Object.fromEntries(
    (await card(on).getByRole('listitem').allInnerTexts()).map((text) => {
      const [, title = text, state] = /([^\n]+)\s+\((done|to do)\)/.exec(text) ?? [];
      return [title.trim(), state === 'done'];
    }),
  );

describe('the go-live checklist', () => {
  let checklistPath: string;
  let shop: Shop;

  beforeAll(async () => {
    shop = await Shop.open(world.till.api, { owner: world.shop.token, settings: { name: 'Fresh' } });
    await world.till.api.must('POST', '/merchant/sandbox', {
      token: shop.secretKey,
      body: { sandboxMode: true },
    });
    checklistPath = `/dashboard/shop/${shop.merchantId}`;
  });

  it('shows which steps are done and links to the others', async () => {
    await page.goto(checklistPath);
    await card(page).waitFor();
    expect(await stateOf(page)).toEqual({
      'Pay a test payment': false,
      'Receive webhooks': false,
      'Verify your domain': false,
      'Set up a second factor or a passkey': false,
      'Back up this server': false,
      'Connect a node': true,
    });
    expect(await card(page).innerText()).toContain('Ready to take real money: BTC.');
    const links = await card(page)
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    await card(page).getByRole('button', { name: 'Make a test payment' }).waitFor();
    expect(links).toEqual([
      `${checklistPath}/settings`,
      `${checklistPath}/settings`,
      '/dashboard/account',
      '/docs#guide-live',
    ]);
    for (const link of links) expect((await fetch(world.till.api.baseUrl + link)).status).toBe(200);
  });

  it('is accessible and fits in light and dark mode, on a desktop and a phone', async () => {
    for (const on of [page, phone]) {
      await on.goto(checklistPath);
      await card(on).waitFor();
      expect(await axeFindings(on)).toEqual([]);
    }
  });

  it('updates without a reload', async () => {
    const { id } = await shop.createPayment({ amount: '5000' });
    await world.till.api.must('POST', '/sandbox/payment/simulate', {
      token: shop.secretKey,
      body: { paymentId: id, scenario: 'exact', coin: 'BTC', confirmations: 9 },
    });
    await eventually(
      'paid',
      () => shop.payment(id),
      ({ status }) => status === 'completed',
    );
    await page.goto(checklistPath);
    await expect.poll(() => stateOf(page)).toMatchObject({ 'Pay a test payment': true });
    expect(await card(page).innerText()).toContain('2 of 6 done');
  });

  it('can be hidden for one shop, stays hidden, and can be shown again', async () => {
    await card(page).getByRole('button', { name: 'Hide' }).click();
    await page.reload();
    const back = page.getByRole('button', { name: 'Show remaining setup steps' });
    await back.waitFor();
    expect(await card(page).count()).toBe(0);
    await back.click();
    await card(page).waitFor();
    await page.reload();
    await card(page).waitFor();
  });

  it('disappears once a live payment was completed', async () => {
    await page.goto(shopPath);
    await page.getByRole('heading', { name: 'Latest payments' }).waitFor();
    await page.getByRole('link', { name: 'A real order' }).waitFor();
    expect([await card(page).count(), await page.getByText('Show remaining setup').count()]).toEqual([0, 0]);
  });
});
