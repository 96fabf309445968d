/** Links to block explorers: of live money only, and for payers only where the operator wants them. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { addressScript } from '../../src/chains/utxo/address.ts';
import { UTXO_COINS } from '../../src/domain/coins.ts';
import { toAtoms } from '../_helpers/nodes/index.ts';
import { eventually } from '../_helpers/poll.ts';
import { TillBesideNodes } from '../_helpers/daemon-with-nodes.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { claimLink, type RefundLinkJson } from '../integration/refunds/refund-client.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';

const PASSWORD = 'correct horse battery';
const EXPLORER = 'https://explorer.example';
const PAYER = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const CLAIMANT = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry';

let world: TillBesideNodes;
let browser: WebBrowser;
let email: string;
let shopPath: string;
let live: { id: string; address: string; txid: string };
let sandbox: { id: string; address: string; txid: string };

beforeAll(async () => {
  await ensureWebBuilt();
  world = await TillBesideNodes.start({
    TILLD_BTC_EXPLORER_TX_URL: `${EXPLORER}/tx/{tx}?from=till`,
    TILLD_BTC_EXPLORER_ADDRESS_URL: `${EXPLORER}/#/address/{address}`,
    TILLD_EXPLORERS_FOR_PAYERS: 'on',
  });
  const { till, shop } = world;
  browser = await WebBrowser.start(till.api.baseUrl);
  shopPath = `/dashboard/shop/${shop.merchantId}`;
  ({ email } = (
    await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token })
  ).user);
  sandbox = await paid('sandbox');
  live = await paid('live');
});
afterAll(async () => {
  await browser?.stop();
  await world?.[Symbol.asyncDispose]();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

/** A payment of a mode that Bitcoin completed. */
async function paid(mode: 'live' | 'sandbox', at = world) {
  const { till, shop, node } = at;
  await at.switchTo(mode);
  const { id, options } = await shop.createPayment({ allowedCryptos: ['BTC'] });
  const { address, amount } = options.BTC;
  if (mode === 'live') {
    node.pay(addressScript(UTXO_COINS.BTC, 'regtest', address), toAtoms(amount));
    node.mine(2);
  } else {
    const body = { paymentId: id, scenario: 'exact', confirmations: 9 };
    await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  }
  const { transactions } = await eventually(
    'paid',
    async () => shop.payment(id),
    ({ status }) => status === 'completed',
  );
  return { id, address, txid: transactions[0]?.txid ?? '' };
}

async function signedIn(options: Parameters<WebBrowser['page']>[0]): Promise<Page> {
  const page = await browser.page(options);
  await signInBrowser(page.context(), world.till.api.baseUrl, { email, password: PASSWORD });
  return page;
}

/** The settings that the pages get at their start. */
async function sessionOf(page: Page): Promise<{ explorers: object }> {
  await visit(page, '/dashboard');
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/auth/session')),
    page.reload(),
  ]);
  return ((await answer.json()) as { data: { explorers: object } }).data;
}

/** Links out of here that can be seen; narrow screens have theirs in another column. */
const outward = (page: Page) => page.locator(`a[href^="${EXPLORER}"]`).filter({ visible: true });

it('transactions and addresses of live money link to the block explorer, in a tab without a referrer', async () => {
  const page = await signedIn({ viewport: DESKTOP });
  await visit(page, `${shopPath}/wallet`);
  const name = /…\w{6}\s?, in the block explorer, in a new tab$/;
  const link = page.getByRole('region', { name: 'History' }).getByRole('link', { name }).first();
  await link.waitFor();
  expect(await link.getAttribute('href')).toBe(`${EXPLORER}/tx/${live.txid}?from=till`);
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
  expect(await link.getAttribute('referrerpolicy')).toBe('no-referrer');
  await page.context().route(`${EXPLORER}/**`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<p>${route.request().headers()['referer'] ?? 'no referrer'}`,
    }),
  );
  const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  await opened.getByText('no referrer').waitFor();
  expect(await opened.evaluate('window.opener === null')).toBe(true);
  expect(opened.url()).toBe(`${EXPLORER}/tx/${live.txid}?from=till`);
  await opened.close();
  await visit(page, `${shopPath}/payments/${live.id}`);
  await outward(page).first().waitFor();
  await page.getByText('Payment options').click();
  const found = await outward(page).evaluateAll((links: { href: string }[]) => links.map(({ href }) => href));
  expect(new Set(found)).toEqual(
    new Set([`${EXPLORER}/tx/${live.txid}?from=till`, `${EXPLORER}/#/address/${live.address}`]),
  );
  await page.close();
});

it('destination addresses of refunds link to the block explorer', async () => {
  const { till, shop } = world;
  await world.switchTo('live');
  const { id } = await paid('live');
  const token = shop.secretKey;
  await till.api.must('POST', '/payment/refund', {
    token,
    body: { paymentId: id, destination: PAYER, amount: '0.0001', maxFee: '0.001' },
  });
  const { url } = await till.api.must<RefundLinkJson>('POST', '/payment/refund-link', {
    token,
    body: { paymentId: id, amount: '1', currency: 'USD', approval: true },
  });
  await claimLink(till.api, url, { coin: 'BTC', destination: CLAIMANT });
  const page = await signedIn({ viewport: DESKTOP });
  await visit(page, `${shopPath}/payments/${id}`);
  for (const [card, address] of [
    ['Refunds', PAYER],
    ['Refund links', CLAIMANT],
  ] as const) {
    const link = page.locator(`a[href="${EXPLORER}/#/address/${address}"]`).filter({ visible: true });
    await link.first().waitFor();
    expect(await link.first().getAttribute('rel'), card).toBe('noopener noreferrer');
  }
  await page.close();
});

it('sandbox transactions have no link to a block explorer', async () => {
  const page = await signedIn({ viewport: DESKTOP });
  for (const at of [`${shopPath}/wallet?mode=sandbox`, `${shopPath}/payments/${sandbox.id}?mode=sandbox`]) {
    await visit(page, at);
    await page.getByTitle(sandbox.txid, { exact: true }).filter({ visible: true }).first().waitFor();
    expect(await outward(page).count()).toBe(0);
  }
  await page.goto(`/checkout/${sandbox.id}/receipt`);
  await page.getByText(sandbox.txid).waitFor();
  expect(await outward(page).count()).toBe(0);
  await page.close();
});

it('checkout and receipt link to the block explorer that is configured for payers', async () => {
  const page = await browser.page({ viewport: PHONE });
  for (const at of [`/checkout/${live.id}`, `/checkout/${live.id}/receipt`]) {
    await visit(page, at);
    const link = outward(page).first();
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe(`${EXPLORER}/tx/${live.txid}?from=till`);
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await link.getAttribute('referrerpolicy')).toBe('no-referrer');
  }
  await page.close();
});

it('links to the block explorer are visible and readable on every screen size', async () => {
  const page = await signedIn({ viewport: DESKTOP });
  for (const at of [`${shopPath}/wallet`, `${shopPath}/payments/${live.id}`]) {
    await visit(page, at);
    for (const [viewport, colorScheme] of [
      [DESKTOP, 'light'],
      [PHONE, 'dark'],
    ] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await outward(page).first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
    }
  }
  await page.close();
});

it.each([
  ['are absent without a setting', {}, 0],
  ['are absent for payers by default', { TILLD_BTC_EXPLORER_TX_URL: `${EXPLORER}/tx/{tx}` }, 1],
])('links to the block explorer %s', async (_what, env, inDashboard) => {
  await using other = await TillBesideNodes.start(env);
  const payment = await paid('live', other);
  const { till, shop } = other;
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  const elsewhere = await WebBrowser.start(till.api.baseUrl);
  try {
    const page = await elsewhere.page({ viewport: DESKTOP });
    for (const at of ['', '/receipt']) {
      await page.goto(`/checkout/${payment.id}${at}`);
      await page.getByText(payment.txid.slice(-6)).first().waitFor();
      expect(await outward(page).count()).toBe(0);
    }
    await signInBrowser(page.context(), till.api.baseUrl, { email: user.email, password: PASSWORD });
    const { explorers } = await sessionOf(page);
    expect(Object.keys(explorers)).toHaveLength(inDashboard);
    await visit(page, `/dashboard/shop/${shop.merchantId}/payments/${payment.id}`);
    await page.getByTitle(payment.txid, { exact: true }).filter({ visible: true }).first().waitFor();
    // One transaction; the setting names no address.
    if (inDashboard > 0) await outward(page).first().waitFor();
    else await page.waitForLoadState('networkidle');
    expect(await outward(page).count()).toBe(inDashboard);
    expect(elsewhere.takeComplaints()).toEqual([]);
  } finally {
    await elsewhere.stop();
  }
});
