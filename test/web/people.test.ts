/** A shop with several people: invited, at work in their roles, and on record. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { confirmIt, openMenu, signInBrowser } from '../_helpers/web/dashboard.ts';

const PASSWORD = 'correct horse battery';
const CLERK = 'clerk@example.com';
const HOOK = 'https://elsewhere.example/hook';

/** Run in the page: all texts of the menu and headings that are ever there, however shortly. */
const NOTE_EVERY_ITEM = `(() => {
  const texts = new Set();
  const read = () => document.querySelectorAll('nav a, h1').forEach((item) => texts.add(item.textContent));
  new MutationObserver(read).observe(document.body, { childList: true, subtree: true });
  return texts;
})()`;

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let owner: Page;
let clerk: Page;
let home = '';
let link = '';

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  browser = await WebBrowser.start(till.api.baseUrl);
  shop = await Shop.open(till.api);
  home = `/dashboard/shop/${shop.merchantId}`;
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  owner = await browser.page({ viewport: DESKTOP });
  await signInBrowser(owner.context(), till.api.baseUrl, { email: user.email, password: PASSWORD });
  clerk = await browser.page({ viewport: PHONE });
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

const pagesOf = async (page: Page) => (await openMenu(page)).getByRole('link').allInnerTexts();

it('the people page lets the owner invite a clerk, and shows the link', async () => {
  await owner.goto(`${home}/people`);
  await owner.getByText('No other members').waitFor();
  await owner.getByRole('button', { name: 'Invite a member' }).click();
  await owner.getByLabel('Email').fill(CLERK);
  expect(await axeFindings(owner)).toEqual([]);
  await owner.getByRole('button', { name: 'Send the invitation' }).click();
  await confirmIt(owner, { password: PASSWORD });
  await owner.getByText(`${CLERK} gets this link by mail`).waitFor();
  link = await owner.getByRole('dialog').locator('code').innerText();
  expect(await axeFindings(owner)).toEqual([]);
  await owner.getByRole('button', { name: 'Done' }).click();
  await owner.getByRole('heading', { name: 'Invited' }).waitFor();
});

it('the invitation page names the invited email address to a user with another one, and offers another sign-in', async () => {
  const other = await Shop.open(till.api);
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', {
    token: other.token,
  });
  const page = await browser.page();
  await signInBrowser(page.context(), till.api.baseUrl, { email: user.email, password: PASSWORD });
  const { pathname, search } = new URL(link);
  await page.goto(pathname + search);
  await page.getByText(`This invitation is for ${CLERK}`).waitFor();
  expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Use another account' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: 5_000 });
  expect(new URL(page.url()).searchParams.get('next')).toContain(search);
  await page.context().close();
});

it('the invitation page lets a clerk register and accept', async () => {
  const { pathname, search } = new URL(link);
  await clerk.goto(pathname + search);
  await clerk.getByRole('link', { name: 'Create an account' }).click();
  await clerk.getByLabel('Email').fill(CLERK);
  await clerk.getByLabel('Password').fill(PASSWORD);
  await clerk.getByRole('button', { name: 'Create account' }).click();
  await clerk.getByText('Your role: Clerk').waitFor();
  expect(await axeFindings(clerk)).toEqual([]);
  const seen = await clerk.evaluateHandle<Set<string>>(NOTE_EVERY_ITEM);
  await clerk.getByRole('button', { name: 'Accept' }).click();
  await clerk.waitForURL(`**${home}`);
  await (await openMenu(clerk)).getByRole('link', { name: 'Payment links' }).waitFor();
  const shown = await seen.evaluate((texts) => [...texts]);
  expect(shown).toContain('Payment links');
  for (const never of ['Shop settings', 'API keys', 'Wallet', 'No such shop'])
    expect(shown).not.toContain(never);
});

it('the dashboard of a clerk offers the actions of the role, and creates a payment', async () => {
  await expect
    .poll(async () => pagesOf(clerk))
    .toEqual([
      'Home',
      'Needs you',
      'Payments',
      'Payment links',
      'Counters',
      'Products',
      'Customers',
      'API docs',
      'Emails',
      'Nodes',
      'Account',
    ]);
  expect(await clerk.getByText('BTC').count()).toBe(0);
  await clerk.getByRole('link', { name: 'Customers' }).click();
  await clerk.getByRole('heading', { name: 'Customers' }).waitFor();
  await clerk.getByRole('region', { name: 'Customers' }).waitFor();
  expect(await clerk.getByRole('button', { name: 'New customer' }).count()).toBe(0);
  await (await openMenu(clerk)).getByRole('link', { name: 'Payments', exact: true }).click();
  await clerk.getByRole('button', { name: 'New payment' }).click();
  await clerk.getByLabel('Amount').fill('12.50');
  await clerk.getByRole('button', { name: 'Create payment' }).click();
  await clerk.getByRole('heading', { name: /^Order M-/ }).waitFor();
  await clerk.getByText('Anonymous').waitFor();
});

it('the dashboard of a clerk does not show a page that the role excludes, also by its URL', async () => {
  await clerk.goto(`${home}/wallet`);
  await clerk.getByText('Your role in this shop, clerk, does not include this').first().waitFor();
  await clerk.goto(`${home}/settings`);
  await clerk.getByText('Only the owner of the shop can change its settings.').waitFor();
  expect(await clerk.getByRole('button', { name: 'Save' }).count()).toBe(0);
  browser.takeComplaints();
});

it('the notification settings are separate for each member of a shop', async () => {
  await owner.goto(`${home}/mails`);
  await owner.getByText('This server has no mail server').waitFor();
  const paid = owner.getByLabel('Each payment that is paid');
  expect(await paid.isChecked()).toBe(false);
  const always = await owner.getByLabel('(always)').all();
  expect(always.length).toBeGreaterThan(0);
  for (const choice of always) expect(await choice.isDisabled()).toBe(true);
  expect(await axeFindings(owner)).toEqual([]);
  await paid.click();
  await owner.getByText('Saved').waitFor();
  await owner.reload();
  await expect.poll(async () => paid.isChecked()).toBe(true);
  await clerk.goto(`${home}/mails`);
  await clerk.getByLabel('Each payment that is paid').waitFor();
  expect(await clerk.getByLabel('Each payment that is paid').isChecked()).toBe(false);
  expect(await clerk.getByLabel('Transfers and refunds that fail or hang').count()).toBe(0);
});

it('the connect page offers only the shops that the user owns', async () => {
  const asked = new URLSearchParams({
    name: 'A plugin',
    scopes: 'payments:write',
    redirectUrl: 'https://shop.example/connected',
    state: 'state',
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  });
  await clerk.goto(`/dashboard/connect?${asked}`);
  await clerk.getByText('You have no shop yet').waitFor();
});

it('the people page shows the owner the audit log, changes a role and removes a member', async () => {
  await owner.getByRole('link', { name: 'Audit log' }).click();
  const rows = owner.getByRole('region', { name: 'Audit log' }).locator('tbody tr');
  await rows.first().waitFor();
  const said = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
  expect(said[0]).toContain('Chose which mails to get');
  expect(said[1]).toMatch(/clerk@example\.com Created a payment pay_.* 127\.0\.0\.1 Done/);
  expect(said.join('\n')).toMatch(/Accepted an invitation[\s\S]*Invited a member/);
  expect(await axeFindings(owner)).toEqual([]);
  await owner.getByRole('link', { name: 'Team' }).click();
  const changed = owner.waitForResponse((response) => response.url().endsWith('/merchant/people/edit'));
  await owner.getByLabel(`Role of ${CLERK}`).selectOption('bookkeeper');
  await changed;
  // A new role ends what was issued under the old one.
  await signInBrowser(clerk.context(), till.api.baseUrl, { email: CLERK, password: PASSWORD });
  await clerk.goto(home);
  await expect.poll(async () => pagesOf(clerk)).toContain('Wallet');
  await owner.getByRole('button', { name: `Remove ${CLERK}` }).click();
  expect(await owner.getByRole('dialog').getByRole('checkbox').count()).toBe(0);
  await owner.getByRole('button', { name: 'Back' }).click();
});

it('the people page lets the owner choose which keys and endpoints of a removed member are deleted', async () => {
  const changed = owner.waitForResponse((response) => response.url().endsWith('/merchant/people/edit'));
  await owner.getByLabel(`Role of ${CLERK}`).selectOption('manager');
  expect((await changed).status()).toBe(200);
  const body = { email: CLERK, password: PASSWORD };
  const { token } = await till.api.must<{ token: string }>('POST', '/auth/login', { body });
  const of = { token, merchantId: shop.merchantId };
  const make = async (path: string, fields: object) =>
    till.api.must('POST', path, { token, body: { ...fields, merchantId: of.merchantId } });
  await make('/merchant/webhook/endpoint/create', { url: HOOK });
  await make('/merchant/link/create', { name: 'Their mug', amount: '5', currency: 'EUR' });
  await owner.goto(`${home}/webhooks`);
  await owner.getByText(`Created by ${CLERK}`).waitFor();
  await owner.goto(`${home}/people`);
  const dialog = owner.getByRole('dialog');
  await owner.getByRole('button', { name: `Remove ${CLERK}` }).click();
  const endsEndpoint = dialog.getByLabel('Delete the webhook endpoint that they made');
  const endsLink = dialog.getByLabel('Delete the payment link that they made');
  await dialog.getByText(HOOK).waitFor();
  await dialog.getByText('Their mug').waitFor();
  expect([await endsEndpoint.isChecked(), await endsLink.isChecked()]).toEqual([true, false]);
  expect(await axeFindings(owner)).toEqual([]);
  await endsEndpoint.uncheck();
  await dialog.getByText('they can still follow the payments of this shop').waitFor();
  await owner.setViewportSize(PHONE);
  await owner.setViewportSize(DESKTOP);
  await endsEndpoint.check();
  await endsLink.check();
  await owner.getByRole('button', { name: 'Yes, remove' }).click();
  await owner.getByText('No other members').waitFor();
  await owner.goto(`${home}/webhooks`);
  await owner.getByText('No endpoint yet').waitFor();
  await owner.goto(`${home}/links`);
  await owner.getByText('No payment link yet').waitFor();
  await signInBrowser(clerk.context(), till.api.baseUrl, { email: CLERK, password: PASSWORD });
  await clerk.goto(`${home}/payments`);
  await clerk.getByText('You have no shop at this address').waitFor();
  browser.takeComplaints();
});

it('the account page shows the audit log of the account', async () => {
  await owner.getByRole('link', { name: 'Account' }).click();
  const log = owner.getByRole('region', { name: 'Audit log' });
  await log.getByText('Confirmed identity (step-up)').first().waitFor();
  await log.getByText('Signed in', { exact: true }).first().waitFor();
});
