import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { eventually } from '../_helpers/poll.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { confirmIt, signInBrowser } from '../_helpers/web/dashboard.ts';
import { WebhookSink } from '../_helpers/webhook-sink.ts';

const EMAIL = 'owner@example.com';
const PASSWORD = 'correct horse battery';

let till: Till;
let browser: WebBrowser;
let sink: WebhookSink;
let context: BrowserContext;
let page: Page;
let shopPath = '';

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '500ms' });
  await till.ready();
  sink = await WebhookSink.start();
  browser = await WebBrowser.start(till.api.baseUrl);
  context = await browser.context({
    viewport: DESKTOP,
    permissions: ['clipboard-read', 'clipboard-write'],
    acceptDownloads: true,
  });
  page = await context.newPage();
});

afterAll(async () => {
  await browser?.stop();
  await sink?.close();
  await till?.end();
});

afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

const asked = (tab: Page) => tab.getByRole('dialog', { name: 'Sign in' });
const button = (name: string | RegExp) => page.getByRole('button', { name });
/** The last one: a dialog comes after the page behind it. */
const field = (name: string | RegExp) => page.getByLabel(name).last();
const heading = (name: string | RegExp) => page.getByRole('heading', { name });
const menu = (name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

describe('a merchant from registration to the first payout', () => {
  it('registers an account', async () => {
    await page.goto('/');
    await heading('Sign in').waitFor();
    await page.getByRole('link', { name: 'Create an account' }).click();
    await heading('Create an account').waitFor();
    await field('Email').fill(EMAIL);
    await field('Password').fill(PASSWORD);
    await button('Create account').click();
    await heading('Shops').waitFor();
    await page.getByText('No shop yet').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(page.url()).not.toContain('ey');
  });

  it('creates a shop and sees its keys once', async () => {
    await field('Name').fill('Blue Door Books');
    await field('Domain').fill('not a domain');
    await button('Create shop').click();
    await page.getByText('Please enter the name of your site').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await field('Domain').fill('bluedoor.example');
    await button('Create shop').click();
    await page.getByText(/^sk_/).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Go to the shop' }).click();
    await heading('Blue Door Books').waitFor();
    await page.getByText('No payments yet').waitFor();
    shopPath = new URL(page.url()).pathname;
    expect(await axeFindings(page)).toEqual([]);
  });

  it('sets the webhook URL and tests it', async () => {
    await menu('Shop settings').click();
    await field('Webhook URL').fill(sink.url);
    // The password was typed when the account was made: by now it counts no longer.
    till.clock.advance(6 * 60_000);
    await page
      .locator('form')
      .filter({ has: field('Webhook URL') })
      .getByRole('button', { name: 'Save' })
      .click();
    await confirmIt(page, { password: PASSWORD });
    await page.getByText('Saved').waitFor();
    await menu('Webhooks').click();
    await button('Send a test').click();
    await page.getByRole('group').getByText('webhook.test').first().click();
    await page.getByRole('region', { name: 'Request' }).getByText('"type": "webhook.test"').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await button('Send again').click();
    await page.getByText('Sent again: your endpoint answered 200.').waitFor();
    // The list stands still while it is read; then both attempts are one entry.
    expect(await page.getByRole('region', { name: 'Request' }).count()).toBe(1);
    await page.getByRole('group').getByText('webhook.test').first().click();
    await page.getByText('2 attempts').click();
    await expect.poll(() => page.getByRole('region', { name: 'Request' }).count()).toBe(2);
    expect(await page.getByRole('main').getByRole('group').count()).toBe(1);
  });

  it('adds, edits and deletes another webhook endpoint', async () => {
    const books = await WebhookSink.start();
    try {
      await menu('Webhooks').click();
      await page.getByText('Works').waitFor();
      await button('New endpoint').click();
      await field('Address').fill(books.url);
      await page.getByLabel('Only these').check();
      await button('Save endpoint').click();
      await page.getByText('Tick at least one event, or choose all.').waitFor();
      await page.getByLabel('payment.created').check();
      await button('Save endpoint').click();
      await page.getByText('Not used yet').waitFor();
      await button(`Secret of ${books.url}`).click();
      await page.getByText(/^whsec_/).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await button('Close').click();
      await button(`Edit ${books.url}`).click();
      await page.getByLabel('All events').check();
      await button('Save endpoint').click();
      await page.getByText('All events').waitFor();
      await button(`Delete ${books.url}`).click();
      await button('Delete endpoint').click();
      await page.getByText('All events').waitFor({ state: 'detached' });
      await button('Failed').click();
      await page.getByText('No delivery matches').waitFor();
      await button('Delivered').click();
      await page.getByRole('group').getByText('webhook.test').first().waitFor();
    } finally {
      await books.close();
    }
  });

  it('sees a payment change to completed in checkout and dashboard without a reload', async () => {
    await menu('Payments').click();
    await page.getByText('No payment yet').waitFor();
    await button('New payment').click();
    await field('Amount').fill('250');
    await field('Order id').fill('1e3');
    await field('Customer email').fill('buyer@example.com');
    await button('Create payment').click();
    await heading('Order 1e3').waitFor();
    const checkout = await context.newPage();
    const path = await page.getByRole('link', { name: 'Open checkout' }).getAttribute('href');
    await checkout.goto(new URL(path!).pathname);
    await checkout.getByRole('radio', { name: /LTC/ }).check();
    await checkout.getByRole('button', { name: 'Pay exactly' }).click();
    await checkout.getByRole('heading', { name: 'Payment complete' }).waitFor();
    await checkout.close();
    await page.getByText('Completed').first().waitFor();
    await page.getByRole('region', { name: 'Transactions' }).getByText('LTC').waitFor();
  });

  it('searches payments by any property, with the filters in the URL', async () => {
    await menu('Payments').click();
    await page.getByRole('link', { name: '1e3' }).waitFor();
    await page.getByLabel('Status').selectOption('expired');
    await page.getByText('No payment matches').waitFor();
    await page.getByLabel('Status').selectOption('completed');
    await page.getByText('One payment matches').waitFor();
    await field('Search').fill('buyer@exa');
    await page.waitForURL(/search=buyer%40exa/);
    await page.reload();
    await page.getByRole('link', { name: '1e3' }).waitFor();
    expect(await field('Search').inputValue()).toBe('buyer@exa');
    await field('Search').fill('2e3');
    await field('Search').press('Enter');
    await page.getByText('No payment matches').waitFor();
    await button('Clear the filters').click();
    await page.getByRole('link', { name: '1e3' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await field('Search').inputValue()).toBe('');
  });

  it('exports all payments that match a filter as CSV, without spreadsheet formulas', async () => {
    const token = await signIn();
    const merchantId = shopPath.split('/').at(-1);
    const { customers } = await till.api.must<{ customers: { id: string }[] }>(
      'GET',
      '/merchant/customer/list',
      { token },
    );
    const order = async (orderId: string): Promise<void> => {
      const fields = { merchantId, customerId: customers[0]?.id, amount: '1', currency: 'USD' };
      const { id } = await till.api.must<{ id: string }>('POST', '/payment/create', {
        token,
        body: { ...fields, orderId },
      });
      await till.api.must('POST', '/payment/cancel', { token, body: { merchantId, paymentId: id } });
    };
    const hostile = ['=1+1', '+cmd', '-2', '@SUM(A1)', '\u200b', 'a;=1', 'say "hi", you'];
    const usual = Array.from({ length: 95 }, (_, number) => `bulk-${number}`);
    await Promise.all([...hostile, ...usual].map(order));
    await page.getByLabel('Status').selectOption('cancelled');
    await page.getByText('102 payments match').waitFor();
    await page.getByText('Page 1 of 6').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), button('Export CSV').click()]);
    const csv = readFileSync(await download.path(), 'utf8');
    expect(csv.startsWith('\uFEFFid,orderId,')).toBe(true);
    const lines = csv.trim().split('\r\n');
    expect(lines).toHaveLength(103);
    expect(new Set(lines.slice(1).map((line) => line.split(',')[0])).size).toBe(102);
    for (const [orderId, cell] of [
      ['=1+1', "'=1+1"],
      ['+cmd', "'+cmd"],
      ['-2', "'-2"],
      ['@SUM(A1)', "'@SUM(A1)"],
      ['a;=1', '"a;=1"'],
      ['say "hi", you', '"say ""hi"", you"'],
    ]) {
      expect(csv, orderId).toContain(`,${cell},`);
    }
    expect(csv).not.toMatch(/[,\n][=+@-]/);
    await page.getByLabel('Status').selectOption('');
  });

  it('exports the movements for accounting as CSV', async () => {
    await button('Export movements').click();
    await heading('Export movements').waitFor();
    await field('First day').fill('2026-01-31');
    await field('Last day').fill('2026-01-01');
    await button('Download').click();
    await page.getByText('The last day must not be before the first one.').first().waitFor();
    await field('First day').fill('2026-01-01');
    await field('Last day').fill('2099-12-31');
    await field('Time zone').fill('Pacific/Kiritimati');
    const [file] = await Promise.all([page.waitForEvent('download'), button('Download').click()]);
    expect(file.suggestedFilename()).toBe('movements-2026-01-01-2099-12-31.csv');
    const text = readFileSync(await file.path(), 'utf8');
    expect(text.startsWith('\uFEFFat,kind,paymentId,orderId,')).toBe(true);
    expect(text).toMatch(/\r\n\d{4}-\d{2}-\d{2}T[\d:.]+\+14:00,payment,pay_/);
    await heading('Export movements').waitFor({ state: 'hidden' });
  });

  it('sends coins after the network fee was shown', async () => {
    await menu('Wallet').click();
    await expect
      .poll(() => page.getByRole('listitem').filter({ hasText: 'LTC' }).innerText())
      .toMatch(/2\.5/);
    await button('Receive LTC').click();
    await page.getByRole('img', { name: 'QR code of your LTC address' }).waitFor();
    const address = await page.getByRole('dialog').locator('code').innerText();
    expect(address).toMatch(/^tltc1/);
    await button('Close').click();
    const other = await Shop.open(till.api);
    await button('Send LTC').click();
    await field('To address').fill('nonsense');
    await field('Amount in LTC').fill('1.2');
    await button('Continue').click();
    await page.getByText('This is not a valid Litecoin').waitFor();
    await field('To address').fill(other.wallets.LTC);
    await button('Continue').click();
    await page.getByText('Network fee', { exact: true }).waitFor();
    expect(await page.getByRole('dialog').locator('dl').innerText()).toMatch(/1\.2 LTC\s*·\s*\$120\.00/);
    await button('Back').click();
    expect(await field('Amount in LTC').inputValue()).toBe('1.2');
    await button('Continue').click();
    // Done, and its answer is lost: whatever is pressed then, the same order is done once.
    await page.route(
      '**/merchant/wallet/send?*',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      // With the client's own attempts again.
      { times: 3 },
    );
    await button('Send now').click();
    await page.getByRole('alert').waitFor();
    browser.takeComplaints();
    await button('Back').click();
    await button('Continue').click();
    await button('Send now').click();
    await page.getByText('1.2 LTC are on their way').waitFor();
    await button('Done').click();
    await page.getByText('−1.2').first().waitFor();
    expect(await page.getByText('−1.2').count()).toBe(1);
    await eventually(
      'the other shop has it',
      () => other.balance('LTC'),
      (balance) => balance === '1.2',
    );
  });

  it('refunds a payment', async () => {
    await menu('Payments').click();
    await button('New payment').click();
    await field('Amount').fill('10');
    await field('Order id').fill('refund-me');
    await field('Customer email').fill('buyer@example.com');
    await button('Create payment').click();
    await heading('Order refund-me').waitFor();
    await button('Cancel payment').click();
    await heading('Cancel this payment?').waitFor();
    await button('Yes, cancel it').click();
    await page.getByText('Cancelled').first().waitFor();
    await page.goto(`${shopPath}/payments?search=1e3`);
    await page.getByRole('link', { name: '1e3' }).click();
    await button(/^Refund$/).click();
    await heading(/^Refund$/).waitFor();
    await button('Mark as refunded').click();
    await page.getByText('This cannot be undone').waitFor();
    expect(await page.getByRole('dialog').locator('dl').innerText()).toMatch(
      /[A-Z]{3} not refunded yet\s+[\d.]+ [A-Z]{3}\s*·/,
    );
    await button('Back').click();
    await button('Mark as refunded').click();
    await button('Yes, mark as refunded').click();
    await page.getByText('Refunded').first().waitFor();
  });

  it('creates payment links, sees their QR code and closes them', async () => {
    await menu('Payment links').click();
    await page.getByText('No payment link yet').waitFor();
    await button('New payment link').click();
    await field('Name').fill('Support the reading room');
    await field('Type of amount').selectOption('open');
    await field('Minimum').fill('5');
    await field('Maximum').fill('2');
    await field('Email address').selectOption('required');
    await button('Create').click();
    await page.getByText('This must not be below the minimum.').first().waitFor();
    await field('Maximum').fill('500');
    await button('Create').click();
    await page.getByRole('img', { name: /QR code of .*\/l\// }).waitFor();
    await page.getByRole('link', { name: 'Open the page' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await button('Close').click();
    await page.getByText('The payer chooses, from $5.00, up to $500.00').waitFor();
    await button('Share').click();
    await page.getByRole('img', { name: /QR code of .*\/l\// }).waitFor();
    await button('Close').click();
    await button('Edit').click();
    await field('Type of amount').selectOption('amount');
    await field('Amount').fill('12.50');
    await button('Save').click();
    await page.getByText('$12.50').waitFor();
    await button('Deactivate').click();
    await page.getByText('Closed', { exact: true }).waitFor();
    const url = (await page.locator('main code').innerText()).replace(/^.*(?=\/l\/)/, '');
    expect((await fetch(till.api.baseUrl + url)).status).toBe(410);
    await button('Delete Support the reading room').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    await button('Delete Support the reading room').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No payment link yet').waitFor();
  });

  it('manages customers, products and prices', async () => {
    await menu('Customers').click();
    await page.getByText('buyer@example.com').waitFor();
    await field('Search by email').fill('nobody');
    await page.getByText('No customer matches').waitFor();
    await menu('Products').click();
    await page.getByText('No product yet').waitFor();
    await button('New product').click();
    await field('Name').fill('Reading club');
    await button('Save').click();
    await heading('Reading club').waitFor();
    await button('Add price').click();
    await field('Amount').fill('12.50');
    await page.getByRole('dialog').getByRole('button', { name: 'Add price' }).click();
    await page.locator('b').getByText('$12.50').waitFor();
    await button('Edit price $12.50').click();
    await field('Amount').fill('14');
    await field('State').selectOption('inactive');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.locator('b').getByText('$14.00').waitFor();
    await page.getByRole('listitem').getByText('Inactive').waitFor();
    await button('Delete').last().click();
    await heading('Delete product').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No product yet').waitFor();
  });

  it('stores metadata of a customer, which must be a JSON object', async () => {
    await menu('Customers').click();
    await button('Edit buyer@example.com').click();
    await field('Metadata').fill('{"plan": gold}');
    await button('Save').click();
    await page.getByText('Please enter a JSON object.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await field('Metadata').fill('{"plan": "gold"}');
    await button('Save').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button('Edit buyer@example.com').click();
    expect(JSON.parse(await field('Metadata').inputValue())).toEqual({ plan: 'gold' });
    await button('Close').click();
  });

  it('sees the name of a customer on every page, and keeps other metadata', async () => {
    await menu('Customers').click();
    await button('Edit buyer@example.com').click();
    await field('Name (optional)').fill(' Ann Archer ');
    await button('Save').click();
    await page.getByRole('row', { name: /Ann Archer\s*buyer@example\.com/ }).waitFor();
    await button('Edit buyer@example.com').click();
    expect(await field('Name (optional)').inputValue()).toBe('Ann Archer');
    expect(JSON.parse(await field('Metadata').inputValue())).toEqual({ plan: 'gold' });
    await button('Close').click();
    await menu('Payments').click();
    await page.getByRole('cell', { name: 'Ann Archer' }).first().waitFor();
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('complementary', { name: 'Facts' }).getByText('Ann Archer').waitFor();
    await menu('Customers').click();
    await button('Edit buyer@example.com').click();
    await field('Name (optional)').fill('');
    await button('Save').click();
    await page.getByText('Ann Archer').waitFor({ state: 'detached' });
  });

  it('regenerates keys, and sees the new secret key once', async () => {
    await menu('API keys').click();
    await page.getByText(/^pk_/).waitFor();
    await button('Regenerate keys').click();
    await button('Regenerate').last().click();
    await page
      .getByRole('dialog')
      .getByText(/^sk_\w{40,}$/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await button('Close').count()).toBe(0);
    await button('I have copied it').click();
    await page
      .getByText(/^Ends /)
      .first()
      .waitFor();
    expect(await page.getByText(/^sk_\w{40,}$/).count()).toBe(0);
  });

  it('sets the sites that may embed the checkout', async () => {
    await menu('Shop settings').click();
    const sites = field('Sites that may show the checkout');
    const save = page.locator('form').filter({ has: sites }).getByRole('button', { name: 'Save' });
    await sites.fill('https://www.bluedoor.example not-a-site');
    await save.click();
    await page.locator('[aria-invalid="true"]').waitFor();
    await sites.fill('https://www.bluedoor.example\nhttps://blog.bluedoor.example');
    await save.click();
    await page.getByText('Sites kept').waitFor();
    await page.reload();
    expect(await sites.inputValue()).toBe('https://www.bluedoor.example\nhttps://blog.bluedoor.example');
  });

  it('sees the DNS record for the domain, the state of the nodes and the account', async () => {
    await menu('Shop settings').click();
    await button('Show what to publish').click();
    await page.getByText('_tilld-challenge.bluedoor.example').waitFor();
    await page.getByText(/^token=/).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await menu('Nodes').click();
    await heading('All nodes are in sync').waitFor();
    await menu('Account').click();
    await page.getByText('Not verified').waitFor();
  });
});

describe('sessions of the dashboard', () => {
  it('end after a day with a message, and keep the input of a form', async () => {
    await page.goto(`${shopPath}/payments?status=completed`);
    await button('New payment').click();
    await field('Order id').fill('half-typed');
    till.clock.advance(25 * 3_600_000);
    await heading('Sign in').waitFor();
    await page.getByText('Your session has ended').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await field('Email').inputValue()).toBe(EMAIL);
    await field('Password').fill('wrong wrong');
    await button('Sign in').click();
    await page.getByRole('alert').waitFor();
    await field('Password').fill(PASSWORD);
    await button('Sign in').click();
    await heading('Sign in').waitFor({ state: 'detached' });
    expect(page.url()).toContain(`${shopPath}/payments?status=completed`);
    expect(await field('Order id').inputValue()).toBe('half-typed');
    await button('Close').click();
    await heading('Payments').waitFor();
  });

  it('are shared by all tabs, windows and links', async () => {
    const kept = await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })');
    const shopId = shopPath.split('/').at(-1);
    expect(JSON.parse(kept)).toEqual({ 'tilld.signed-in': 'yes', 'tilld.last-shop': shopId });
    expect(await page.evaluate('document.cookie')).toBe('');
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      menu('Wallet').click({ modifiers: ['ControlOrMeta'] }),
    ]);
    await opened.getByRole('heading', { name: 'Wallet' }).waitFor();
    await opened.close();
    const deep = await context.newPage();
    await deep.goto(`${shopPath}/payments?status=completed`);
    await deep.getByRole('heading', { name: 'Payments' }).waitFor();
    expect(await deep.getByRole('heading', { name: 'Sign in' }).count()).toBe(0);
    await deep.close();
  });

  it('begin and end in every tab at once', async () => {
    const other = await context.newPage();
    await other.goto(`${shopPath}/payments`);
    await button('Sign out').click();
    await heading('Sign in').waitFor();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.getByLabel('Email').fill(EMAIL);
    await other.getByLabel('Password').fill(PASSWORD);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('button', { name: 'Sign out' }).waitFor();
    await other.goto(`${shopPath}/payments`);
    await page.goto(`${shopPath}/wallet`);
    await heading('Wallet').waitFor();
    till.clock.advance(13 * 3_600_000);
    await Promise.all([asked(page).waitFor(), asked(other).waitFor()]);
    await asked(page).getByLabel('Password').fill(PASSWORD);
    await asked(page).getByRole('button', { name: 'Sign in' }).click();
    await Promise.all([
      asked(page).waitFor({ state: 'detached' }),
      asked(other).waitFor({ state: 'detached' }),
    ]);
    await other.getByRole('heading', { name: 'Payments' }).waitFor();
    await other.close();
  });

  it('hide all pages of the first user when another user signs in', async () => {
    const other = await context.newPage();
    await other.goto(`${shopPath}/payments`);
    const person = { email: 'second@example.com', password: PASSWORD };
    await till.api.must('POST', '/auth/register', { body: person });
    await other.goto('/dashboard/login');
    await other.getByLabel('Email').fill(person.email);
    await other.getByLabel('Password').fill(person.password);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByText('No shop yet').waitFor();
    await page.getByText('No shop yet').waitFor();
    await other.close();
    await signInBrowser(context, till.api.baseUrl, { email: EMAIL, password: PASSWORD });
    await page.goto(`${shopPath}/payments`);
    await heading('Payments').waitFor();
  });

  it('lead back to the requested page after sign-in', async () => {
    const fresh = await browser.page({ viewport: DESKTOP });
    await fresh.goto(`${shopPath}/payments?status=completed`);
    await fresh.getByRole('heading', { name: 'Sign in' }).waitFor();
    await fresh.getByLabel('Email').fill(EMAIL);
    await fresh.getByLabel('Password').fill(PASSWORD);
    await fresh.getByRole('button', { name: 'Sign in' }).click();
    await fresh.getByRole('heading', { name: 'Payments' }).waitFor();
    expect(fresh.url()).toContain(`${shopPath}/payments?status=completed`);
    await fresh.goto('/dashboard/shop/7b1d9e0c-52a4-4b7e-8f3a-2d5c9a6e1b40/wallet');
    await fresh.getByText('You have no shop at this address').waitFor();
    expect(await axeFindings(fresh)).toEqual([]);
    await fresh.close();
  });

  it('end immediately on sign-out, after which no URL shows a page of the account', async () => {
    await button('Sign out').click();
    await heading('Sign in').waitFor();
    await page.goto(shopPath);
    await heading('Sign in').waitFor();
    await page.goto('/dashboard/reset-password?token=abc');
    await heading('Set a new password').waitFor();
    await expect.poll(() => page.url()).not.toContain('token');
    // Only the account that is signed in confirms its address.
    await page.goto('/dashboard/verify-email?token=abc');
    await heading('Sign in').waitFor();
    expect(await button('Verify now').count()).toBe(0);
    await page.goto('/dashboard/forgot-password');
    await field('Email').fill('nobody@example.com');
    await button('Send the link').click();
    await page.getByText('If an account has this address').waitFor();
    await page.goto('/dashboard/no/such/page');
    await page.getByText('There is nothing at this address').waitFor();
  });
});

async function signIn(): Promise<string> {
  const body = { email: EMAIL, password: PASSWORD };
  return (await till.api.must<{ token: string }>('POST', '/auth/login', { body })).token;
}
