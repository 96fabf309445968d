/** A payer who paid too much requests the excess on the checkout, and the owner approves it in "Needs you". */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/i18n/languages.ts';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { CheckoutWorld } from '../_helpers/web/checkout-world.ts';
import { confirmIt, signInBrowser, visit } from '../_helpers/web/dashboard.ts';

const PAYER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';

let world: CheckoutWorld;
let browser: WebBrowser;
let email = '';

beforeAll(async () => {
  await ensureWebBuilt();
  world = await CheckoutWorld.start();
  browser = await WebBrowser.start(world.till.api.baseUrl);
  const { token } = world.shop;
  const { user } = await world.till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token });
  email = user.email;
});
afterAll(async () => {
  await browser?.stop();
  await world?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function overpaid(): Promise<string> {
  const { id } = await world.pay();
  await world.simulate(id, 'overpay', { coin: 'LTC', confirmations: 6 });
  return id;
}

async function look(page: Page, name: string): Promise<void> {
  expect([name, await axeFindings(page)]).toEqual([name, []]);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect(overflow).toBeLessThanOrEqual(0);
  await page.screenshot({ path: `${SCREENS}/excess-${name}.png`, fullPage: true });
}

const button = (page: Page, name: string) => page.getByRole('button', { name });

async function request(page: Page, id: string, see: (name: string) => Promise<void>): Promise<void> {
  await page.goto(`/checkout/${id}?lang=en`);
  await page.getByText('too much.').waitFor();
  await see('offer');
  await page.getByRole('link', { name: 'Get it back' }).click();
  await page.getByText('You paid too much for this order.').waitFor();
  await see('form');
  await page.getByLabel('Your address').fill('tltc1qnonsense');
  await button(page, 'Continue').click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Your address').fill(PAYER);
  await button(page, 'Continue').click();
  await page.getByRole('heading', { name: 'Is this right?' }).waitFor();
  await see('check');
  await button(page, 'Yes, ask the shop').click();
  await page.getByRole('heading', { name: 'Claimed: the shop is checking it' }).waitFor();
  await see('claimed');
  await page.getByRole('link', { name: 'Back to the payment' }).click();
  await page.getByText('You asked for').waitFor();
  await see('requested');
}

it.each([
  ['phone', PHONE, true],
  ['phone without script', PHONE, false],
] as const)(
  'a payer requests the refund of an overpayment on a %s',
  async (device, viewport, javaScriptEnabled) => {
    const page = await browser.page({ viewport, javaScriptEnabled });
    const id = await overpaid();
    const suffix = device.replaceAll(' ', '-');
    await request(page, id, async (name) =>
      javaScriptEnabled ? look(page, `${name}-${suffix}`) : Promise.resolve(),
    );
    await page.context().close();
  },
);

it('the owner sees the destination on the "Needs you" page and approves, and the page of the payer shows the refund', async () => {
  const id = await overpaid();
  const payer = await browser.page({ viewport: PHONE });
  await request(payer, id, async () => {});
  const owner = await browser.page({ viewport: DESKTOP });
  await signInBrowser(owner.context(), world.till.api.baseUrl, { email, password: 'correct horse battery' });
  await visit(owner, `/dashboard/shop/${world.shop.merchantId}/attention`);
  const card = owner.getByRole('listitem').filter({ hasText: 'A payer asks for a refund' }).first();
  await card.getByRole('button', { name: 'Approve and send' }).click();
  await owner.getByRole('dialog').getByText(PAYER).waitFor();
  await owner.screenshot({ path: `${SCREENS}/excess-approve.png` });
  await owner.getByRole('dialog').getByRole('button', { name: 'Approve and send' }).click();
  await confirmIt(owner, { password: 'correct horse battery' });
  await payer.goto(`/checkout/${id}/excess?lang=en`);
  await expect
    .poll(async () => {
      await payer.reload();
      return payer.getByRole('heading', { name: 'The refund was sent' }).count();
    })
    .toBe(1);
  await look(payer, 'paid-phone');
  await payer.getByRole('link', { name: 'Back to the payment' }).click();
  await payer.getByText('sent').first().waitFor();
  await look(payer, 'checkout-paid-phone');
  await payer.context().close();
  await owner.context().close();
});

it.each(LANGUAGES.filter((language) => language !== 'en'))(
  'the page to request an overpayment is translated into %s',
  async (lang) => {
    const page = await browser.page({ viewport: PHONE });
    await page.goto(`/checkout/${await overpaid()}/excess?lang=${lang}`);
    await look(page, `form-${lang}`);
    await page.context().close();
  },
);
