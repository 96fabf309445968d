import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { eventually } from '../_helpers/poll.ts';
import { Till } from '../_helpers/till.ts';
import { PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser, visit } from '../_helpers/web/dashboard.ts';

const DESKTOP = { width: 1440, height: 900 };

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let page: Page;
let email = '';
let path = '';
let paid = '';

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '200ms' });
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  shop = await Shop.open(till.api, { settings: { currency: 'EUR', timeZone: 'Pacific/Auckland' } });
  path = `/dashboard/shop/${shop.merchantId}`;
  await shop.createPayment({ orderId: 'Shelf-731', amount: '731.50', currency: 'EUR' });
  ({ id: paid } = await shop.createPayment({ orderId: 'Lamp-12', amount: '12.50', currency: 'EUR' }));
  await till.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: paid, scenario: 'exact', coin: 'SOL' },
  });
  await eventually(
    'the money is there',
    () => shop.balance('SOL'),
    (balance) => balance !== '0',
  );
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  ({ email } = user);
  page = await signedIn({ viewport: DESKTOP, locale: 'de-DE' });
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

async function signedIn(options: Parameters<WebBrowser['page']>[0]): Promise<Page> {
  const one = await browser.page(options);
  await signInBrowser(one.context(), till.api.baseUrl, { email, password: 'correct horse battery' });
  return one;
}

const orders = async () =>
  page.getByRole('region', { name: 'Zahlungen' }).locator('tbody tr a').allInnerTexts();

it('the payment search finds an amount in local notation, and a part of an order id or an address', async () => {
  await visit(page, `${path}/payments`);
  await page.getByRole('link', { name: 'Shelf-731' }).waitFor();
  for (const [text, order] of [
    ['731,5', 'Shelf-731'],
    ['12,50 €', 'Lamp-12'],
    ['ELF-7', 'Shelf-731'],
  ] as const) {
    await page.getByLabel('Suche').fill(text);
    await page.getByText('Eine Zahlung passt').waitFor();
    await expect.poll(orders, { message: text }).toEqual([order]);
    await page.getByLabel('Suche').fill('');
    await page.getByText('Eine Zahlung passt').waitFor({ state: 'detached' });
  }
  expect(await page.getByText('In Pacific/Auckland').count()).toBe(2);
});

it('the wallet page shows the value of the wallet in the currency of the shop', async () => {
  for (const at of [path, `${path}/wallet`]) {
    await visit(page, at);
    const total = page.getByText(/^Insgesamt/);
    await total.waitFor();
    // What came at the price of 12.50, at the price of now: rates of the sandbox stand still.
    expect((await total.innerText()).replaceAll(/\s/g, ' ')).toMatch(/^Insgesamt: 12,[45]\d €$/);
    const balance = await shop.balance('SOL');
    const exact = page.getByTitle(balance.replace('.', ','), { exact: true });
    expect((await exact.innerText()).replace(/\D/g, '').replace(/^0+/, '').length).toBeLessThanOrEqual(8);
  }
});

/** A day of the shop. */
const day = (ms: number) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Auckland', dateStyle: 'short' }).format(ms);

it('the wallet history can be searched, limited to days of the shop, and exported with its filters', async () => {
  const rows = page.getByRole('region', { name: 'Verlauf' }).locator('tbody tr');
  await visit(page, `${path}/wallet`);
  await rows.first().waitFor();
  // Sandbox rates stand still: what came for 12.50 was worth that.
  expect((await rows.first().innerText()).replaceAll(/\s/g, ' ')).toMatch(/12,(50|49) €/);
  expect(await page.getByText('In Pacific/Auckland').count()).toBe(2);
  await page.getByLabel('Suche').fill('Lamp-12');
  await page.getByText('Ein Eintrag passt').waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV exportieren' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('wallet-history.csv');
  const [head = '', ...lines] = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(head).toBe(
    '\uFEFFid,createdAt,direction,status,coin,amount,fee,currency,rate,fiatAmount,txHash,address,paymentId,error',
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`,${paid},`);
  await page.getByLabel('Suche').fill('Shelf-731');
  await page.getByText('Nichts passt').waitFor();
  await page.getByRole('button', { name: 'Filter löschen' }).click();
  await rows.first().waitFor();
  await page.getByLabel('Von').fill(day(Date.now() + 86_400_000));
  await page.getByText('Nichts passt').waitFor();
  await page.getByLabel('Von').fill(day(Date.now()));
  await page.getByLabel('Bis').fill(day(Date.now()));
  await page.getByText('Ein Eintrag passt').waitFor();
});

const card = (title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

it('the books page downloads the month report of the shop, and the accounting export of a range of days', async () => {
  await visit(page, `${path}/books`);
  const month = card('Monatsabschluss');
  await month.getByText('Pacific/Auckland').waitFor();
  const now = day(Date.now()).slice(0, 7);
  await month.getByLabel('Monat').selectOption({ index: 0 });
  const [pdf] = await Promise.all([
    page.waitForEvent('download'),
    month.getByRole('button', { name: 'Herunterladen' }).click(),
  ]);
  expect(pdf.suggestedFilename()).toBe(`month-${now}.pdf`);
  expect(readFileSync(await pdf.path(), 'latin1').slice(0, 5)).toBe('%PDF-');
  await month.getByLabel('Format').selectOption('csv');
  const [figures] = await Promise.all([
    page.waitForEvent('download'),
    month.getByRole('button', { name: 'Herunterladen' }).click(),
  ]);
  expect(figures.suggestedFilename()).toBe(`month-${now}.csv`);
  const balance = await shop.balance('SOL');
  expect(readFileSync(await figures.path(), 'utf8').split('\r\n')).toContain(
    `balance,closing,SOL,,,${balance},,,,,,,,`,
  );
  const movements = card('Bewegungen');
  const [lines] = await Promise.all([
    page.waitForEvent('download'),
    movements.getByRole('button', { name: 'Herunterladen' }).click(),
  ]);
  expect(lines.suggestedFilename()).toMatch(/^movements-.*\.csv$/);
  await page.getByRole('link', { name: 'Buchhaltung' }).waitFor();
});

it('the longest amounts fit into the cards and the wallet history on a phone', async () => {
  const phone = await signedIn({ viewport: PHONE });
  const balances = {
    BTC: '20999999.9769',
    ETH: '1234567.123456789012345678',
    LTC: '83999999.99999999',
    SOL: '598765432.123456789',
  };
  await phone.route('**/merchant/wallet/balances?**', (route) =>
    route.fulfill({ json: { success: true, error: null, data: balances } }),
  );
  await phone.route('**/merchant/wallet/transactions?**', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { data: { transactions: object[] } };
    const long = { coin: 'ETH', direction: 'out', amount: balances.ETH, fee: '0.000123456789012345' };
    body.data.transactions = body.data.transactions.map((one) => ({ ...one, ...long }));
    await route.fulfill({ response: answer, json: body });
  });
  for (const at of [path, `${path}/wallet`]) {
    await visit(phone, at);
    const exact = phone.getByTitle('1,234,567.123456789012345678', { exact: true });
    await exact.waitFor();
    // One line of the card, eight digits: the rest is in the title.
    expect((await exact.boundingBox())?.height).toBeLessThan(40);
    expect(await phone.getByTitle('598,765,432.123456789', { exact: true }).innerText()).toBe('598,765,432');
    if (at !== path) await phone.getByText('−1,234,567.123456789012345678').waitFor();
    expect(await phone.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
  }
  await phone.close();
});

it('the wallet page shows a message when no rate is available', async () => {
  await page.route('**/rates?**', (route) =>
    route.fulfill({
      json: {
        success: true,
        data: { rates: { BTC: { rate: '1', sources: ['x'], at: '2026-01-01T00:00:00.000Z' } } },
      },
    }),
  );
  await visit(page, `${path}/wallet`);
  await page.getByText('Der Wert ist nicht bekannt: Es gibt gerade keinen Kurs in EUR.').waitFor();
  expect(await page.getByText('kein Kurs bekannt').count()).toBe(1);
  await page.unroute('**/rates?**');
});

it('the dashboard requests no daily data before it knows the time zone of the shop', async () => {
  const zones = new Set<string | null>();
  const reads = (request: { url: () => string }): void => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/merchant/volume') zones.add(searchParams.get('timezone'));
  };
  page.on('request', reads);
  const isHere = page.waitForResponse('**/merchant/volume?**');
  await visit(page, path);
  await isHere;
  await page.getByRole('link', { name: /^Zahlungen: .*12,50/ }).waitFor();
  page.off('request', reads);
  expect([...zones]).toEqual(['Pacific/Auckland']);
});

it('the bars of the volume chart can be used by keyboard and link to their payments', async () => {
  await visit(page, path);
  const bar = page.getByRole('link', { name: /^Zahlungen: .*12,50/ });
  await bar.focus();
  // A page that moves below a mouse at rest does not take the keyboard's bar away.
  await page
    .getByRole('link', { name: /^Zahlungen: / })
    .first()
    .dispatchEvent('mouseover');
  await page
    .locator('figure')
    .getByText(/SOL 12,50/)
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  // The overview lists payments too, as does the page of payments before its filter is answered.
  await page.waitForURL('**/payments?*status=completed*');
  await expect.poll(orders).toEqual(['Lamp-12']);
  await visit(page, `${path}?days=own&from=2026-02-01&until=2026-02-03`);
  await page.getByText('Noch keine Zahlungen').waitFor();
  expect(await page.getByLabel('Von').inputValue()).toBe('2026-02-01');
  await visit(page, `${path}?days=365`);
  const bars = page.getByRole('link', { name: /^Zahlungen: / });
  await bars.first().waitFor();
  expect(await bars.count()).toBeLessThanOrEqual(13);
  const phone = await signedIn({ viewport: PHONE, colorScheme: 'dark' });
  await visit(phone, `${path}?days=90`);
  await phone
    .getByRole('link', { name: /^Payments of/ })
    .first()
    .waitFor();
  await phone.close();
});

it('the payment page shows the email address of its customer', async () => {
  await visit(page, `${path}/payments/${paid}`);
  const link = page.getByRole('link', { name: /^buyer-/ });
  expect(await link.getAttribute('href')).toMatch(/^mailto:buyer-[0-9a-f]+@example\.com$/);
});

it('the timeline of a payment shows seconds, and the time zone in a tooltip', async () => {
  await visit(page, `${path}/payments/${paid}`);
  const times = page.locator('ol time');
  await times.first().waitFor();
  expect(await times.count()).toBeGreaterThan(1);
  for (const time of await times.all()) {
    const second = (await time.getAttribute('datetime'))!.slice(17, 19);
    expect(await time.textContent()).toMatch(new RegExp(`:\\d\\d:${second}`));
    expect(await time.getAttribute('title')).toMatch(new RegExp(`:\\d\\d:${second} .*[A-Z]`));
  }
});

it('the settings page changes currency and time zone of the shop', async () => {
  await visit(page, `${path}/settings`);
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await field('Währung').fill('usd');
  await field('Zeitzone').fill('Mars/Olympus');
  await page.getByRole('button', { name: 'Speichern', exact: true }).first().click();
  await page.getByText('Bitte wählen Sie eine Zeitzone aus der Liste').first().waitFor();
  await field('Zeitzone').fill('');
  await page.getByRole('button', { name: 'Speichern', exact: true }).first().click();
  await page.getByText('Gespeichert').waitFor();
  await visit(page, path);
  await page.getByText(/^Insgesamt: .*\$$/).waitFor();
});
