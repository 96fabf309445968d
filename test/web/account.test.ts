import { createHmac } from 'node:crypto';
import { base32nopad } from '@scure/base';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { DnsServer } from '../_helpers/domains/dns-server.ts';
import { eventually } from '../_helpers/poll.ts';
import { readable, SmtpSink } from '../_helpers/smtp-sink.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { confirmIt } from '../_helpers/web/dashboard.ts';
import { readQr } from '../_helpers/web/qr-reader.ts';
import { WebhookSink } from '../_helpers/webhook-sink.ts';

const EMAIL = 'owner@bluedoor.example';
const OLD_PASSWORD = 'correct horse battery';
const PASSWORD = 'another horse entirely';

let till: Till;
let smtp: SmtpSink;
let dns: DnsServer;
let sink: WebhookSink;
let browser: WebBrowser;
let context: BrowserContext;
let page: Page;
let shopPath = '';

beforeAll(async () => {
  await ensureWebBuilt();
  [smtp, dns, sink] = await Promise.all([SmtpSink.start(), DnsServer.start(), WebhookSink.start()]);
  till = await Till.start({
    TILLD_SMTP_URL: smtp.url,
    TILLD_SMTP_FROM: 'till@bluedoor.example',
    TILLD_DNS_SERVERS: dns.address,
    TILLD_SANDBOX_BLOCK_INTERVAL: '500ms',
  });
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  context = await browser.context({
    viewport: DESKTOP,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
  await Promise.all([smtp?.stop(), dns?.close(), sink?.close()]);
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

const button = (name: string | RegExp) => page.getByRole('button', { name });
/** The page has a form for subscriptions, too. */
const saveShop = () =>
  page
    .locator('form')
    .filter({ has: field('Webhook URL') })
    .getByRole('button', { name: 'Save' });
const field = (name: string | RegExp) => page.getByLabel(name).last();
const heading = (name: string | RegExp) => page.getByRole('heading', { name });
const menu = (name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
const alert = () => page.getByRole('alert');

/** RFC 6238 with SHA-1, six digits and steps of 30 seconds: what an authenticator app does. */
function totp(secret: string, atMs: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)));
  const mac = createHmac('sha1', base32nopad.decode(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** The code of the next step: each is taken once only. */
function nextCode(secret: string): string {
  till.clock.advance(31_000);
  return totp(secret, till.clock.now());
}

/** The link in the newest mail of a kind, as a path of the daemon under test. */
async function mailedPath(subject: string): Promise<string> {
  const mail = await eventually(
    `a mail "${subject}" has come`,
    () => smtp.mails.findLast(({ raw, to }) => to.includes(EMAIL) && readable(raw).includes(subject)),
    (found) => found !== undefined,
  );
  const link = /https?:\/\/\S+token=\w+/.exec(readable(mail?.raw ?? ''))?.[0];
  if (link === undefined) throw new Error(`no link in: ${mail?.raw}`);
  const { port, pathname, search } = new URL(link);
  expect(port).toBe(new URL(till.api.baseUrl).port);
  return pathname + search;
}

async function signIn(password: string): Promise<void> {
  await heading('Sign in').waitFor();
  await field('Email').fill(EMAIL);
  await field('Password').fill(password);
  await button('Sign in').click();
}

async function userToken(): Promise<string> {
  const body = { email: EMAIL, password: PASSWORD };
  return (await till.api.must<{ token: string }>('POST', '/auth/login', { body })).token;
}

/** Makes a payment in the page and plays the payer through the API. */
async function paid(orderId: string, scenario: string, coin: string): Promise<string> {
  await page.goto(`${shopPath}/payments`);
  await button('New payment').click();
  await field('Amount').fill('250');
  await field('Order id').fill(orderId);
  await field('Customer email').fill('buyer@example.com');
  await button('Create payment').click();
  await heading(`Order ${orderId}`).waitFor();
  const paymentId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const token = await userToken();
  const merchantId = shopPath.split('/').at(-1);
  await till.api.must('POST', '/sandbox/payment/simulate', {
    token,
    body: { merchantId, paymentId, scenario, coin },
  });
  return paymentId;
}

describe('an account in the dashboard', () => {
  it('is verified by the link in the email', async () => {
    await page.goto('/dashboard/register');
    await field('Email').fill(EMAIL);
    await field('Password').fill(OLD_PASSWORD);
    await button('Create account').click();
    await heading('Shops').waitFor();
    await menu('Account').click();
    await page.getByText('Not verified').waitFor();
    await page.goto(await mailedPath('Confirm your email address'));
    await button('Verify now').click();
    await page.getByText('Your address is verified').waitFor();
    expect(page.url()).not.toContain('token');
    await page.goto('/dashboard/account');
    await page.getByText('Verified', { exact: true }).waitFor();
  });

  it('gets a new password by the link in the email, which is valid once', async () => {
    await button('Sign out').click();
    await page.getByRole('link', { name: 'Forgot the password?' }).click();
    await field('Email').fill(EMAIL);
    await button('Send the link').click();
    const path = await mailedPath('Set a new password');
    await page.goto(path);
    await field('New password').fill(PASSWORD);
    await button('Set password').click();
    await page.getByRole('status').waitFor();
    await page.goto(path);
    await field('New password').fill('a thief’s own password');
    await button('Set password').click();
    await alert().waitFor();
    await page.getByRole('link', { name: 'Go to sign in' }).click();
    await signIn(OLD_PASSWORD);
    await alert().waitFor();
    await signIn(PASSWORD);
    await heading('Shops').waitFor();
  });

  it('can enable a second factor, needs its code at sign-in, and can disable it again', async () => {
    await menu('Account').click();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await button('Set up').click();
    const uri = new URL(await readQr(page.getByRole('img', { name: 'QR code for the authenticator app' })));
    const secret = uri.searchParams.get('secret') ?? '';
    expect(uri.protocol).toBe('otpauth:');
    expect(await page.getByText(secret, { exact: true }).count()).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    const right = totp(secret, till.clock.now());
    await field('Code from the app').fill(right === '123456' ? '654321' : '123456');
    await button('Switch on').click();
    await alert().waitFor();
    await field('Code from the app').fill(totp(secret, till.clock.now()));
    await button('Switch on').click();
    const codes = (await page.locator('pre').innerText()).split('\n');
    expect(codes.length).toBeGreaterThanOrEqual(8);
    expect(await axeFindings(page)).toEqual([]);

    await button('Sign out').click();
    await signIn(PASSWORD);
    await field('Code').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await field('Code').fill(right === '123456' ? '654321' : '123456');
    await button('Sign in').click();
    await alert().waitFor();
    await field('Code').fill(nextCode(secret));
    await button('Sign in').click();
    await button('Sign out').waitFor();

    await button('Sign out').click();
    await signIn(PASSWORD);
    await field('Code').fill(codes[0] ?? '');
    await button('Sign in').click();
    await button('Sign out').waitFor();
    await menu('Account').click();
    await page.getByText(`${codes.length - 1} recovery codes left`).waitFor();

    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await field('Code').fill(nextCode(secret));
    await button('Switch off').click();
    await button('Set up').waitFor();
    await button('Sign out').click();
    await signIn(PASSWORD);
    await button('Sign out').waitFor();
  });
});

describe('the sessions of an account', () => {
  it('are listed with their browsers, and can be ended one by one or together', async () => {
    const phone = await browser.page({ userAgent: 'Mozilla/5.0 (Android 16) Firefox/140.0' });
    await phone.goto('/dashboard/account');
    await phone.getByLabel('Email').fill(EMAIL);
    await phone.getByLabel('Password').fill(PASSWORD);
    await phone.getByRole('button', { name: 'Sign in' }).click();
    await phone.getByText('This one').waitFor();
    const listed = page.getByRole('listitem');
    await page.goto('/dashboard/account');
    const here = listed.filter({ hasText: 'This one' });
    await here.getByText('Chrome on Linux').waitFor();
    await here.getByText('127.0.0.1').waitFor();
    const there = listed.filter({ hasText: 'Firefox on Android' });
    await there.waitFor();
    expect(await here.getByRole('button').count()).toBe(0);
    await there.getByRole('button', { name: 'End the session of Firefox on Android' }).click();
    await there.waitFor({ state: 'detached' });
    await phone.reload();
    await phone.getByText('Your session has ended').waitFor();
    await button('End every session').click();
    await heading('Sign out everywhere?').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await button('Yes, end them all').click();
    await signIn(PASSWORD);
    await button('Sign out').waitFor();
    await phone.context().close();
  });
});

describe('an action in the dashboard that moves money', () => {
  it('asks for a step-up, keeps the input, and continues automatically after the step-up', async () => {
    const { merchant } = await till.api.must<{ merchant: { id: string } }>('POST', '/merchant/create', {
      token: await userToken(),
      body: { name: 'Cellar', domain: 'cellar.example' },
    });
    await page.goto(`/dashboard/shop/${merchant.id}/keys`);
    await button('New restricted key').click();
    await field('Name').fill('Warehouse');
    await field('See balances').check();
    await button('Create key').click();
    const asked = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await asked.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You did not confirm it, so nothing was done').waitFor();
    expect(await field('Name').inputValue()).toBe('Warehouse');
    await button('Create key').click();
    await asked.waitFor();
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
    expect(await field('Name').inputValue()).toBe('Warehouse');
    await button('Create key').click();
    await asked.getByLabel('Your password').fill('wrong wrong');
    await asked.getByRole('button', { name: 'Confirm' }).click();
    await asked.getByRole('alert').waitFor();
    await confirmIt(page, { password: PASSWORD });
    await page
      .getByRole('dialog')
      .getByText(/^rk_\w{43}$/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await button('Done').click();
    await button('Delete Warehouse').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Warehouse' }).waitFor({ state: 'detached' });
    till.clock.advance(6 * 60_000);
  });
});

describe('the dashboard of a shop', () => {
  it('verifies its domain by the DNS record that the page shows', async () => {
    await page.goto('/dashboard/shops');
    await button('New shop').click();
    await field('Name').fill('Blue Door Books');
    await field('Domain').fill('bluedoor.example');
    await button('Create shop').click();
    await confirmIt(page, { password: PASSWORD });
    await page.getByRole('link', { name: 'Go to the shop' }).click();
    await heading('Blue Door Books').waitFor();
    shopPath = new URL(page.url()).pathname;
    await menu('Shop settings').click();
    await field('Webhook URL').fill(sink.url);
    await saveShop().click();
    await page.getByText('Saved').waitFor();
    await button('Show what to publish').click();
    const copied = async (name: string): Promise<string> => {
      await button(`Copy ${name}`).click();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    const name = await copied('Name of the TXT record');
    const value = await copied('Value');
    await button('Check now').click();
    await page.getByText(/Checked/).waitFor();
    expect(await page.getByText('The domain is verified').count()).toBe(0);
    dns.set('TXT', name, [value]);
    await button('Check now').click();
    await page.getByText('The domain is verified').waitFor();
    await page.getByText('Verified', { exact: true }).waitFor();
  });

  it('refunds a payment and shows the refund', async () => {
    const payer = await Shop.open(till.api);
    await paid('refund-me', 'exact', 'LTC');
    await page.getByText('Completed').first().waitFor();
    await eventually(
      'the money can be spent',
      async () => {
        await page.goto(`${shopPath}/wallet`);
        return page.getByRole('listitem').filter({ hasText: 'LTC' }).innerText();
      },
      (text) => text.includes('2.5'),
    );
    await page.goBack();
    await button(/^Refund$/).click();
    await field('Payer’s address').fill('nonsense');
    await button('Continue').click();
    await page.getByText('This is no').waitFor();
    await field('Payer’s address').fill(payer.wallets.LTC);
    expect(await field('Amount in LTC').inputValue()).toBe('2.5');
    await field('Amount in LTC').fill('2,5');
    await button('Continue').click();
    await page.getByText('They receive').waitFor();
    await page.getByText('2.5 LTC').first().waitFor();
    await button('Back').click();
    expect(await field('Payer’s address').inputValue()).toBe(payer.wallets.LTC);
    await button('Continue').click();
    till.clock.advance(6 * 60_000);
    await button('Send the refund').click();
    await confirmIt(page, { password: PASSWORD });
    await page
      .getByRole('region', { name: 'Refunds' })
      .getByText(/^(Broadcast|Confirmed)$/)
      .filter({ visible: true })
      .waitFor();
    await page.getByText('Refunded').first().waitFor();
    await eventually(
      'the payer has it back',
      () => payer.balance('LTC'),
      (balance) => Number(balance) > 2.4,
    );
    const checkout = await context.newPage();
    const link = await page.getByRole('link', { name: 'Open checkout' }).getAttribute('href');
    await checkout.goto(new URL(link ?? '').pathname);
    await checkout.getByRole('heading', { name: 'The payment was refunded' }).waitFor();
    await checkout.getByText('Domain verified', { exact: true }).waitFor();
    await checkout.close();
  });

  it('accepts an underpaid payment', async () => {
    await paid('short', 'underpay', 'BTC');
    await page.getByText('Underpaid').first().waitFor();
    await button('Accept as paid').click();
    await heading('Accept this payment?').waitFor();
    const sums = page.getByRole('dialog').locator('dl');
    expect(await sums.innerText()).toMatch(/Asked for\s+\$[\d.]+\s+Received\s+[\d.]+ BTC \(\$[\d.]+ then\)/);
    await button('Accept as paid').last().click();
    await page.getByText('Completed').first().waitFor();
    await expect.poll(() => button('Accept as paid').count()).toBe(0);
  });

  it('redelivers a webhook that the endpoint had answered with 500', async () => {
    sink.answer = 500;
    const paymentId = await paid('deaf', 'underpay', 'BTC');
    await menu('Webhooks').click();
    await field('Payment id').fill(paymentId);
    await page.waitForURL(/paymentId=/);
    const refused = page.getByRole('group').filter({ hasText: 'payment.created' }).first();
    // Open, it stands still, whatever is tried meanwhile.
    await refused.locator('summary').click();
    const response = refused.getByRole('region', { name: 'Response' });
    // Another automatic attempt may have followed; the newest comes first.
    expect(await response.first().innerText()).toMatch(/\bok$/);
    await button('Send a test').click();
    await page.getByText('The test arrived, and your endpoint answered 500').waitFor();
    sink.answer = 200;
    const before = sink.of(paymentId).filter(({ body }) => body.type === 'payment.created').length;
    await refused.getByRole('button', { name: 'Send again' }).click();
    await expect
      .poll(() => sink.of(paymentId).filter(({ body }) => body.type === 'payment.created').length)
      .toBeGreaterThan(before);
    await button('Delivered').click();
    await page.getByRole('group').filter({ hasText: 'payment.created' }).first().waitFor();
    expect(page.url()).toContain('state=delivered');
  });
});

describe('a browser that rejects cookies', () => {
  it('shows an error at sign-in', async () => {
    const shy = await browser.page();
    await shy.route('**/auth/session', async (route) => {
      const response = await route.fetch();
      const { 'set-cookie': _cookie, ...headers } = response.headers();
      await shy.context().clearCookies();
      await route.fulfill({ response, headers });
    });
    await shy.goto('/dashboard/login');
    await shy.getByLabel('Email').fill(EMAIL);
    await shy.getByLabel('Password').fill(PASSWORD);
    await shy.getByRole('button', { name: 'Sign in' }).click();
    await shy.getByText('The browser did not keep the session').waitFor();
    await shy.context().close();
  });
});

describe('the end of a dashboard session', () => {
  it('keeps the input of a form or dialog, and continues once the user has entered the password again', async () => {
    const other = await Shop.open(till.api);
    await page.goto(`${shopPath}/wallet`);
    await button('Send BTC').click();
    await field('To address').fill(other.wallets.BTC);
    await field('Amount in BTC').fill('0.0001');
    till.clock.advance(25 * 3_600_000);
    await button('Continue').click();
    const again = page.getByRole('dialog', { name: 'Sign in' });
    await again.getByText('Your session has ended').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await again.getByLabel('Password').fill('wrong wrong wrong');
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.getByRole('alert').waitFor();
    expect(await again.getByLabel('Email').inputValue()).toBe(EMAIL);
    await again.getByLabel('Password').fill(PASSWORD);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.waitFor({ state: 'detached' });
    expect(await field('To address').inputValue()).toBe(other.wallets.BTC);
    expect(await field('Amount in BTC').inputValue()).toBe('0.0001');
    await button('Continue').click();
    await page.getByText('Network fee', { exact: true }).waitFor();
  });

  it('shows the sign-in page, which leads back to the same page, when the user did nothing', async () => {
    await page.goto(`${shopPath}/payments?status=completed`);
    await page.getByRole('link', { name: 'short' }).waitFor();
    await page.goto('about:blank');
    till.clock.advance(13 * 3_600_000);
    await page.goto(`${shopPath}/payments?status=completed`);
    await page.getByText('Your session has ended').waitFor();
    await signIn(PASSWORD);
    await page.getByRole('link', { name: 'short' }).waitFor();
    expect(page.url()).toContain(`${shopPath}/payments?status=completed`);
    expect(await page.getByLabel('Status').inputValue()).toBe('completed');
  });
});
