import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { eventually } from '../_helpers/poll.ts';
import { SessionClient } from '../_helpers/session-client.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { confirmIt, signInBrowser } from '../_helpers/web/dashboard.ts';

const PASSWORD = 'correct horse battery';

let till: Till;
let browser: WebBrowser;
/** Browsers have passkeys for localhost without TLS, and for no address without a name. */
let origin = '';
let byAddress = '';

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  await till.ready();
  byAddress = till.api.baseUrl;
  origin = byAddress.replace('127.0.0.1', 'localhost');
  browser = await WebBrowser.start(origin, [byAddress]);
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});

/** The authenticator in a page's device, as Chromium plays it. */
class Device {
  readonly #cdp: CDPSession;
  readonly #id: string;

  private constructor(cdp: CDPSession, id: string) {
    this.#cdp = cdp;
    this.#id = id;
  }

  static async in(page: Page): Promise<Device> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new Device(cdp, authenticatorId);
  }

  /** Whether its holder passes user verification. */
  async verifies(isUserVerified: boolean): Promise<void> {
    await this.#cdp.send('WebAuthn.setUserVerified', { authenticatorId: this.#id, isUserVerified });
  }

  async credentials(): Promise<{ rpId?: string; isResidentCredential: boolean; signCount: number }[]> {
    const { credentials } = await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId: this.#id });
    return credentials;
  }

  async forget(): Promise<void> {
    await this.#cdp.send('WebAuthn.clearCredentials', { authenticatorId: this.#id });
  }
}

async function newOwner(): Promise<{ shop: Shop; email: string }> {
  const shop = await Shop.open(till.api);
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  return { shop, email: user.email };
}

describe('a passkey in the dashboard', () => {
  let shop: Shop;
  let email = '';
  let context: BrowserContext;
  let page: Page;
  let device: Device;
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const card = () => page.locator('section').filter({ has: page.getByRole('heading', { name: 'Passkeys' }) });
  const stepUp = () => page.getByRole('dialog', { name: 'Confirm that it is you' });

  beforeAll(async () => {
    ({ shop, email } = await newOwner());
    context = await browser.context({ viewport: DESKTOP });
    page = await context.newPage();
    device = await Device.in(page);
    await signInBrowser(context, origin, { email, password: PASSWORD });
  });
  afterEach(() => {
    expect(browser.takeComplaints()).toEqual([]);
  });

  it('is added on the account page after a step-up, and renamed', async () => {
    await page.goto('/dashboard/account');
    await button('Add a passkey').click();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
    await button('Continue').click();
    await stepUp().waitFor();
    expect(await stepUp().getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await confirmIt(page, { password: PASSWORD });
    await card().getByText('Laptop').waitFor();
    await card().getByText('not used yet').waitFor();
    expect(await device.credentials()).toEqual([
      expect.objectContaining({ rpId: 'localhost', isResidentCredential: true }),
    ]);
    await button('Rename Laptop').click();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByLabel('Name').fill('Work laptop');
    await button('Save').click();
    await card().getByText('Work laptop').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('cannot be registered twice on one device', async () => {
    await button('Add a passkey').click();
    await page.getByRole('dialog').getByLabel('Name').fill('Again');
    await button('Continue').click();
    // What was confirmed before the first passkey was added has ended with it.
    await confirmIt(page, { password: PASSWORD });
    await page.getByText('There is a passkey of this account on this device already').waitFor();
    expect(await device.credentials()).toHaveLength(1);
    await page.keyboard.press('Escape');
  });

  it('signs a user in without email address, password and code, and leads to the requested page', async () => {
    await page.goto('/dashboard/account');
    await button('Sign out').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto('/dashboard/account');
    await button('Sign in with a passkey').waitFor();
    await button('Sign in with a passkey').click();
    await card().getByText('last used').waitFor();
    await page.getByText(email).first().waitFor();
  });

  it('completes the step-up of a send, with the dialog above the unchanged page', async () => {
    const { id } = await shop.createPayment({ amount: '900', allowedCryptos: ['LTC'] });
    await till.api.must('POST', '/sandbox/payment/simulate', {
      token: shop.secretKey,
      body: { paymentId: id, scenario: 'exact', confirmations: 6 },
    });
    await eventually(
      'money to be spendable',
      () => shop.balance('LTC'),
      (balance) => balance !== '0',
    );
    const other = await Shop.open(till.api);
    await page.goto(`/dashboard/shop/${shop.merchantId}/wallet`);
    await button('Send LTC').click();
    await page.getByLabel('To address').fill(other.wallets.LTC);
    await page.getByLabel('Amount in LTC').fill('1.2');
    await button('Continue').click();
    await button('Send now').click();
    await stepUp().getByRole('button', { name: 'Use a passkey' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await device.verifies(false);
    await stepUp().getByRole('button', { name: 'Use a passkey' }).click();
    await stepUp().getByRole('alert').getByText('The browser gave no passkey').waitFor();
    expect(await other.balance('LTC')).toBe('0');
    await device.verifies(true);
    await stepUp().getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('1.2 LTC are on their way').waitFor();
    await button('Done').click();
  });

  it('can be removed with the password when it is the last one, and cannot sign in any more', async () => {
    await page.goto('/dashboard/account');
    await button('Remove Work laptop').click();
    const dialog = page.getByRole('dialog', { name: 'Remove the passkey?' });
    await dialog.getByLabel('Your password').fill('wrong wrong');
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.waitFor({ state: 'detached' });
    await card().getByText('Work laptop').waitFor({ state: 'detached' });
    await button('Sign out').click();
    // The device knows nothing of that.
    expect(await device.credentials()).toHaveLength(1);
    await button('Sign in with a passkey').click();
    await page.getByRole('alert').getByText('This passkey was not accepted').waitFor();
    await device.forget();
  });

  it('is not offered at another host than that of the public URL, and the account page explains why', async () => {
    const elsewhere = await browser.context({ viewport: PHONE, baseURL: byAddress });
    const there = await elsewhere.newPage();
    await there.goto('/dashboard/login');
    await there.getByRole('heading', { name: 'Sign in' }).waitFor();
    await there.getByLabel('Email').fill(email);
    await there.getByLabel('Password').fill(PASSWORD);
    await there.getByRole('button', { name: 'Sign in', exact: true }).click();
    await there.getByRole('button', { name: /^Menu/ }).waitFor();
    await there.goto('/dashboard/account');
    await there.getByText(`Passkeys work at ${origin} only`).waitFor();
    expect(await there.getByRole('button', { name: /passkey/i }).count()).toBe(0);
    await elsewhere.close();
  });
});

describe('the other tabs of a browser session', () => {
  let shop: Shop;
  let email = '';
  let context: BrowserContext;

  beforeEach(async () => {
    ({ shop, email } = await newOwner());
    context = await browser.context({ viewport: DESKTOP });
    await signInBrowser(context, origin, { email, password: PASSWORD });
  });

  it('stay signed in when a step-up in one tab replaces the session token', async () => {
    const [one, other] = [await context.newPage(), await context.newPage()];
    await other.goto(`/dashboard/shop/${shop.merchantId}/payments`);
    await other.getByRole('button', { name: 'New payment' }).waitFor();
    await one.goto(`/dashboard/shop/${shop.merchantId}/keys`);
    const [before] = await context.cookies(origin);
    await one.getByRole('button', { name: 'New restricted key' }).click();
    await one.getByLabel('Name').last().fill('Warehouse');
    await one.getByLabel('See balances').check();
    await one.getByRole('button', { name: 'Create key' }).click();
    // A request of the other tab is on its way with the token that ends.
    const [onItsWay, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let outcome = 0;
    await other.route(
      '**/merchant/list*',
      async (route) => {
        const headers = {
          ...(await route.request().allHeaders()),
          cookie: `${before?.name}=${before?.value}`,
        };
        onItsWay.resolve();
        await released.promise;
        const answer = await route.fetch({ headers });
        outcome = answer.status();
        await route.fulfill({ response: answer });
      },
      { times: 1 },
    );
    const loading = other.reload();
    await onItsWay.promise;
    await confirmIt(one, { password: PASSWORD });
    await one.getByText(/^rk_\w{43}$/).waitFor();
    released.resolve();
    await loading;
    await other.getByRole('button', { name: 'New payment' }).waitFor();
    expect(outcome).toBe(401);
    const [after] = await context.cookies(origin);
    expect(after?.value).not.toBe(before?.value);
    const copy = new SessionClient(till.api.baseUrl, `${before?.name}=${before?.value}`);
    expect((await copy.call('GET', '/auth/session')).status).toBe(401);
    await context.close();
    browser.takeComplaints();
  });
});
