import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { confirmIt, signInBrowser } from '../_helpers/web/dashboard.ts';
import { CheckoutWorld } from '../_helpers/web/checkout-world.ts';

const PAYER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';
const DAY_MS = 24 * 3_600_000;
const LANGUAGES = {
  en: 'Refund of',
  de: 'Rückzahlung',
  es: 'Reembolso',
  fr: 'Remboursement',
  pt: 'Reembolso',
};

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
  // Pays the fees.
  await paid();
});
afterAll(async () => {
  await browser?.stop();
  await world?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function ask<T>(path: string, body: object): Promise<T> {
  return world.till.api.must<T>('POST', path, { token: world.shop.secretKey, body });
}

async function paid(): Promise<string> {
  const { id } = await world.pay();
  await world.simulate(id, 'exact', { coin: 'LTC', confirmations: 6 });
  return id;
}

interface Link {
  readonly id: string;
  readonly paymentId: string;
  readonly path: string;
}

async function newLink(fields: object = {}, paymentId?: string): Promise<Link> {
  const body = {
    paymentId: paymentId ?? (await paid()),
    preset: 'all',
    reason: 'The book is out of print',
    ...fields,
  };
  const { id, url } = await ask<{ id: string; url: string }>('/payment/refund-link', body);
  return { id, paymentId: body.paymentId, path: new URL(url).pathname };
}

const button = (page: Page, name: string) => page.getByRole('button', { name });
const heading = (page: Page, name: string) => page.getByRole('heading', { name });

async function claim(page: Page, { path }: Link): Promise<void> {
  await page.goto(path);
  await page.getByLabel('Your address').fill(PAYER);
  await button(page, 'Continue').click();
  await button(page, 'Yes,').click();
}

async function look(page: Page, name: string): Promise<void> {
  expect([name, await axeFindings(page)]).toEqual([name, []]);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect(overflow).toBeLessThanOrEqual(0);
}

describe.each([
  ['phone', PHONE, true],
  ['desktop', DESKTOP, true],
  ['phone without script', PHONE, false],
] as const)('the refund page on a %s', (device, viewport, javaScriptEnabled) => {
  const name = device.replaceAll(' ', '-');

  it('accepts an address, reports an invalid one, asks for confirmation, and shows the sent amount', async () => {
    const page = await browser.page({ viewport, javaScriptEnabled });
    const see = async (what: string) => (javaScriptEnabled ? look(page, `${what}-${name}`) : undefined);
    const link = await newLink();
    await page.goto(link.path);
    await heading(page, 'Refund of').waitFor();
    expect(await page.getByText('The book is out of print').count()).toBe(1);
    await see('open');
    await page.getByLabel('Your address').fill('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4');
    await button(page, 'Continue').click();
    await page.getByText('This address is for Bitcoin.').waitFor();
    expect(await page.getByLabel('Your address').inputValue()).toContain('bc1q');
    await see('mistake');
    await page.getByLabel('Your address').fill(` ${PAYER} `);
    await button(page, 'Continue').click();
    await heading(page, 'Is this right?').waitFor();
    expect(await page.getByText(PAYER).count()).toBe(1);
    await see('confirm');
    await button(page, 'Change').click();
    expect(await page.getByLabel('Your address').inputValue()).toBe(PAYER);
    await button(page, 'Continue').click();
    await button(page, 'Yes, send it there').click();
    await heading(page, 'The refund was sent').waitFor();
    expect(new URL(page.url()).pathname).toBe(link.path);
    await see('paid');
    await page.reload();
    await heading(page, 'The refund was sent').waitFor();
    const { refunds } = (await world.shop.payment(link.paymentId)) as unknown as { refunds: unknown[] };
    expect(refunds).toHaveLength(1);
    await page.context().close();
  });
});

describe('the refund page when nothing can be claimed', () => {
  it.each([
    ['claimed', 'Claimed: the shop is checking it', { approval: true }],
    ['cancelled', 'The shop has withdrawn this refund', {}],
    ['gone', 'This money was refunded another way', {}],
    ['expired', 'This refund link has expired', { expiresInDays: 1 }],
  ] as const)('explains the state to the payer: %s', async (state, title, fields) => {
    const page = await browser.page({ viewport: PHONE });
    const link = await newLink(fields);
    if (state === 'claimed') await claim(page, link);
    if (state === 'cancelled') await ask('/payment/refund-link/cancel', { linkId: link.id });
    if (state === 'gone') await world.refund(link.paymentId);
    if (state === 'expired') world.till.clock.advance(2 * DAY_MS);
    await page.goto(link.path);
    await heading(page, title).waitFor();
    expect(await button(page, 'Continue').count()).toBe(0);
    await look(page, state);
    await page.context().close();
  });

  it('explains to the loser of two concurrent claims that the other was accepted', async () => {
    const link = await newLink({ approval: true });
    const [first, second] = await Promise.all([
      browser.page({ viewport: PHONE }),
      browser.page({ viewport: PHONE }),
    ]);
    await second.goto(link.path);
    await claim(first, link);
    await heading(first, 'Claimed: the shop is checking it').waitFor();
    await second.getByLabel('Your address').fill('tltc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqjyjly');
    await button(second, 'Continue').click();
    await second.getByText('Your claim was not accepted').waitFor();
    await look(second, 'taken');
    await first.context().close();
    await second.context().close();
  });
});

it('the refund page is available in every language, in light and dark mode', async () => {
  const link = await newLink({ deductFee: true, approval: true });
  for (const [language, title] of Object.entries(LANGUAGES)) {
    const colorScheme = language === 'en' ? 'dark' : 'light';
    const page = await browser.page({ viewport: PHONE, locale: language, colorScheme });
    await page.goto(link.path);
    await heading(page, title).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    await look(page, `open-${language}`);
    await page.context().close();
  }
});

describe('refund links in the dashboard', () => {
  it('can be created by the owner, show when they are claimed, and can be approved and cancelled', async () => {
    const { shop, till } = world;
    const page = await browser.page({ viewport: DESKTOP });
    await page.clock.setSystemTime(till.clock.now());
    const paymentId = await paid();
    await page.goto(`/dashboard/shop/${shop.merchantId}/payments/${paymentId}`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('correct horse battery');
    await button(page, 'Sign in').click();
    const links = page.getByRole('list', { name: 'Refund links' });
    for (const amount of ['10', '5']) {
      await button(page, 'Refund by link').click();
      await page.getByLabel('Give back').selectOption('An amount');
      await page.getByLabel(/^Amount in EUR/).fill(amount);
      await page.getByLabel('Ask me before sending').check();
      await button(page, 'Create link').click();
      // Asked once: the proof holds for both.
      if (amount === '10') await confirmIt(page, { password: 'correct horse battery' });
      await links.getByText(`€${amount}.00`).waitFor();
    }
    const first = links.getByRole('listitem').filter({ hasText: '€10.00' });
    const second = links.getByRole('listitem').filter({ hasText: '€5.00' });
    expect(await first.getByRole('button', { name: 'Copy refund link' }).count()).toBe(1);
    const { pathname } = new URL(await first.locator('code').first().innerText());
    expect(await axeFindings(page)).toEqual([]);
    const payer = await browser.page({ viewport: PHONE });
    await claim(payer, { id: '', paymentId, path: pathname });
    await heading(payer, 'Claimed: the shop is checking it').waitFor();
    await first.getByRole('button', { name: 'Approve and send' }).click();
    await first.getByText('Paid', { exact: true }).waitFor();
    await second.getByRole('button', { name: 'Cancel link' }).click();
    await second.getByText('Cancelled', { exact: true }).waitFor();
    await look(page, 'dashboard');
    await payer.getByRole('link', { name: 'Check again' }).click();
    await heading(payer, 'The refund was sent').waitFor();
    await payer.context().close();
    await page.context().close();
  });

  it('that need no approval appear in an open browser only after a step-up', async () => {
    const { shop, till } = world;
    const page = await browser.page({ viewport: DESKTOP });
    await page.clock.setSystemTime(till.clock.now());
    const paymentId = await paid();
    const { url } = await till.api.must<{ url: string }>('POST', '/payment/refund-link', {
      token: shop.secretKey,
      body: { paymentId, amount: '3', currency: 'EUR' },
    });
    await signInBrowser(page.context(), till.api.baseUrl, { email, password: 'correct horse battery' });
    await page.goto(`/dashboard/shop/${shop.merchantId}/payments/${paymentId}`);
    await button(page, 'Show the link').click();
    expect(await page.getByRole('button', { name: 'Copy refund link' }).count()).toBe(0);
    await confirmIt(page, { password: 'correct horse battery' });
    await page.getByText(url).waitFor();
    expect(await page.getByRole('button', { name: 'Show the link' }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    browser.takeComplaints();
    await page.context().close();
  });
});
