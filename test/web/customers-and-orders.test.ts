/** What the dashboard offers for personal data, order labels, and a refund of a wallet's only payment. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { eventually } from '../_helpers/poll.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';

let till: Till;
let browser: WebBrowser;
let email = '';
let shop: Shop;
let path = '';

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '200ms' });
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  shop = await Shop.open(till.api);
  path = `${till.api.baseUrl}/dashboard/shop/${shop.merchantId}`;
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  ({ email } = user);
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function signedIn(viewport: typeof PHONE): Promise<Page> {
  const page = await browser.page({ viewport });
  await signInBrowser(page.context(), till.api.baseUrl, { email, password: 'correct horse battery' });
  return page;
}

const made = async (address: string, name: string) =>
  till.api.must<{ id: string }>('POST', '/merchant/customer/create', {
    token: shop.secretKey,
    body: { email: address, metadata: { name } },
  });

it.each([
  ['phone', PHONE],
  ['desktop', DESKTOP],
])('the customer page erases a customer after a confirmation, on a %s', async (kind, viewport) => {
  const address = `ada-${kind}@example.com`;
  const { id } = await made(address, 'Ada Lovelace');
  const { id: paymentId } = await shop.createPayment({ customerId: id, orderLabel: `Label ${kind}` });
  const page = await signedIn(viewport);
  await visit(page, `${path}/customers`);
  await page.getByRole('button', { name: `Edit ${address}` }).click();
  await page.getByRole('button', { name: 'Erase personal data' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase personal data' });
  await dialog.getByText('Ada Lovelace').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Back' }).click();
  await page.getByText(address).waitFor();
  await page.getByRole('button', { name: `Edit ${address}` }).click();
  await page.getByRole('button', { name: 'Erase personal data' }).click();
  await dialog.getByRole('button', { name: 'Erase for good' }).click();
  await page.getByRole('cell', { name: 'Erased customer' }).first().waitFor();
  // The other customer that the page lists may have been erased before.
  await expect.poll(async () => page.getByText(address).count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Edit cus_/ }).count()).toBe(0);
  await visit(page, `${path}/payments/${paymentId}`);
  await page.getByRole('heading', { name: `Order Label ${kind}` }).waitFor();
  await page.getByRole('complementary', { name: 'Facts' }).getByText('Erased customer').waitFor();
  await page.context().close();
});

it('the payment search finds a payment by its order label, and shows the label', async () => {
  const { id, orderId } = await shop.createPayment({ orderLabel: 'Blue 4711' });
  const page = await signedIn(DESKTOP);
  await visit(page, `${path}/payments?search=blue%204711`);
  const link = page.getByRole('region', { name: 'Payments' }).locator('tbody tr a');
  await link.first().waitFor();
  expect(await link.allInnerTexts()).toEqual(['Blue 4711']);
  await link.click();
  await page.waitForURL(`**/payments/${id}**`);
  await page.getByRole('complementary', { name: 'Facts' }).getByText(orderId).waitFor();
  await page.context().close();
});

it('the refund dialog proposes a refund link that deducts the fee when the wallet has only this payment', async () => {
  const { id } = await shop.createPayment({ allowedCryptos: ['BTC'] });
  const body = { paymentId: id, scenario: 'exact', coin: 'BTC' };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  await eventually(
    'the money is there',
    () => shop.balance('BTC'),
    (balance) => balance !== '0',
  );
  const page = await signedIn(PHONE);
  await visit(page, `${path}/payments/${id}`);
  await page.getByRole('button', { name: 'Refund by link' }).click();
  await page.getByText('Your wallet holds no more than this payment').waitFor();
  const deduct = page.getByRole('checkbox', { name: 'Take the network fee out of the refund' });
  expect(await deduct.isChecked()).toBe(true);
  await page.context().close();
});

it('both refund dialogs of an overpaid payment propose the excess, and offer a full refund', async () => {
  const { id, options } = await shop.createPayment({ allowedCryptos: ['LTC'] });
  const body = { paymentId: id, scenario: 'overpay', coin: 'LTC' };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  await till.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { ...body, scenario: 'confirm' },
  });
  const { options: paid } = await eventually(
    'the payment is overpaid',
    () => shop.payment(id),
    ({ exception }) => exception === 'overpaid',
  );
  const received = paid['LTC'].received;
  const page = await signedIn(PHONE);
  await page.goto(`${path}/payments/${id}`);
  await page.getByRole('button', { name: 'Refund by link' }).click();
  expect(await page.getByLabel('Give back').inputValue()).toBe('excess');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  const amount = page.getByLabel('Amount in LTC');
  expect(Number(await amount.inputValue())).toBeCloseTo(Number(received) - Number(options['LTC'].amount), 8);
  await page.getByRole('button', { name: 'Full remaining amount' }).click();
  expect(await amount.inputValue()).toBe(received);
  await page.getByRole('button', { name: 'Only the overpaid part' }).click();
  expect(Number(await amount.inputValue())).toBeLessThan(Number(received));
  const dialog = page.getByRole('dialog', { name: 'Refund' });
  await dialog.getByText(/Received and not refunded: .+ LTC · \$150\.00/).waitFor();
  await dialog.getByRole('button', { name: 'Refund by link' }).click();
  expect(await dialog.getByLabel('Give back').inputValue()).toBe('excess');
  await page.keyboard.press('Escape');
  const link = { paymentId: id, preset: 'excess' };
  await till.api.must('POST', '/payment/refund-link', { token: shop.secretKey, body: link });
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  await dialog.getByRole('list', { name: 'Refund links' }).getByText('$50.00').waitFor();
  await page.context().close();
});

it('the payments page shows a payment whose money was dropped as reversed, finds it by its exception, and explains that the money may still arrive', async () => {
  const { id, orderId } = await shop.createPayment({ allowedCryptos: ['BTC'] });
  const body = { paymentId: id, scenario: 'double-spend', coin: 'BTC' };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  const page = await signedIn(DESKTOP);
  await page.goto(`${path}/payments`);
  await page.getByLabel('Exception').selectOption('Reversed');
  const rows = page.getByRole('region', { name: 'Payments' }).locator('tbody tr');
  await page.waitForURL('**exception=reversed**');
  await page.getByText('One payment matches').waitFor();
  expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('Reversed')]);
  await rows.locator('a').first().click();
  await page.waitForURL(`**/payments/${id}**`);
  await page.getByText('The network dropped the payment of').waitFor();
  expect(await page.getByRole('heading', { name: orderId }).count()).toBe(1);
  expect(await axeFindings(page)).toEqual([]);
  await page.context().close();
});
