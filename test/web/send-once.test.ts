/** What moves money from the dashboard is done once, whatever came between asking for it and the answer. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESKTOP, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { CheckoutWorld } from '../_helpers/web/checkout-world.ts';
import { confirmIt, signInBrowser } from '../_helpers/web/dashboard.ts';

const PAYER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';
const PASSWORD = 'correct horse battery';

let world: CheckoutWorld;
let browser: WebBrowser;
let page: Page;

beforeAll(async () => {
  await ensureWebBuilt();
  world = await CheckoutWorld.start();
  browser = await WebBrowser.start(world.till.api.baseUrl);
  const context = await browser.context({ viewport: DESKTOP });
  const { token } = world.shop;
  const { user } = await world.till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token });
  await signInBrowser(context, world.till.api.baseUrl, { email: user.email, password: PASSWORD });
  page = await context.newPage();
  // Pays the fees.
  await paid();
  // The proof that is asked for holds for a while.
  await aboutToRefund(await paid());
  await button('Send the refund').click();
  await confirmIt(page, { password: PASSWORD });
  await page.getByText('The refund is on its way').waitFor();
});
afterAll(async () => {
  await browser?.stop();
  await world?.end();
});

const button = (name: string | RegExp) => page.getByRole('button', { name });

async function paid(): Promise<string> {
  const { id } = await world.pay();
  await world.simulate(id, 'exact', { coin: 'LTC', confirmations: 6 });
  return id;
}

/** Opens a payment and goes as far as the last look at a refund of a part of it. */
async function aboutToRefund(paymentId: string): Promise<void> {
  await page.goto(`/dashboard/shop/${world.shop.merchantId}/payments/${paymentId}`);
  await button(/^Refund$/).click();
  await page.getByLabel('Payer’s address').fill(PAYER);
  await page.getByLabel('Amount in LTC').fill('0.1');
  await button('Continue').click();
  await button('Send the refund').waitFor();
}

/** The refund is made, but the page does not hear of it, however often its client asks. */
async function loseAnswers(): Promise<void> {
  await page.route(
    '**/payment/refund?*',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 3 },
  );
}

const refundsOf = async (paymentId: string): Promise<number> => {
  const payment = await world.shop.payment(paymentId);
  return (payment as unknown as { refunds: unknown[] }).refunds.length;
};

async function sentWithoutAnswer(paymentId: string): Promise<void> {
  await aboutToRefund(paymentId);
  await loseAnswers();
  await button('Send the refund').click();
  await page.getByRole('alert').waitFor();
  expect(await refundsOf(paymentId)).toBe(1);
}

it('a refund is sent once when its response was lost and the user cancelled the step-up of the retry', async () => {
  const paymentId = await paid();
  await sentWithoutAnswer(paymentId);
  world.till.clock.advance(6 * 60_000);
  await button('Send the refund').click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('You did not confirm it').waitFor();
  await button('Send the refund').click();
  await confirmIt(page, { password: PASSWORD });
  await page.getByText('The refund is on its way').waitFor();
  expect(await refundsOf(paymentId)).toBe(1);
});

it.each([
  ['by the rate limit of the server', 429, 'RATE_LIMITED'],
  ['by a proxy in front of the server', 404, null],
])(
  'a refund is sent once when its response was lost, and the retry is first refused %s',
  async (_whose, status, code) => {
    const paymentId = await paid();
    await sentWithoutAnswer(paymentId);
    const error = { status, code, message: 'Not now' };
    const answer =
      code === null
        ? { status, body: '<h1>Not Found</h1>', contentType: 'text/html' }
        : { status, json: { success: false, error, data: null } };
    await page.route('**/payment/refund?*', async (route) => route.fulfill(answer), { times: 3 });
    // Not the button: for a moment after the click it is as it was before.
    const before = await page.getByRole('alert').innerText();
    await button('Send the refund').click();
    await page.getByRole('alert').filter({ hasNotText: before }).waitFor();
    await page.unroute('**/payment/refund?*');
    await button('Send the refund').click();
    await page.getByText('The refund is on its way').waitFor();
    expect(await refundsOf(paymentId)).toBe(1);
  },
);

it('a refund is sent once when its response was lost, and the user reloaded the page before the retry', async () => {
  const paymentId = await paid();
  await sentWithoutAnswer(paymentId);
  await page.unroute('**/payment/refund?*');
  await page.reload();
  await aboutToRefund(paymentId);
  await button('Send the refund').click();
  await page.getByText('The refund is on its way').waitFor();
  expect(await refundsOf(paymentId)).toBe(1);
  // Answered now: the same again is another refund.
  await aboutToRefund(paymentId);
  await button('Send the refund').click();
  await page.getByText('The refund is on its way').waitFor();
  expect(await refundsOf(paymentId)).toBe(2);
});
