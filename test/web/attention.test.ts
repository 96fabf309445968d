/** A day of a shopkeeper: one order with each trouble, and all of them settled from the page "Needs you" alone. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { newPerson, type Person } from '../_helpers/people.ts';
import { eventually } from '../_helpers/poll.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';
import { claimLink, type RefundLinkJson } from '../integration/refunds/refund-client.ts';

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let owner: Person;
let page: Page;

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

async function order(orderId: string, scenario: string, fields: object = {}): Promise<string> {
  const { id } = await shop.createPayment({ orderId, ...fields });
  const body = { paymentId: id, scenario, coin: 'BTC', ...(scenario === 'double-spend' ? {} : DEEP) };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  return id;
}
const DEEP = { confirmations: 6 };

const waiting = async (): Promise<string[]> => {
  const { items } = await till.api.must<{ items: { kind: string }[] }>(
    'GET',
    '/merchant/attention?limit=50',
    {
      token: shop.secretKey,
    },
  );
  return items.map(({ kind }) => kind).toSorted();
};

/** A claim of a whole payment that waits for the owner. */
async function claimToApprove(): Promise<void> {
  const paymentId = await order('claimed', 'exact');
  const { url } = await eventually(
    'the payment to be refundable',
    () =>
      till.api.call<RefundLinkJson>('POST', '/payment/refund-link', {
        token: shop.secretKey,
        body: { paymentId, preset: 'all', approval: true, deductFee: true },
      }),
    ({ status }) => status === 201,
  ).then(({ body }) => body.data);
  const { wallets } = await Shop.open(till.api);
  await claimLink(till.api, url, { coin: 'BTC', destination: wallets.BTC });
}

const card = (name: string) => page.getByRole('listitem').filter({ hasText: name });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name });

it('the "Needs you" page lets a shopkeeper settle every kind of open decision', async () => {
  await order('short', 'underpay', { lifetimeMinutes: 5 });
  till.clock.advance(6 * 60_000);
  // Only now, because a step-up lasts for five minutes.
  const user = { email: owner.email, password: 'correct horse battery', steppedUp: true };
  await signInBrowser(page.context(), till.api.baseUrl, user);
  await order('late', 'late');
  await order('over', 'overpay');
  await order('reversed', 'double-spend');
  await order('fine', 'exact');
  await claimToApprove();
  const all = ['payment_late', 'payment_over', 'payment_reversed', 'payment_short', 'refund_claim'];
  await eventually('each trouble to wait', waiting, (now) => JSON.stringify(now) === JSON.stringify(all));
  await visit(page, `/dashboard/shop/${shop.merchantId}/attention`);
  await page.getByRole('heading', { name: 'Needs you (5)' }).waitFor();
  await expect.poll(() => page.title()).toContain('Needs you (5)');
  const menu = page.getByRole('navigation', { name: 'Main' });
  await expect.poll(() => menu.getByRole('link').nth(1).innerText()).toMatch(/^Needs you\s+5$/);
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
  await card('Order claimed').getByRole('button', { name: 'Approve and send' }).click();
  await inDialog('Approve and send').click();
  await card('Order claimed').waitFor({ state: 'detached' });
  await card('Order reversed').getByRole('button', { name: 'Dismiss' }).click();
  await inDialog('Yes, dismiss it').click();
  await page.getByText('Nothing needs you').waitFor();
  expect(await waiting()).toEqual([]);
});

it('the "Needs you" page fits a phone', async () => {
  await order('reversed-again', 'double-spend');
  await page.setViewportSize(PHONE);
  await page.reload();
  await card('Order reversed-again').waitFor();
  await page.getByRole('button', { name: 'Menu Needs you 1' }).waitFor();
  const hidden = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
  expect(hidden).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENS}/attention-phone.png`, fullPage: true });
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
