/** The owner sees subscriptions in the dashboard, cancels one, and changes its settings. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';
import { eventually } from '../_helpers/poll.ts';
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
/** As the list shortens it. */
const shortId = (id: string): string => `${id.slice(0, 8)}…${id.slice(-6)}`;

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

it.each([
  ['phone', PHONE, 'dark'],
  ['desktop', DESKTOP, 'light'],
] as const)(
  'the dashboard page of a subscription shows, edits, pauses, resumes and cancels it on a %s',
  async (screen, viewport, colorScheme) => {
    const made = await club.subscribe({ metadata: { plan: 'team' } });
    const paymentId = await club.pay(made.id);
    const note = 'A week without service';
    await club.must('POST', '/merchant/subscription/credit', {
      subscriptionId: made.id,
      amount: '2.50',
      note,
    });
    const page = await browser.page({ viewport, colorScheme });
    const user = { email, password: 'correct horse battery', steppedUp: true };
    await signInBrowser(page.context(), till.api.baseUrl, user);
    await visit(page, `/dashboard/shop/${club.shop.merchantId}/subscriptions`);
    await page.getByText('Monthly recurring revenue').waitFor();
    await page.screenshot({ path: `${SCREENS}/subscription-figures-${screen}.png`, fullPage: true });
    await page.getByRole('link', { name: shortId(made.id), exact: true }).click();
    await page.getByRole('heading', { name: 'Subscription', exact: true }).waitFor();
    await page.getByText('$10.00 per month').waitFor();
    await page.getByText('The current period is paid.').waitFor();
    await page.getByText(note).waitFor();
    await page.getByText('Credit $0.00 → $2.50').waitFor();
    const invoices = page.getByRole('region', { name: 'Invoices' });
    expect(await invoices.getByRole('link').first().getAttribute('href')).toContain(`/payments/${paymentId}`);
    expect([screen, await axeFindings(page)]).toEqual([screen, []]);
    const hidden = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
    expect(hidden).toBe(0);
    await page.screenshot({ path: `${SCREENS}/subscription-${screen}.png`, fullPage: true });

    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByLabel('Quantity').fill('3');
    await dialog.getByLabel('Email address of its mails').fill('accounts@example.com');
    await page.screenshot({ path: `${SCREENS}/subscription-change-${screen}.png` });
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByText('$30.00 per month').waitFor();
    expect(await club.read(made.id)).toMatchObject({ email: 'accounts@example.com', quantity: 3 });
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel subscription' }).click();
    await dialog.getByLabel('When').selectOption('now');
    await page.screenshot({ path: `${SCREENS}/subscription-cancel-${screen}.png` });
    await dialog.getByRole('button', { name: 'Cancel subscription' }).click();
    await page.getByText('It ends with the paid time and is not invoiced any more.').waitFor();
    expect(await club.read(made.id)).toMatchObject({ status: 'cancelled' });
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

it('the "Needs you" page offers the payment link of an unpaid subscriber, and links to the subscription', async () => {
  const { id } = await club.subscribe();
  await club.pay(id);
  till.clock.advance(40 * 86_400_000);
  await eventually(
    'the second period to begin unpaid',
    async () => club.read(id),
    ({ status }) => status === 'past_due',
  );
  const page = await browser.page({ viewport: PHONE });
  await signInBrowser(page.context(), till.api.baseUrl, { email, password: 'correct horse battery' });
  await visit(page, `/dashboard/shop/${club.shop.merchantId}/attention`);
  const item = page.getByRole('listitem').filter({ hasText: `Order ${id}/1` });
  await item.getByRole('heading', { name: 'A subscriber has not paid' }).waitFor();
  await item.getByRole('button', { name: 'Copy payment link' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENS}/subscription-unpaid-phone.png`, fullPage: true });
  await item.getByRole('link', { name: 'Subscription', exact: true }).click();
  await page.getByText('A period has begun unpaid.').waitFor();
  await page.screenshot({ path: `${SCREENS}/subscription-past-due-phone.png`, fullPage: true });
  await page.context().close();
});
