import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiClient, type PaymentJson } from '../_helpers/api-client.ts';
import { freePort } from '../_helpers/nodes/proc.ts';
import { axeFindings, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { eventually } from '../_helpers/poll.ts';
import { ComposeProject } from './project.ts';

const UP_MS = 840_000;
const SETTLE_MS = 90_000;
const PASSWORD = 'a pass phrase of the test';
const OWNER = { email: 'shopkeeper@example.com', password: PASSWORD };
/** An address without a known key. */
const PAYER_ADDRESS = '0x00000000000000000000000000000000000A11cE';

const [port, shopPort] = [await freePort(), await freePort()];
const shopUrl = `http://localhost:${shopPort}`;
const env = {
  TILLD_PORT: String(port),
  SHOP_PORT: String(shopPort),
  SHOP_PASSWORD: PASSWORD,
  ETH_BLOCK_SECONDS: '1',
};
const project = new ComposeProject('tilld-shop-check', env, ['--profile', 'shop']);
const api = new ApiClient(`http://127.0.0.1:${port}`);
let browser: WebBrowser;
let shopper: Page;
let orderUrl: string;

beforeAll(async () => {
  await project.run(['up', '-d', '--build', '--wait', '--quiet-pull'], UP_MS);
  browser = await WebBrowser.start(shopUrl, [`http://localhost:${port}`]);
});

afterAll(async () => {
  if (process.env['TILLD_COMPOSE_LOGS'] !== undefined) process.stderr.write(await project.run(['logs']));
  await browser?.stop();
  await project.destroy();
});

test('docker compose --profile shop starts a shop that is connected to tilld', async () => {
  const page = await signedIn();
  await page.getByRole('link', { name: 'Connection with tilld' }).click();
  await page.getByRole('cell', { name: 'yes' }).nth(3).waitFor();
  expect(await page.getByRole('cell').allTextContents()).toEqual(['yes', 'yes', 'yes', 'yes']);
});

test('the compose shop lets a shopper order, pay on the checkout and see the order as paid', async () => {
  shopper = await browser.page({ viewport: PHONE });
  await shopper.goto('/');
  await shopper.getByLabel('Mug').fill('2');
  await shopper.screenshot({ path: `${SCREENS}/demo-shop-phone.png`, fullPage: true });
  expect(await axeFindings(shopper)).toEqual([]);
  await shopper.getByRole('button', { name: 'Pay with coins' }).click();
  await shopper.frameLocator('dialog iframe').getByRole('heading', { level: 1 }).waitFor();
  const payment = await newestPayment();
  // A coffee, two mugs, the parcel.
  expect([payment.amount, payment.currency, payment.sandbox]).toEqual(['42.00', 'USD', false]);
  const { address, amount } = payment.options.ETH;
  await project.exec('miner', 'pay', 'ETH', address, amount);
  orderUrl = `${shopUrl}/?order=${payment.orderId}`;
  // The shop's page continues automatically once the money is detected.
  await shopper.waitForURL(orderUrl, { timeout: SETTLE_MS });
  await shopper.getByText('Paid. Thank you!').waitFor({ timeout: SETTLE_MS });
});

test('the compose shop lets the shopkeeper read the order notes and refund by a link', async () => {
  const page = await signedIn();
  await page.getByText('is paid and final').waitFor();
  await page.getByRole('button', { name: 'Give the money back' }).click();
  const link = page.getByRole('link', { name: `http://localhost:${port}/r/` });
  await link.waitFor();
  await page.screenshot({ path: `${SCREENS}/demo-shop-keeper.png`, fullPage: true });
  expect(await axeFindings(page)).toEqual([]);
  const url = (await link.getAttribute('href')) ?? '';
  const form = new URLSearchParams({ step: 'claim', coin: 'ETH', destination: PAYER_ADDRESS });
  const claimed = await fetch(url.replace('localhost', '127.0.0.1'), {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  expect(claimed.status).toBe(303);
  expect(browser.takeComplaints()).toEqual([]);
});

test('the compose shop keeps shop and connection across a restart', async () => {
  await project.run(['restart', 'shop']);
  await project.run(['up', '-d', '--wait'], UP_MS);
  await shopper.goto(orderUrl);
  await shopper.getByText('Paid. Thank you!').waitFor();
});

async function signedIn(): Promise<Page> {
  const page = await browser.page();
  await page.goto('/shopkeeper');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Connection with tilld' }).waitFor();
  return page;
}

async function newestPayment(): Promise<PaymentJson & { amount: string; currency: string }> {
  const { token } = await api.must<{ token: string }>('POST', '/auth/login', { body: OWNER });
  const { merchants } = await api.must<{ merchants: { id: string }[] }>('GET', '/merchant/list', { token });
  const merchantId = merchants[0]?.id ?? '';
  return eventually(
    'the payment is listed',
    async () => {
      const path = `/payment/list?merchantId=${merchantId}`;
      const { payments } = await api.must<{
        payments: (PaymentJson & { amount: string; currency: string })[];
      }>('GET', path, { token });
      return payments[0] as PaymentJson & { amount: string; currency: string };
    },
    (payment) => payment !== undefined,
  );
}
