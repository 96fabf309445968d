/** What forms of the dashboard say of wrong fields, and what is said once something was done. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { confirmIt, signInBrowser } from '../_helpers/web/dashboard.ts';

const PASSWORD = 'correct horse battery';
const LOOKS = [
  ['phone', PHONE, 'dark'],
  ['desktop', DESKTOP, 'light'],
] as const;

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let email = '';
let page: Page;

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '200ms' });
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  shop = await Shop.open(till.api, { settings: { name: 'Blue Door Books', currency: 'EUR' } });
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  email = user.email;
  await till.api.must('POST', '/merchant/product/create', { token: shop.token, body: { name: 'A book' } });
  page = await signedIn({ viewport: DESKTOP, locale: 'en-US' });
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function signedIn(options: Parameters<WebBrowser['page']>[0]): Promise<Page> {
  const made = await browser.page(options);
  await signInBrowser(made.context(), till.api.baseUrl, { email, password: PASSWORD });
  return made;
}

const open = async (name: string, on = page): Promise<void> => {
  await on.goto(`/dashboard/shop/${shop.merchantId}/${name}`);
  await on.getByRole('heading', { level: 1 }).waitFor();
};
const button = (name: string) => page.getByRole('button', { name, exact: true });
/** What is said after something was done. */
const note = (text: string, on = page) => on.getByRole('group').filter({ hasText: text });
const alerts = async (on = page): Promise<number> => on.getByRole('alert').count();

/** What is read out with a field, and whether the keyboard is on it. */
async function toldOf(on: Page, label: string): Promise<{ error: string; hasFocus: boolean }> {
  const field = on.getByLabel(label, { exact: true });
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const error = await on.locator(`[id="${ids.at(-1)}"]`).innerText();
  const hasFocus = await field.evaluate((element) => element === element.ownerDocument.activeElement);
  return { error, hasFocus };
}

describe('a dashboard form with invalid fields', () => {
  it.each([
    ['en-US', 'Email', 'Password', 'Create account', 'Please fill this in.', 'at least 8 characters'],
    [
      'de-DE',
      'E-Mail',
      'Passwort',
      'Konto anlegen',
      'Bitte füllen Sie dieses Feld aus.',
      'mindestens 8 Zeichen',
    ],
  ])('shows the error next to the field, in the language of the page (%s)', async (...texts) => {
    const [locale, mail, password, create, fill, short] = texts;
    const shown = await browser.page({ locale, viewport: PHONE });
    await shown.goto('/dashboard/register');
    await shown.getByRole('button', { name: create }).click();
    expect(await toldOf(shown, mail)).toEqual({ error: fill, hasFocus: true });
    expect(await toldOf(shown, password)).toEqual({ error: fill, hasFocus: false });
    await shown.getByLabel(mail).fill('nobody');
    // What is being mended is wrong no more, until the next try.
    expect(await shown.getByLabel(mail).getAttribute('aria-invalid')).toBe('false');
    await shown.getByLabel(password).fill('short');
    await shown.getByRole('button', { name: create }).click();
    expect((await toldOf(shown, mail)).error).toContain('@example.com');
    expect((await toldOf(shown, password)).error).toContain(short);
    expect(await alerts(shown)).toBe(0);
    await shown.context().close();
  });

  it('translates errors of the server into plain words, shows them once, and keeps the input', async () => {
    await open('payments');
    await button('New payment').click();
    await page.getByLabel('Amount').fill('12,50');
    await page.getByLabel('Currency', { exact: true }).fill('XXX');
    await page.getByLabel('Order id').fill('A-1');
    await button('Create payment').click();
    const words = 'This is not a currency. Enter its three letters, such as EUR.';
    await page.getByText(words).waitFor();
    expect(await page.getByText(words).count()).toBe(1);
    expect(await toldOf(page, 'Currency')).toEqual({ error: words, hasFocus: true });
    expect(await alerts()).toBe(0);
    expect(await page.getByText('ISO 4217').count()).toBe(0);
    expect(await page.getByLabel('Amount').inputValue()).toBe('12,50');
    expect(await page.getByLabel('Order id').inputValue()).toBe('A-1');
    browser.takeComplaints();
    await page.getByLabel('Amount').fill('a lot');
    await button('Create payment').click();
    expect(await toldOf(page, 'Amount')).toEqual({
      error: 'Please enter an amount such as 12.50.',
      hasFocus: true,
    });
  });

  it('shows errors that belong to no field in an alert', async () => {
    await open('customers');
    await button('New customer').click();
    await page.getByLabel('Email', { exact: true }).fill('reader@example.com');
    await page.route('**/merchant/customer/create?*', async (route) => route.abort());
    await button('Save').click();
    await page.getByRole('alert').getByText('The server does not answer').waitFor();
    browser.takeComplaints();
    await page.unroute('**/merchant/customer/create?*');
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('reader@example.com');
    await page.getByLabel('Metadata').fill('gold');
    await button('Save').click();
    expect(await toldOf(page, 'Metadata (optional)')).toEqual({
      error: 'Please enter a JSON object.',
      hasFocus: true,
    });
  });

  it('accepts a domain that was pasted as a URL', async () => {
    await page.goto('/dashboard/shops');
    await button('New shop').click();
    await page.getByLabel('Name').fill('Second shop');
    await page.getByLabel('Domain').fill('nonsense');
    await button('Create shop').click();
    await confirmIt(page, { password: PASSWORD });
    await page.getByText('Please enter the name of your site').waitFor();
    browser.takeComplaints();
    expect(await page.getByLabel('Name').inputValue()).toBe('Second shop');
    await page.getByLabel('Domain').fill('  https://Second.Example.com/start?x=1 ');
    await button('Create shop').click();
    const dialog = page.getByRole('dialog', { name: 'Your shop is ready' });
    const link = dialog.getByRole('link', { name: 'Go to the shop' });
    const box = await link.boundingBox();
    // A button, not a bar.
    expect(box?.width).toBeLessThan(200);
    await link.click();
    await page.getByText('second.example.com', { exact: true }).waitFor();
  });
});

describe('the toast after an action', () => {
  it('appears after actions without a visible result, for a while, and longer while the user touches it', async () => {
    await page.clock.install();
    await open('products');
    await button('Add price').click();
    await page.getByLabel('Amount').fill('12.50');
    await page.getByRole('dialog').getByRole('button', { name: 'Add price' }).click();
    await note('Price added').waitFor();
    expect(await page.getByRole('region', { name: 'Notes' }).getAttribute('aria-live')).toBe('polite');
    expect(await axeFindings(page)).toEqual([]);
    await note('Price added').hover();
    await page.clock.runFor(20_000);
    expect(await note('Price added').count()).toBe(1);
    await page.keyboard.press('F6');
    await page.keyboard.press('Tab');
    await page.mouse.move(5, 5);
    await page.clock.runFor(20_000);
    expect(await note('Price added').count()).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.clock.runFor(1_000);
    await note('Price added').waitFor({ state: 'detached' });
  });

  it('appears after the confirmed deletion of a price, and disappears automatically', async () => {
    await open('products');
    await button('Delete price €12.50').click();
    const dialog = page.getByRole('dialog', { name: 'Delete price' });
    await dialog.getByText('A book').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.waitFor({ state: 'detached' });
    await button('Delete price €12.50').click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    const deleted = note('Price deleted');
    await deleted.waitFor();
    await page.getByText('No price yet').waitFor();
    await page.clock.runFor(7_000);
    await deleted.waitFor({ state: 'detached' });
  });

  it.each(LOOKS)('does not cover the buttons on a %s', async (name, viewport, colorScheme) => {
    const shown = await signedIn({ viewport, colorScheme, locale: 'en-US', reducedMotion: 'reduce' });
    await open('products', shown);
    await shown.getByRole('button', { name: 'Edit', exact: true }).first().click();
    await shown.getByLabel('Description (optional)').fill(`Seen on a ${name}`);
    await shown.getByRole('button', { name: 'Save' }).click();
    const saved = note('Product saved', shown);
    await saved.waitFor();
    const look = 'getComputedStyle(document.querySelector(".toast")).transitionProperty';
    expect(await shown.evaluate(look)).toBe('none');
    await shown.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    const above = (await saved.boundingBox())?.y ?? 0;
    for (const one of await shown.locator('main').getByRole('button').all()) {
      const box = await one.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(above);
    }
    expect(await axeFindings(shown)).toEqual([]);
    await shown.context().close();
  });
});

describe('a first-visit hint in the dashboard', () => {
  it('is not shown again after it was shown once', async () => {
    await open('settings');
    const show = button('Show what to publish');
    const color = async (): Promise<string> =>
      show.evaluate(
        (element) => element.ownerDocument.defaultView?.getComputedStyle(element).backgroundColor ?? '',
      );
    const first = await color();
    await show.click();
    await page.getByText('Name of the TXT record').waitFor();
    await page.mouse.move(5, 5);
    await expect.poll(color).not.toBe(first);
  });
});

describe('times in the dashboard', () => {
  it('are relative, with date and zone in a tooltip, and with seconds in dense lists', async () => {
    await till.api.must('PATCH', '/merchant/edit', {
      token: shop.token,
      body: { merchantId: shop.merchantId, timeZone: 'Pacific/Kiritimati' },
    });
    const { id } = await shop.createPayment({ orderId: 'Lamp-12', amount: '10', currency: 'EUR' });
    // At once: seconds are shown where two events share a minute.
    await till.api.must('POST', '/payment/cancel', {
      token: shop.secretKey,
      body: { paymentId: id },
    });
    const payment = await till.api.must<{ createdAt: string }>('GET', `/payment/get?paymentId=${id}`, {
      token: shop.secretKey,
    });
    const german = await signedIn({ viewport: DESKTOP, locale: 'de-DE' });
    const made = new Date(payment.createdAt).getTime();
    await german.clock.setFixedTime(made + 3 * 60_000 + 30_000);
    await open('payments', german);
    const time = german.locator('td time:visible').first();
    await time.waitFor();
    expect(await time.innerText()).toBe('vor 3 Minuten');
    const { title, written } = await time.evaluate((element) => ({
      title: element.getAttribute('title') ?? '',
      written: element.getAttribute('datetime') ?? '',
    }));
    expect(Date.parse(written)).toBe(made);
    // The shop's zone, not the reader's.
    expect(title).toMatch(/14|Line/);
    await open(`payments/${id}`, german);
    const events = german.locator('li time');
    await expect.poll(() => events.count()).toBe(2);
    for (const text of await events.allInnerTexts()) expect(text).toMatch(/\d\d:\d\d:\d\d/);
    await german.context().close();
  });
});

describe('the files of the dashboard', () => {
  it('are loaded only for the selected language and the first page, and are cached immutably', async () => {
    const shown = await browser.page({ locale: 'fr-FR' });
    const files: string[] = [];
    const kept: Promise<string | undefined>[] = [];
    shown.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.startsWith('/assets/')) return;
      files.push(pathname);
      kept.push(response.headerValue('cache-control').then((value) => value ?? undefined));
    });
    await shown.goto('/dashboard/login');
    await shown.getByRole('heading', { name: 'Se connecter' }).waitFor();
    expect(files.filter((file) => /\/(de|es|fr|pt)-/.test(file)).map((file) => file.slice(8, 10))).toEqual([
      'fr',
    ]);
    expect(files.filter((file) => /\/(wallet|settings|payment)-/.test(file))).toEqual([]);
    for (const value of await Promise.all(kept)) expect(value).toBe('public, max-age=31536000, immutable');
    // The others follow, so that they are there at once.
    await expect.poll(() => files.some((file) => /\/settings-/.test(file))).toBe(true);
    await shown.context().close();
  });

  it('leave the menu and a retry button when they fail to load', async () => {
    const shown = await signedIn({ viewport: DESKTOP });
    await shown.route('**/assets/nodes-*.js', async (route) => route.abort());
    await shown.goto('/dashboard/nodes');
    await shown.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
    await shown.getByRole('link', { name: 'Account' }).waitFor();
    expect(await axeFindings(shown)).toEqual([]);
    await shown.unroute('**/assets/nodes-*.js');
    await shown.getByRole('button', { name: 'Load again' }).click();
    await shown.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    // The browser reports each attempt to load the file, the preloading one at any time.
    const isExpected = /net::ERR_FAILED|Failed to fetch dynamically imported module/;
    const others = browser.takeComplaints().filter((complaint) => !isExpected.test(complaint));
    expect(others).toEqual([]);
    await shown.context().close();
  });

  it('show no text of another language while the selected one is loading', async () => {
    const shown = await browser.page({ locale: 'de-DE' });
    const held = Promise.withResolvers<void>();
    await shown.route('**/assets/de-*.js', async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked = shown.waitForRequest('**/assets/de-*.js');
    await shown.goto('/dashboard/login', { waitUntil: 'commit' });
    await asked;
    expect(await shown.locator('#root').innerText()).toBe('');
    held.resolve();
    await shown.getByRole('heading', { name: 'Anmelden' }).waitFor();
    await shown.context().close();
  });
});
