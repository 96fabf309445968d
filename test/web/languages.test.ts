/** The dashboard in each of its languages. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { readLocale } from '../_helpers/locales.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';

const PASSWORD = 'correct horse battery';
const SHOP_PAGES = [
  '',
  'payments',
  'wallet',
  'customers',
  'products',
  'links',
  'webhooks',
  'keys',
  'settings',
  'people',
  'audit',
];

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let email = '';
let addresses: string[] = [];

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '200ms' });
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  shop = await Shop.open(till.api, { settings: { name: 'Blue Door Books', currency: 'EUR' } });
  const { id } = await shop.createPayment({ orderId: 'Lamp-12', amount: '1250.75', currency: 'EUR' });
  ({
    user: { email },
  } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token }));
  const root = `/dashboard/shop/${shop.merchantId}`;
  addresses = [
    '/dashboard/shops',
    '/dashboard/nodes',
    '/dashboard/account',
    ...SHOP_PAGES.map((name) => (name === '' ? root : `${root}/${name}`)),
    `${root}/payments/${id}`,
  ];
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function signedIn(options: Parameters<WebBrowser['page']>[0]): Promise<Page> {
  const page = await browser.page(options);
  await signInBrowser(page.context(), till.api.baseUrl, { email, password: PASSWORD });
  return page;
}

const WIDE = { width: 1440, height: 900 };
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Runs in the page: every text of it that is seen or read out. */
const TEXTS = `(() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) texts.push(walker.currentNode.textContent);
  for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
    for (const name of ['aria-label', 'placeholder', 'title']) texts.push(element.getAttribute(name) ?? '');
  }
  return texts.map((text) => text.trim()).filter((text) => text !== '');
})()`;

describe.each([
  ['de-DE', readLocale('dashboard', 'de'), '1.250,75 €'],
  ['es-ES', readLocale('dashboard', 'es'), '1250,75 €'],
  ['fr-FR', readLocale('dashboard', 'fr'), '1 250,75 €'],
  ['it-IT', readLocale('dashboard', 'it'), '1250,75 €'],
  ['nl-NL', readLocale('dashboard', 'nl'), '€ 1.250,75'],
  ['pl-PL', readLocale('dashboard', 'pl'), '1250,75 €'],
  ['pt-BR', readLocale('dashboard', 'pt'), '€ 1.250,75'],
  ['ar-EG', readLocale('dashboard', 'ar'), '1,250.75 €'],
])('the dashboard in a browser set to %s', (locale, catalogue, amount) => {
  const translated = new Set(Object.values(catalogue));
  const isEnglish = (text: string): boolean =>
    catalogue[text] !== undefined && catalogue[text] !== text && !translated.has(text);

  it('is in that language on every page, without an English word, and every page fits a phone', async () => {
    const page = await signedIn({ locale, viewport: WIDE });
    for (const address of addresses) {
      await visit(page, address);
      // In both sizes, in the one first that the page before was left in.
      const sizes = page.viewportSize()?.width === PHONE.width ? [PHONE, WIDE] : [WIDE, PHONE];
      for (const size of sizes) {
        await page.setViewportSize(size);
        const texts = await page.evaluate<string[]>(TEXTS);
        expect([address, texts.filter(isEnglish)]).toEqual([address, []]);
        expect([address, texts.some((text) => translated.has(text))]).toEqual([address, true]);
        await expect.poll(() => page.evaluate(OVERFLOW), { message: address }).toBe(0);
      }
    }
    expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
    // The last one is of a payment: its amount is written as people write it here.
    expect((await page.locator('main').innerText()).replaceAll(/\s/g, ' ')).toContain(amount);
  });

  it("explains an error of the server, and marks the server's own text as English", async () => {
    const page = await browser.page({ locale });
    await page.goto('/dashboard/login');
    await page.locator('input[name="email"]').fill(email);
    await page.locator('input[name="password"]').fill('wrong and long enough');
    await page.locator('button[type="submit"]').click();
    const alert = page.getByRole('alert');
    await alert.getByText(catalogue['Email, password or code is wrong.'] ?? '').waitFor();
    expect(await alert.locator('[lang="en"]').count()).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe('the dashboard in Arabic', () => {
  const NARROW = { width: 360, height: 780 };
  /** Runs in the page: which way codes are written, such as an address to copy. */
  const CODES = `[...new Set([...document.querySelectorAll('main code')].map((one) => getComputedStyle(one).direction))]`;

  it('is laid out from right to left on every page, fits a narrow phone and is accessible', async () => {
    const page = await signedIn({ locale: 'ar-EG', viewport: NARROW });
    for (const address of addresses) {
      await visit(page, address);
      const html = page.locator('html');
      expect([address, await html.getAttribute('dir'), await html.getAttribute('lang')]).toEqual([
        address,
        'rtl',
        'ar',
      ]);
      await expect.poll(() => page.evaluate(OVERFLOW), { message: address }).toBe(0);
      expect([address, await axeFindings(page)]).toEqual([address, []]);
    }
    // The last one is of a payment, with its id.
    expect(await page.evaluate(CODES)).toEqual(['ltr']);
  });

  it('begins at the right edge, and opens its menu within a narrow phone', async () => {
    const page = await signedIn({ locale: 'ar-EG', viewport: NARROW });
    await visit(page, '/dashboard/account');
    const logo = await page.locator('header img').boundingBox();
    expect(logo?.x).toBeGreaterThan(NARROW.width / 2);
    await page.locator('button[aria-controls="menu"]').click();
    const entry = page.locator('#menu a[aria-current="page"]');
    await entry.waitFor();
    const box = await entry.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(NARROW.width);
    expect(await page.evaluate(OVERFLOW)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe('the language of the dashboard', () => {
  it('can be selected before sign-in, and stays selected', async () => {
    const page = await browser.page({ locale: 'en-US' });
    await page.goto('/dashboard/login');
    await page.getByLabel('Language').selectOption('fr');
    await page.getByRole('heading', { name: 'Se connecter' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Se connecter' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('fr');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByLabel('Langue').selectOption('en');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('can be selected on the account page as well', async () => {
    const page = await signedIn({ locale: 'en-US' });
    await visit(page, '/dashboard/account');
    await page.getByLabel('Language').selectOption('es');
    await page.getByRole('heading', { name: 'Cuenta', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Nodos' }).click();
    await page.getByRole('heading', { name: 'Nodos', level: 1 }).waitFor();
  });

  it('is used for emails, until another language is selected for emails', async () => {
    const mails = async (): Promise<string | null> => {
      const at = `/merchant/notices?merchantId=${shop.merchantId}`;
      const { notices } = await till.api.must<{ notices: { language: string | null } }>('GET', at, {
        token: shop.token,
      });
      return notices.language;
    };
    const page = await signedIn({ locale: 'en-US' });
    await visit(page, '/dashboard/account');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('heading', { name: 'Konto', level: 1 }).waitFor();
    expect(await mails()).toBe('de');
    await visit(page, `/dashboard/shop/${shop.merchantId}/mails`);
    const choice = page.getByLabel('Sprache Ihrer E-Mails, von allen Shops');
    expect(await choice.inputValue()).toBe('de');
    await choice.selectOption('fr');
    await page.getByText('Gespeichert', { exact: true }).waitFor();
    expect(await mails()).toBe('fr');
    expect(await axeFindings(page)).toEqual([]);
    await visit(page, '/dashboard/account');
    await page.getByLabel('Sprache', { exact: true }).selectOption('pt');
    await page.getByRole('heading', { name: 'Conta', level: 1 }).waitFor();
    expect(await mails()).toBe('fr');
  });

  it('is stored as the language of emails on the first visit', async () => {
    const other = await Shop.open(till.api);
    const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', {
      token: other.token,
    });
    const page = await browser.page({ locale: 'es-ES' });
    await signInBrowser(page.context(), till.api.baseUrl, { email: user.email, password: PASSWORD });
    await visit(page, '/dashboard/nodes');
    const { notices } = await till.api.must<{ notices: object }>(
      'GET',
      `/merchant/notices?merchantId=${other.merchantId}`,
      { token: other.token },
    );
    expect(notices).toMatchObject({ language: 'es' });
  });

  it('is English when there is no translation for the language of the browser', async () => {
    const page = await browser.page({ locale: 'ja-JP' });
    await page.goto('/dashboard/login');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  });
});
