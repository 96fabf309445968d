import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../_helpers/api-client.ts';
import { eventually } from '../_helpers/poll.ts';
import { liveEnv, Till } from '../_helpers/till.ts';
import { axeFindings, PHONE, WebBrowser, DESKTOP } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';

let till: Till;
let browser: WebBrowser;
let shop: Shop;

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '1500ms' });
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  shop = await Shop.open(till.api);
});

afterAll(async () => {
  await browser?.stop();
  await till?.end();
});

afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

/** Addresses of the shop that exist, so that going there is no error. */
const thanks = (): string => `${till.api.baseUrl}/healthz?thanks`;
const cart = (): string => `${till.api.baseUrl}/healthz?cart`;

async function payment(fields: Record<string, unknown> = {}): Promise<PaymentJson> {
  return shop.createPayment({ amount: '49.90', currency: 'EUR', ...fields });
}

async function open(page: Page, { id }: { id: string }, query = ''): Promise<void> {
  await page.goto(`/checkout/${id}${query}`);
}

const gzippedSize = (file: string): number => gzipSync(readFileSync(`dist/web/${file}`)).length;
const heading = (page: Page, name: string) => page.getByRole('heading', { name });
const button = (page: Page, name: string) => page.getByRole('button', { name });

describe('the checkout without JavaScript', () => {
  it('shows address, amount and QR code of each coin, and accepts a simulated payment', async () => {
    const page = await browser.page({ javaScriptEnabled: false, viewport: PHONE });
    const made = await payment();
    await open(page, made);
    await expect.poll(() => page.getByRole('img', { name: /QR code/ }).count()).toBe(1);
    await page.getByRole('radio', { name: /LTC/ }).check();
    const panel = page.getByRole('region', { name: 'Litecoin' });
    expect((await panel.locator('code').innerText()).replace(/\s/g, '')).toBe(made.options.LTC.address);
    expect(await panel.getByText(made.options.LTC.amount).isVisible()).toBe(true);
    expect(await panel.getByRole('link', { name: 'Open in wallet' }).getAttribute('href')).toBe(
      made.options.LTC.uri,
    );
    expect(await page.getByText(/Pay by .*UTC/).isVisible()).toBe(true);
    expect(await button(page, 'Copy amount').count()).toBe(0);
    await button(page, 'Pay too little').click();
    await heading(page, 'Part of the amount is missing').waitFor();
    expect(await page.getByRole('radio', { name: /LTC/ }).isChecked()).toBe(true);
    expect((await shop.payment(made.id)).status).toBe('underpaid');
    await page.context().close();
  });
});

describe('the open page of the checkout', () => {
  it('changes to completed without a reload and redirects to the shop', async () => {
    const page = await browser.page({ viewport: PHONE });
    const made = await payment({ successUrl: thanks() });
    await open(page, made);
    await expect.poll(() => page.locator('time').innerText()).toMatch(/^5\d:\d\d$/);
    await button(page, 'Pay exactly').click();
    await heading(page, 'Payment received').waitFor();
    await heading(page, 'Payment complete').waitFor();
    expect(await page.locator('#status').innerText()).not.toBe('');
    await page.waitForURL(thanks());
    await page.context().close();
  });

  it('shows the remaining amount with a new QR code after an underpayment, and keeps the selected coin', async () => {
    const page = await browser.page({ viewport: DESKTOP, colorScheme: 'dark' });
    const made = await payment();
    await open(page, made);
    const ltc = page.getByRole('region', { name: 'Litecoin' });
    await page.getByRole('radio', { name: /LTC/ }).check();
    const before = await ltc.locator('svg.qr path').getAttribute('d');
    await button(page, 'Pay too little').click();
    await heading(page, 'Part of the amount is missing').waitFor();
    await ltc.getByText('Remaining amount').waitFor();
    expect(await ltc.locator('svg.qr path').getAttribute('d')).not.toBe(before);
    expect(await ltc.getByRole('link', { name: 'Open in wallet' }).getAttribute('href')).not.toBe(
      made.options.LTC.uri,
    );
    expect(await axeFindings(page)).toEqual([]);
    await button(page, 'Pay exactly').click();
    await heading(page, 'Payment complete').waitFor();
    await page.context().close();
  });

  it('updates also when the event stream is unavailable', async () => {
    const page = await browser.page();
    await page.route('**/events?**', (route) => route.fulfill({ status: 204 }));
    await open(page, await payment());
    await button(page, 'Pay exactly').click();
    await heading(page, 'Payment complete').waitFor();
    await page.context().close();
  });

  it('copies the address and the exact amount', async () => {
    const page = await browser.page({ permissions: ['clipboard-read', 'clipboard-write'] });
    const made = await payment({ allowedCryptos: ['ETH'] });
    await open(page, made);
    for (const [name, value] of [
      ['Copy address', made.options.ETH.address],
      ['Copy amount', made.options.ETH.amount],
    ] as const) {
      await button(page, name).click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(value);
    }
    await page.locator('#toast', { hasText: 'Copied' }).waitFor();
    await page.context().close();
  });

  it('can be used with the keyboard alone', async () => {
    const page = await browser.page();
    await open(page, await payment());
    await page.getByRole('radio', { name: /BTC/ }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('region', { name: 'Litecoin' }).isVisible()).toBe(true);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Open in wallet');
    await page.context().close();
  });

  it.each([
    ['phone', PHONE],
    ['desktop', DESKTOP],
  ])(
    'leads back to the order once money was seen, and never to the cart, on a %s',
    async (name, viewport) => {
      const order = `${cart()}?order={orderId}&status={status}`;
      const { id } = await payment({
        orderId: `way ${name}`,
        orderLabel: '1042',
        successUrl: order,
        returnUrl: order,
      });
      const page = await browser.page({ viewport });
      await open(page, { id });
      await page.getByText('Order 1042').waitFor();
      await page.getByRole('link', { name: 'Back to the shop' }).waitFor();
      await button(page, 'Pay too little').click();
      await heading(page, 'Part of the amount is missing').waitFor();
      const back = page.getByRole('link', { name: 'Back to your order' });
      expect(await back.getAttribute('href')).toBe(`${cart()}?order=way%20${name}&status=underpaid`);
      await page.context().close();
      const apart = await payment({ successUrl: thanks(), returnUrl: cart() });
      const other = await browser.page({ viewport });
      await open(other, apart);
      await other.getByRole('link', { name: 'Back to the shop' }).waitFor();
      await button(other, 'Pay too little').click();
      await heading(other, 'Part of the amount is missing').waitFor();
      expect(await other.getByRole('link', { name: /Back to/ }).count()).toBe(0);
      await other.context().close();
    },
  );

  it('shows a cancelled payment and redirects to the shop', async () => {
    const page = await browser.page();
    const made = await payment({ returnUrl: cart() });
    await open(page, made);
    await page.getByRole('link', { name: 'Back to the shop' }).waitFor();
    await till.api.must('POST', '/payment/cancel', { token: shop.secretKey, body: { paymentId: made.id } });
    await heading(page, 'This payment was cancelled').waitFor();
    await page.waitForURL(cart());
    await page.context().close();
  });

  it('explains to a payer whose money was late what to do', async () => {
    await till.api.must('PATCH', '/merchant/edit', {
      token: shop.token,
      body: { merchantId: shop.merchantId, latePayments: 'review' },
    });
    const page = await browser.page({ viewport: PHONE, colorScheme: 'dark' });
    const made = await payment();
    await open(page, made);
    await button(page, 'Pay too late').click();
    await heading(page, 'Your payment came late').or(heading(page, 'This payment has expired')).waitFor();
    await eventually(
      'the late money is known',
      () => shop.payment(made.id),
      ({ exception }) => exception === 'late',
    );
    await open(page, made);
    await heading(page, 'Your payment came late').waitFor();
    await till.api.must('POST', '/payment/resolve', {
      token: shop.secretKey,
      body: { paymentId: made.id, action: 'refunded' },
    });
    await open(page, made);
    await heading(page, 'The payment was refunded').waitFor();
    await page.context().close();
  });
});

describe('the language of the checkout', () => {
  it.each([
    ['de-AT', 'Zahlen mit', '49,90 €'],
    ['es-MX', 'Pagar con', '49,90 €'],
    ['fr-CA', 'Payer avec', '49,90 €'],
    ['pt-BR', 'Pagar com', '€ 49,90'],
  ])('is chosen for a browser set to %s', async (locale, text, amount) => {
    const page = await browser.page({ locale });
    await open(page, await payment());
    await page.getByText(text, { exact: true }).waitFor();
    expect((await page.locator('.total').innerText()).replace(/\s/g, ' ')).toBe(amount);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByText('Pay with', { exact: true }).waitFor();
    await page.context().close();
  });
});

describe('the resources and headers of the checkout', () => {
  it('include the QR code in one document, with at most three small files', async () => {
    const page = await browser.page({ viewport: PHONE });
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    const made = await payment();
    await open(page, made);
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    await page.waitForLoadState('load');
    const files = asked.filter((path) => !path.startsWith('/checkout/'));
    expect(files.length).toBeLessThanOrEqual(3);
    expect(asked.filter((path) => path === `/checkout/${made.id}`)).toHaveLength(1);
    await page.context().close();
  });

  it('include a script of at most 15 kB and a style sheet of at most 6 kB, gzipped', () => {
    const manifest = JSON.parse(readFileSync('dist/web/.vite/manifest.json', 'utf8')) as Record<
      string,
      { file: string; css?: string[]; imports?: string[] }
    >;
    const entry = manifest['checkout/main.ts']!;
    expect(entry.imports ?? []).toEqual([]);
    expect(gzippedSize(entry.file)).toBeLessThanOrEqual(15 * 1024);
    expect(gzippedSize(entry.css![0]!)).toBeLessThanOrEqual(6 * 1024);
  });

  it('include a strict content security policy, no-store for pages, and immutable caching for files', async () => {
    const { id } = await payment();
    const page = await fetch(`${till.api.baseUrl}/checkout/${id}`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('http');
    expect(page.headers.get('cache-control')).toBe('no-store');
    const script = /<script[^>]* src="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const file = await fetch(till.api.baseUrl + script);
    expect(file.status).toBe(200);
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await fetch(`${till.api.baseUrl}/assets/none.js`)).status).toBe(404);
    expect((await fetch(`${till.api.baseUrl}/assets/..%2f.vite%2fmanifest.json`)).status).toBe(404);
  });

  it('reveal no data about the merchant', async () => {
    const made = await payment({
      metadata: { margin: 'secret-margin' },
      customFields: { note: 'secret-note' },
    });
    for (const path of ['', '/state']) {
      const text = await (await fetch(`${till.api.baseUrl}/checkout/${made.id}${path}`)).text();
      expect(text).toContain(made.options.BTC.address);
      for (const hidden of ['secret-', shop.customerId, shop.merchantId, shop.publicKey]) {
        expect(text).not.toContain(hidden);
      }
    }
  });

  it('escape text from merchants and shops', async () => {
    const evil = `<script>alert(1)</script>"'`;
    const made = await payment({ orderId: evil });
    const page = await browser.page();
    await open(page, made);
    await page.getByText(`Order ${evil}`, { exact: true }).waitFor();
    await page.context().close();
  });

  it('answer 304 while nothing changed, and 404 for unknown payments', async () => {
    const { id } = await payment();
    const first = await fetch(`${till.api.baseUrl}/checkout/${id}/state`);
    const again = await fetch(`${till.api.baseUrl}/checkout/${id}/state`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    expect((await fetch(`${till.api.baseUrl}/checkout/pay_none/events`)).status).toBe(404);
    const page = await browser.page({ locale: 'de' });
    await page.goto('/checkout/pay_none');
    await heading(page, 'Diese Zahlung gibt es nicht').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });

  it('limit the rate of simulated payments', async () => {
    const { id } = await payment();
    const statuses = new Set<number>();
    for (let round = 0; round < 25; round += 1) {
      const answer = await fetch(`${till.api.baseUrl}/checkout/${id}/simulate`, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: new URLSearchParams({ scenario: 'nonsense' }),
      });
      statuses.add(answer.status);
    }
    expect([...statuses]).toEqual([400, 429]);
  });
});

describe('the checkout of a live payment', () => {
  it('offers no simulated payment and refuses one', async () => {
    await using live = await Till.start(liveEnv({ LTC: 'http://user:password@127.0.0.1:9' }));
    const { id } = await (await Shop.open(live.api)).createPayment();
    const page = await (await fetch(`${live.api.baseUrl}/checkout/${id}`)).text();
    expect(page).toContain('ltc');
    expect(page).not.toContain('<form');
    const answer = await fetch(`${live.api.baseUrl}/checkout/${id}/simulate`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ scenario: 'exact' }),
    });
    expect(await answer.json()).toMatchObject({ success: false, error: { code: 'INVALID_STATE' } });
  });
});

describe('accessibility of the checkout', () => {
  it.each([
    ['phone', PHONE, 'dark'],
    ['desktop', DESKTOP, 'light'],
  ] as const)('has no findings, and the page fits a %s', async (name, viewport, colorScheme) => {
    const page = await browser.page({ viewport, colorScheme });
    const { token, customerId } = shop;
    const { merchant } = await till.api.must<{ merchant: { id: string } }>('POST', '/merchant/create', {
      token,
      body: { name: 'Blue Door Books', domain: `${name}-${colorScheme}.bluedoor.example` },
    });
    const body = { amount: '49.90', currency: 'EUR', orderId: '1042', customerId, returnUrl: cart() };
    const made = await till.api.must<PaymentJson>('POST', '/payment/create', {
      token,
      body: { ...body, merchantId: merchant.id },
    });
    await open(page, made);
    await page.locator('time').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const scrolls = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(scrolls)).toBe(false);
    await page.context().close();
  });
});
