/** The owner sees subscriptions in the dashboard, cancels one, and changes its settings. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';
import { SubscriptionShop } from '../_helpers/subscription-shop.ts';
import { Till } from '../_helpers/till.ts';

let till: Till;
let club: SubscriptionShop;
let browser: WebBrowser;
let email = '';
beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  await till.ready();
  club = await SubscriptionShop.open(till);
  browser = await WebBrowser.start(till.api.baseUrl);
  const { token } = club.shop;
  email = (await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token })).user.email;
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

it.each([
  ['phone', PHONE],
  ['desktop', DESKTOP],
] as const)(
  'the dashboard cancels a subscription and replaces the link to its page on a %s',
  async (screen, viewport) => {
    const made = await club.subscribe();
    await club.pay(made.id);
    const page = await browser.page({ viewport });
    await signInBrowser(page.context(), till.api.baseUrl, { email, password: 'correct horse battery' });
    await visit(page, `/dashboard/shop/${club.shop.merchantId}/subscriptions`);
    const card = page.getByRole('listitem').filter({ hasText: 'New page address' }).first();
    await card.getByText('Entitled until').waitFor();
    expect([screen, await axeFindings(page)]).toEqual([screen, []]);
    await page.screenshot({ path: `${SCREENS}/subscriptions-${screen}.png`, fullPage: true });
    const dialog = page.getByRole('dialog');
    await card.getByRole('button', { name: 'Cancel subscription' }).click();
    await dialog.getByRole('button', { name: 'Cancel subscription' }).click();
    await card.getByText('Ends with the paid period').waitFor();
    expect(await club.read(made.id)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true });
    await card.getByRole('button', { name: 'New page address' }).click();
    await dialog.getByRole('button', { name: 'New page address' }).click();
    await page.getByText('The page has a new address').waitFor();
    expect((await club.read(made.id)).portalUrl).not.toBe(made.portalUrl);
    await page.context().close();
  },
);

it('the dashboard changes the grace period, and what payers may do with subscriptions', async () => {
  const page = await browser.page({ viewport: DESKTOP });
  await signInBrowser(page.context(), till.api.baseUrl, { email, password: 'correct horse battery' });
  await visit(page, `/dashboard/shop/${club.shop.merchantId}/settings`);
  const form = page.locator('form').filter({ hasText: 'Days of grace' });
  await form.getByLabel('Days of grace').fill('3');
  await form.getByLabel('Pausing a subscription').selectOption('yes');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('status').getByText('Saved').waitFor();
  const { token, merchantId } = club.shop;
  const { merchants } = await till.api.must<{ merchants: { id: string }[] }>('GET', '/merchant/list', {
    token,
  });
  expect(merchants.find(({ id }) => id === merchantId)).toMatchObject({
    graceDays: 3,
    payerMayPause: true,
    payerMayCancel: true,
  });
  await page.context().close();
});
