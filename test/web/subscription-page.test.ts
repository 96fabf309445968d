/** A payer sees, pays and cancels a subscription on a phone and a desktop, without script. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { SubscriptionShop, type SubscriptionJson } from '../_helpers/subscription-shop.ts';
import { Till } from '../_helpers/till.ts';

let till: Till;
let club: SubscriptionShop;
let browser: WebBrowser;
beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  await till.ready();
  club = await SubscriptionShop.open(till, { payerMayPause: true });
  browser = await WebBrowser.start(till.api.baseUrl);
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function look(page: Page, name: string): Promise<void> {
  expect([name, await axeFindings(page)]).toEqual([name, []]);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect(overflow).toBeLessThanOrEqual(0);
  await page.screenshot({ path: `${SCREENS}/subscription-${name}.png`, fullPage: true });
}

const pathOf = ({ portalUrl }: SubscriptionJson): string => new URL(portalUrl ?? '').pathname;
const button = (page: Page, name: string) => page.getByRole('button', { name });

it.each([
  ['phone', PHONE, true],
  ['phone-without-script', PHONE, false],
  ['desktop', DESKTOP, true],
] as const)(
  'the subscription page lets a payer pay, pause and cancel on a %s',
  async (screen, viewport, javaScriptEnabled) => {
    const made = await club.subscribe({ quantity: 2, locale: 'en' });
    const page = await browser.page({ viewport, javaScriptEnabled });
    const see = async (name: string) => (javaScriptEnabled ? look(page, `${name}-${screen}`) : undefined);
    await page.goto(pathOf(made));
    await page.getByRole('heading', { name: 'A payment is due' }).waitFor();
    await see('due');
    await button(page, 'Pay $20.00').click();
    await page.waitForURL(`**/checkout/${made.openPaymentId}?lang=en`);
    await club.pay(made.id);
    await page.goto(pathOf(made));
    await page.getByRole('heading', { name: 'Paid until' }).waitFor();
    await see('paid');
    await page.getByLabel('New email address').fill('nobody');
    await button(page, 'Change the address').click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('New email address').fill('new@example.com');
    await button(page, 'Change the address').click();
    await page.getByText('n…@example.com').waitFor();
    await button(page, 'Pause').click();
    await page.getByRole('heading', { name: 'Paused' }).waitFor();
    await see('paused');
    await button(page, 'Resume').click();
    await page.getByRole('link', { name: 'Cancel the subscription' }).click();
    await page.getByRole('heading', { name: 'Cancel this subscription?' }).waitFor();
    await see('cancel');
    await button(page, 'Yes, cancel').click();
    await page.getByRole('heading', { name: 'does not renew' }).waitFor();
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await button(page, 'Abo behalten').waitFor();
    await page.context().close();
  },
);
