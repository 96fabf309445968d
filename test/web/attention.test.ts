/** A day of a shopkeeper: ten orders, each kind of trouble, and all of it settled from the page "Needs you" alone. */
import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { RateSource } from '../../src/rates/source.ts';
import { coinbase } from '../../src/rates/sources/coinbase.ts';
import { Shop } from '../_helpers/api-client.ts';
import { newPerson, type Person } from '../_helpers/people.ts';
import { eventually } from '../_helpers/poll.ts';
import { liveEnv, Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';
import { claimLink, type RefundLinkJson } from '../integration/refunds/refund-client.ts';

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let owner: Person;
let page: Page;
let reversedAgain: string;

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' });
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  owner = await newPerson(till.api, 'owner');
  shop = await Shop.open(till.api, { owner: owner.token, settings: { latePayments: 'review' } });
  page = await browser.page();
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function order(orderId: string, scenario: string, fields: object = {}, coin = 'BTC'): Promise<string> {
  const { id } = await shop.createPayment({ orderId, ...fields });
  const body = { paymentId: id, scenario, coin, ...(scenario === 'double-spend' ? {} : DEEP) };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  return id;
}
const DEEP = { confirmations: 6 };

const waiting = async (): Promise<string[]> => {
  const { items } = await till.api.must<{ items: { kind: string }[] }>(
    'GET',
    `/merchant/attention?merchantId=${shop.merchantId}&limit=50`,
    { token: owner.token },
  );
  return items.map(({ kind }) => kind).toSorted();
};

const complete = async (paymentId: string) =>
  eventually(
    'the payment to complete',
    () => shop.payment(paymentId),
    ({ status }) => status === 'completed',
  );

/** A claim of a whole payment that waits for the owner. */
async function claimToApprove(orderId: string): Promise<void> {
  const paymentId = await order(orderId, 'exact');
  await complete(paymentId);
  const { url } = await till.api.must<RefundLinkJson>('POST', '/payment/refund-link', {
    token: shop.secretKey,
    body: { paymentId, preset: 'all', approval: true, deductFee: true },
  });
  const { wallets } = await Shop.open(till.api);
  await claimLink(till.api, url, { coin: 'BTC', destination: wallets.BTC });
}

/** An order that was paid, refunded outside tilld, and paid again. */
async function paidAfterRefund(): Promise<void> {
  const paymentId = await order('again', 'exact');
  await complete(paymentId);
  const resolved = { token: shop.secretKey, body: { paymentId, action: 'refunded' } };
  await till.api.must('POST', '/payment/resolve', resolved);
  const again = { paymentId, scenario: 'overpay', coin: 'BTC', ...DEEP };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body: again });
}

/** Two Litecoin sends after the last Litecoin block: one is stuck, and its node refused the other one. */
async function sendInVain(): Promise<void> {
  for (const orderId of ['sent', 'sent-too']) await complete(await order(orderId, 'exact', {}, 'LTC'));
  const { wallets } = await Shop.open(till.api);
  const sends: string[] = [];
  for (const amount of ['0.1', '0.11']) {
    const sent = await shop.send({ coin: 'LTC', amount, destination: wallets.LTC });
    expect(sent.status).toBe(200);
    sends.push(sent.body.data.id);
  }
  const database = new Sqlite(join(till.dataDir, 'tilld.sqlite'));
  const change =
    "UPDATE sends SET status = 'failed', error = 'a node refused it', updated_at = ? WHERE id = ?";
  expect(database.prepare(change).run(till.clock.now(), sends[1]).changes).toBe(1);
  database.close();
}

const card = (name: string) => page.getByRole('listitem').filter({ hasText: name });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name });

const dismissCard = async (name: string): Promise<void> => {
  await card(name).getByRole('button', { name: 'Dismiss' }).click();
  await inDialog('Yes, dismiss it').click();
  await card(name).waitFor({ state: 'detached' });
};

it('the "Needs you" page lets a shopkeeper settle every trouble of a day', async () => {
  await sendInVain();
  await order('short', 'underpay', { lifetimeMinutes: 5 });
  till.clock.advance(7 * 3_600_000);
  // Only now, because a step-up lasts for five minutes.
  const user = { email: owner.email, password: 'correct horse battery', steppedUp: true };
  await signInBrowser(page.context(), till.api.baseUrl, user);
  await order('late', 'late');
  await order('over', 'overpay');
  await order('reversed', 'double-spend');
  await order('fine', 'exact');
  await paidAfterRefund();
  await claimToApprove('claimed');
  await claimToApprove('declined');
  const endpoint = { merchantId: shop.merchantId, url: 'http://127.0.0.1:9/nothing' };
  await till.api.must('POST', '/merchant/webhook/endpoint/create', { token: shop.secretKey, body: endpoint });
  await order('unheard', 'double-spend');
  const all = [
    'payment_after_refund',
    'payment_late',
    'payment_over',
    'payment_reversed',
    'payment_reversed',
    'payment_short',
    'refund_claim',
    'refund_claim',
    'send_failed',
    'send_stuck',
    'webhook_failing',
  ];
  await eventually('each trouble to wait', waiting, (now) => JSON.stringify(now) === JSON.stringify(all));
  await visit(page, `/dashboard/shop/${shop.merchantId}/attention`);
  await page.getByRole('heading', { name: 'Needs you (11)' }).waitFor();
  await expect.poll(() => page.title()).toContain('Needs you (11)');
  const menu = page.getByRole('navigation', { name: 'Main' });
  await expect.poll(() => menu.getByRole('link').nth(1).innerText()).toMatch(/^Needs you\s+11$/);
  expect(await page.getByRole('listitem').filter({ hasText: 'fine' }).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENS}/attention-desktop.png`, fullPage: true });

  for (const name of ['Order short', 'Order late']) {
    await card(name).getByRole('button', { name: 'Accept as paid' }).click();
    await inDialog('Accept as paid').click();
    await card(name).waitFor({ state: 'detached' });
  }
  await card('Order over').getByRole('button', { name: 'Refund the excess' }).click();
  await card('Order over').waitFor({ state: 'detached' });
  await page.getByText('Send this link to the payer.').waitFor();
  await card('Order again').getByRole('button', { name: 'Refund the payer' }).click();
  await card('Order again').waitFor({ state: 'detached' });
  await card('Order declined').getByRole('button', { name: 'Decline' }).click();
  await page.screenshot({ path: `${SCREENS}/attention-decline.png` });
  await inDialog('Yes, decline it').click();
  await card('Order declined').waitFor({ state: 'detached' });
  await card('Order claimed').getByRole('button', { name: 'Approve and send' }).click();
  await inDialog('Approve and send').click();
  await card('Order claimed').waitFor({ state: 'detached' });
  for (const name of ['Order reversed', 'Order unheard', 'A send failed', 'A send is not confirmed']) {
    await dismissCard(name);
  }
  await dismissCard('A webhook endpoint fails');
  await page.getByText('Nothing needs you').waitFor();
  expect(await waiting()).toEqual([]);
});

it('the "Needs you" page fits a phone', async () => {
  reversedAgain = await order('reversed-again', 'double-spend');
  await page.setViewportSize(PHONE);
  await page.reload();
  await card('Order reversed-again').waitFor();
  await page.getByRole('button', { name: 'Menu Needs you 1' }).waitFor();
  const hidden = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
  expect(hidden).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENS}/attention-phone.png`, fullPage: true });
});

it('the overview names reversed payments, and one that ended leads to the form of a new payment of its price', async () => {
  await page.setViewportSize(DESKTOP);
  await visit(page, `/dashboard/shop/${shop.merchantId}`);
  const alert = page.getByRole('list', { name: 'Reversed payments' });
  await alert.getByText('The network took a payment back').waitFor();
  await alert.getByRole('link', { name: 'Order reversed-again' }).waitFor();
  await page.getByRole('link', { name: 'Decide what to do' }).click();
  await card('Order reversed-again').getByRole('button', { name: 'Copy payment link' }).waitFor();
  const body = { paymentId: reversedAgain };
  await till.api.must('POST', '/payment/cancel', { token: shop.secretKey, body });
  await page.reload();
  await card('Order reversed-again').getByText('can no longer be paid').waitFor();
  await card('Order reversed-again').getByRole('link', { name: 'Request a new payment' }).click();
  const form = page.getByRole('dialog', { name: 'New payment' });
  expect(await form.getByLabel('Amount').inputValue()).toBe('100');
  expect(await form.getByLabel('Currency').inputValue()).toBe('USD');
  await form.getByRole('button', { name: 'Create payment' }).click();
  await page.waitForURL('**/payments/pay_**');
});

it('the "Needs you" page links a send above a limit to its dialog on the wallet page, and drops it once it is rejected', async () => {
  const guarded = await Shop.open(till.api, { owner: owner.token });
  const { id } = await guarded.createPayment();
  const paid = { paymentId: id, scenario: 'exact', coin: 'BTC', ...DEEP };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: guarded.secretKey, body: paid });
  await eventually(
    'the money to be there',
    () => guarded.balance('BTC'),
    (balance) => Number(balance) > 0.0001,
  );
  const limits = { merchantId: guarded.merchantId, perSend: '1' };
  await till.api.must('PATCH', '/merchant/wallet/limits', { token: owner.token, body: limits });
  const order = { coin: 'BTC', amount: '0.0001', destination: (await Shop.open(till.api)).wallets.BTC };
  expect((await guarded.send(order)).status).toBe(202);
  const user = { email: owner.email, password: 'correct horse battery', steppedUp: true };
  await signInBrowser(page.context(), till.api.baseUrl, user);
  await visit(page, `/dashboard/shop/${guarded.merchantId}/attention`);
  // The page has read the list of shops before this one.
  await page.reload();
  const item = card('A send waits for approval');
  await item.getByText('Ordered by Secret key').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await item.getByRole('link', { name: 'Decide' }).click();
  await page.getByRole('dialog').getByText('It is above the limit per send.').waitFor();
  await inDialog('Reject').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await visit(page, `/dashboard/shop/${guarded.merchantId}/attention`);
  await page.getByText('Nothing needs you').waitFor();
});

const hasBackup = (files: readonly string[]) => files.some((file) => !file.endsWith('.tmp'));

/** A price source that knows one rate of BTC, until it is closed. */
async function servePrices(): Promise<Server> {
  const body = JSON.stringify({ data: { currency: 'BTC', rates: { USD: '100000', EUR: '90000' } } });
  const server = createServer((_request, response) => response.end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** The stored rates that two sources agreed on. */
async function agreedRates({ dataDir }: Till): Promise<string> {
  const database = new Sqlite(join(dataDir, 'tilld.sqlite'), { readonly: true });
  try {
    const row = database.prepare("SELECT value FROM meta WHERE key = 'agreed_rates'").pluck().get();
    return (row as string | undefined) ?? '';
  } finally {
    database.close();
  }
}

it('the "Needs you" page shows the owner of a live shop a node that is behind, an old backup and rates of one source, until they are dismissed', async () => {
  const [lasting, closed] = [await servePrices(), await servePrices()];
  const [first, second] = [lasting, closed].map((prices) =>
    coinbase(`http://127.0.0.1:${(prices.address() as AddressInfo).port}`),
  ) as [RateSource, RateSource];
  const server = await Till.start(
    {
      ...liveEnv({ LTC: 'http://user:pass@127.0.0.1:9' }),
      TILLD_BACKUP_SCHEDULE: '0 0 1 1 *',
      TILLD_RATES: 'live',
      TILLD_RATE_REFRESH: '5s',
    },
    { rateSources: [first, { ...second, name: 'second' }] },
  );
  const own = await WebBrowser.start(server.api.baseUrl);
  try {
    // In the folder of the data directory: /readyz says no more while the node is away.
    const backups = async () => readdirSync(join(server.dataDir, 'backups'));
    await eventually('the first backup', async () => backups().catch(() => []), hasBackup, 60_000);
    const boss = await newPerson(server.api, 'boss');
    const live = await Shop.open(server.api, { owner: boss.token });
    await eventually(
      'a rate of two sources',
      async () => agreedRates(server),
      (rates) => rates.includes('BTC'),
      60_000,
    );
    await close(closed);
    server.clock.advance(72 * 3_600_000);
    const view = await own.page();
    await signInBrowser(view.context(), server.api.baseUrl, {
      email: boss.email,
      password: 'correct horse battery',
    });
    await visit(view, `/dashboard/shop/${live.merchantId}/attention`);
    for (const [name, advice] of [
      ['A node is behind or unreachable', 'Payments of this coin are not seen until its node is back.'],
      ['The newest backup is too old', 'Check the schedule of backups and the disk.'],
      ['Exchange rates rest on one source', 'One wrong source could price new payments wrongly.'],
    ] as const) {
      const fault = view.getByRole('listitem').filter({ hasText: name });
      await fault.getByText(advice).waitFor();
      await fault.getByRole('button', { name: 'Dismiss' }).click();
      await view.getByRole('dialog').getByRole('button', { name: 'Yes, dismiss it' }).click();
      await fault.waitFor({ state: 'detached' });
    }
    await view.getByText('Nothing needs you').waitFor();
    expect(await axeFindings(view)).toEqual([]);
    expect(own.takeComplaints()).toEqual([]);
  } finally {
    await own.stop();
    await server.end();
    await close(lasting);
  }
});
