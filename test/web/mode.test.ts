/** Live and sandbox in the dashboard: going live beside nodes in every state. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser } from '../_helpers/web/dashboard.ts';
import { TillBesideNodes } from '../_helpers/till-beside-nodes.ts';

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

describe('the dialog before going live', () => {
  it('tells of each coin whether it is ready, and if not, why', async () => {
    await world.switchTo('sandbox');
    for (const [on, name] of [
      [page, 'go-live'],
      [phone, 'go-live-phone'],
    ] as const) {
      const dialog = await openGoLive(on);
      expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
        expect.stringMatching(/BTC\s+Ready\s+The node is in step/),
        expect.stringMatching(/ETH\s+Not reachable\s+The node does not answer/),
        expect.stringMatching(/LTC\s+Wrong network\s+The node serves another network/),
        expect.stringMatching(/SOL\s+No node\s+This server has no node for it/),
      ]);
      expect(await axeFindings(on)).toEqual([]);
      await on.screenshot({ path: `${SCREENS}/${name}.png` });
      await on.keyboard.press('Escape');
    }
  });

  it('holds the button back while no coin is ready, and frees it once one is', async () => {
    await world.setHeadersAhead(5);
    const dialog = await openGoLive(page);
    const button = dialog.getByRole('button', { name: 'Take real coins' });
    await dialog.getByText('No coin is ready to take real money yet').waitFor();
    expect(await button.isDisabled()).toBe(true);
    expect(await dialog.innerText()).toMatch(/still syncing, at block \d+ with 5 to go/);
    expect(await axeFindings(page)).toEqual([]);
    await page.screenshot({ path: `${SCREENS}/go-live-refused.png` });
    await world.setHeadersAhead(0);
    await expect.poll(() => button.isEnabled(), { timeout: 20_000 }).toBe(true);
    await button.click();
    await page.getByText('Ready: BTC. Not ready: ETH').waitFor();
    expect(await page.getByRole('button', { name: 'Go to the sandbox' }).isVisible()).toBe(true);
  });

  it('shows what the server says when it refuses all the same', async () => {
    await world.switchTo('sandbox');
    const dialog = await openGoLive(page);
    const message = 'No coin is ready to take real money yet. BTC: its node cannot be reached';
    const error = { status: 409, code: 'INVALID_STATE', message, details: [] };
    await page.route('**/merchant/sandbox?*', async (route) =>
      route.fulfill({ status: 409, json: { success: false, error, data: null } }),
    );
    await dialog.getByRole('button', { name: 'Take real coins' }).click();
    await dialog.getByRole('alert').getByText(message).waitFor();
    await page.unroute('**/merchant/sandbox?*');
  });
});
