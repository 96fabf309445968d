import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page, Response } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatCoinAmount } from '../../src/domain/money.ts';
import type { PaymentJson } from '../_helpers/api-client.ts';
import { DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { CheckoutWorld } from '../_helpers/web/checkout-world.ts';
import { readQr } from '../_helpers/web/qr-reader.ts';

const COINS = ['BTC', 'ETH', 'LTC', 'SOL'] as const;
const NAMES = { BTC: 'Bitcoin', ETH: 'Ethereum', LTC: 'Litecoin', SOL: 'Solana' };

let world: CheckoutWorld;
let browser: WebBrowser;

beforeAll(async () => {
  await ensureWebBuilt();
  world = await CheckoutWorld.start();
  browser = await WebBrowser.start(world.till.api.baseUrl);
});
afterAll(async () => {
  await browser?.stop();
  await world?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name });
const button = (page: Page, name: string) => page.getByRole('button', { name });
const panel = (page: Page, coin: keyof typeof NAMES) => page.getByRole('region', { name: NAMES[coin] });
const local = (path: string): string => `${world.till.api.baseUrl}/healthz?${path}`;

async function open(page: Page, { id }: PaymentJson, query = ''): Promise<void> {
  await page.goto(`/checkout/${id}${query}`);
}

/** Litecoin as atoms, so that amounts are subtracted exactly. */
const litoshi = (amount: string): bigint => {
  const [whole, part = ''] = amount.split('.');
  return BigInt(`${whole}${part.padEnd(8, '0')}`);
};

describe('the QR code of the checkout', () => {
  it.each([
    ['light', true],
    ['dark', false],
  ] as const)(
    'contains the payment URI of every coin (%s, with JavaScript: %s)',
    async (colorScheme, script) => {
      const page = await browser.page({ viewport: PHONE, colorScheme, javaScriptEnabled: script });
      const payment = await world.pay();
      await open(page, payment);
      for (const coin of COINS) {
        await page.getByRole('radio', { name: coin }).check();
        const shown = panel(page, coin);
        const { uri, address } = payment.options[coin];
        expect(uri).toContain(address);
        expect(await readQr(shown.getByRole('img', { name: /QR code/ }))).toBe(uri);
        expect(await shown.getByRole('link', { name: 'Open in wallet' }).getAttribute('href')).toBe(uri);
      }
      await page.context().close();
    },
  );

  it('contains exactly the remaining amount after a partial payment', async () => {
    const page = await browser.page({ viewport: PHONE });
    const payment = await world.pay();
    await open(page, payment);
    await world.simulate(payment.id, 'underpay', { coin: 'LTC' });
    await heading(page, 'Part of the amount is missing').waitFor();
    // The payer picked no coin by hand: the page continues with the paid one.
    expect(await page.getByRole('radio', { name: /LTC/ }).isChecked()).toBe(true);
    const { LTC } = (await world.shop.payment(payment.id)).options;
    const missing = litoshi(LTC.amount) - litoshi(LTC.received);
    expect(missing).toBeGreaterThan(0n);
    const shown = panel(page, 'LTC');
    const read = new URL(await readQr(shown.getByRole('img', { name: /QR code/ })));
    expect(read.pathname).toBe(LTC.address);
    expect(litoshi(read.searchParams.get('amount') ?? '')).toBe(missing);
    expect(litoshi(await shown.locator('.value .number').innerText())).toBe(missing);
    expect(await page.getByText(`We received ${LTC.received} LTC. Please send the rest.`).count()).toBe(1);
    await world.simulate(payment.id, 'exact', { coin: 'LTC', confirmations: 2 });
    await heading(page, 'Payment complete').waitFor();
    await page.context().close();
  });
});

describe('the checkout', () => {
  it('counts the confirmations, and redirects to the shop once the payment is completed', async () => {
    const page = await browser.page({ viewport: PHONE });
    const payment = await world.pay({ successUrl: local('thanks'), returnUrl: local('cart') });
    await open(page, payment);
    await world.simulate(payment.id, 'exact', { coin: 'BTC' });
    const progress = page.getByRole('progressbar');
    await expect.poll(() => progress.getAttribute('value')).toBe('0');
    await world.simulate(payment.id, 'confirm', { confirmations: 1 });
    await expect.poll(() => progress.getAttribute('value')).toBe('1');
    expect(await progress.getAttribute('max')).toBe('2');
    expect(await progress.getAttribute('aria-label')).toBe('1 of 2 confirmations');
    await world.simulate(payment.id, 'confirm', { confirmations: 1 });
    await heading(page, 'Payment complete').waitFor();
    expect(await page.locator('#status').innerText()).toBe('Payment complete. Taking you back to the shop…');
    await page.waitForURL(local('thanks'));
    await page.context().close();
  });

  it('redirects to the shop after a cancellation, with a notice before', async () => {
    const page = await browser.page({ viewport: PHONE });
    const payment = await world.pay({ successUrl: local('thanks'), returnUrl: local('cart') });
    await open(page, payment);
    await world.cancel(payment.id);
    await heading(page, 'This payment was cancelled').waitFor();
    expect(await page.locator('#status').innerText()).toMatch(/^This payment was cancelled\. /);
    await page.waitForURL(local('cart'));
    await page.context().close();
  });

  it('shows immediately when the merchant accepts late money', async () => {
    const page = await browser.page({ viewport: PHONE });
    const payment = await world.pay();
    await open(page, payment);
    await world.simulate(payment.id, 'late', { coin: 'BTC', confirmations: 2 });
    await heading(page, 'Your payment came late').waitFor();
    await world.resolve(payment.id, 'accept');
    await heading(page, 'Payment complete').waitFor({ timeout: 3_000 });
    await page.context().close();
  });

  it('shows the transaction of a refund', async () => {
    const page = await browser.page({ viewport: PHONE });
    const payment = await world.pay();
    await open(page, payment);
    await world.simulate(payment.id, 'exact', { coin: 'LTC', confirmations: 6 });
    await heading(page, 'Payment complete').waitFor();
    const back = page.getByRole('region', { name: 'Sent back to you' });
    expect(await back.count()).toBe(0);
    const txid = await world.refund(payment.id);
    await heading(page, 'The payment was refunded').waitFor();
    expect(await back.getByTitle(txid).count()).toBe(1);
    expect(await back.innerText()).toMatch(/ LTC\s+Seen on the network/);
    await page.context().close();
  });

  it('shows a partial refund without a reload, and does not redirect after it', async () => {
    const page = await browser.page({ viewport: PHONE });
    const payment = await world.pay({ successUrl: local('thanks') });
    await world.simulate(payment.id, 'exact', { coin: 'LTC', confirmations: 6 });
    await expect.poll(async () => (await world.shop.payment(payment.id)).status).toBe('completed');
    await open(page, payment);
    await heading(page, 'Payment complete').waitFor();
    const txid = await world.refund(payment.id, { amount: '0.01' });
    const back = page.getByRole('region', { name: 'Sent back to you' });
    await back.getByTitle(txid).waitFor({ timeout: 3_000 });
    expect(await back.innerText()).toMatch(/0\.01 LTC\s+Seen on the network/);
    await world.simulate(payment.id, 'confirm', { coin: 'LTC', confirmations: 1 });
    await back.getByText('In a block').waitFor({ timeout: 5_000 });
    // The shop is notified at once when the payer leaves; here the payment ended before the page was opened.
    expect(await page.locator('#status').innerText()).toBe('Payment complete');
    await page.context().close();
  });

  it('offers the payer the overpaid amount until all of it is refunded', async () => {
    const page = await browser.page({ viewport: PHONE });
    const payment = await world.pay();
    await open(page, payment);
    await world.simulate(payment.id, 'overpay', { coin: 'LTC', confirmations: 6 });
    const hint = page.getByRole('link', { name: 'Get it back' });
    await hint.waitFor();
    const { received, amount } = (await world.shop.payment(payment.id)).options.LTC;
    const excess = litoshi(received) - litoshi(amount);
    await page.getByText(`You paid ${formatCoinAmount(excess, 'LTC')} LTC too much.`).waitFor();
    const part = litoshi('0.01');
    await world.refund(payment.id, { amount: '0.01' });
    await page.getByText(`came back. ${formatCoinAmount(excess - part, 'LTC')} LTC is left.`).waitFor();
    const txid = await world.refund(payment.id, { amount: formatCoinAmount(excess - part, 'LTC') });
    await page.getByRole('region', { name: 'Sent back to you' }).getByTitle(txid).waitFor();
    expect(await hint.count()).toBe(0);
    await page.context().close();
  });

  it('shows an overpayment in two coins as an amount in the currency of the price', async () => {
    const page = await browser.page({ viewport: PHONE });
    const payment = await world.pay();
    await open(page, payment);
    await world.simulate(payment.id, 'underpay', { coin: 'BTC' });
    // Half of the price is missing; this is all of it and a half more.
    await world.simulate(payment.id, 'overpay', { coin: 'LTC', confirmations: 6 });
    await world.simulate(payment.id, 'confirm', { coin: 'BTC', confirmations: 6 });
    const hint = page.getByText('too much.');
    await hint.waitFor();
    expect(await hint.innerText()).toMatch(/^You paid €24\.9[45] too much\.$/);
    await page.context().close();
  });

  it('shows the badge of a verified domain, and no warning for an unverified one', async () => {
    const page = await browser.page({ viewport: PHONE });
    await open(page, await world.pay());
    expect((await page.locator('.domain').innerText()).trim()).toMatch(/^[a-z0-9.-]+$/);
    expect(await page.locator('.badge').count()).toBe(0);
    await page.context().close();
  });

  it('simulates a payment in sandbox mode with the selected coin', async () => {
    const page = await browser.page({ viewport: PHONE });
    const payment = await world.pay();
    await open(page, payment);
    expect(await page.getByText('Sandbox: no real money').isVisible()).toBe(true);
    await page.getByRole('radio', { name: /SOL/ }).check();
    await button(page, 'Pay too much').click();
    await heading(page, 'Payment received').waitFor();
    expect(await page.getByRole('region', { name: 'Received' }).getByText(/SOL$/).count()).toBe(1);
    expect((await world.shop.payment(payment.id)).options.SOL.received).not.toBe('0');
    await world.simulate(payment.id, 'confirm', { confirmations: 2 });
    await page.getByText('too much.').waitFor();
    await page.context().close();
  });

  it('counts down by the server clock, whatever the clock of the phone is', async () => {
    const page = await browser.page({ viewport: PHONE });
    await page.clock.setSystemTime(Date.now() + 5 * 3_600_000);
    await open(page, await world.pay());
    const left = page.locator('.deadline time');
    await expect.poll(() => left.innerText()).toMatch(/^59:\d\d$/);
    expect(await page.locator('.deadline.hurry').count()).toBe(0);
    await page.context().close();
    const ticking = await browser.page({ viewport: PHONE });
    const payment = await world.pay();
    await open(ticking, payment);
    const first = await ticking.locator('.deadline time').innerText();
    await expect.poll(() => ticking.locator('.deadline time').innerText()).not.toBe(first);
    await ticking.context().close();
  });

  it('formats numbers in the language of the page', async () => {
    const payment = await world.pay({ amount: '1234.50', currency: 'EUR' });
    const page = await browser.page({ viewport: PHONE });
    for (const [language, total, decimal] of [
      ['en', '€1,234.50', '.'],
      ['de', '1.234,50 €', ','],
      ['es', '1234,50 €', ','],
      ['fr', '1 234,50 €', ','],
      ['it', '1234,50 €', ','],
      ['nl', '€ 1.234,50', ','],
      ['pl', '1234,50 €', ','],
      ['pt', '€ 1.234,50', ','],
      ['ar', '\u200f1,234.50 €', '.'],
    ] as const) {
      await open(page, payment, `?lang=${language}`);
      expect((await page.locator('.total').innerText()).replace(/[\s\u00a0\u202f]/g, ' ')).toBe(total);
      const [whole, part] = payment.options.LTC.amount.split('.');
      await page.getByRole('radio', { name: /LTC/ }).check();
      expect(await panel(page, 'LTC').locator('.value .number').innerText()).toBe(
        `${whole}${decimal}${part}`,
      );
      // What is copied is for a wallet, not for a reader.
      expect(await panel(page, 'LTC').locator('[data-copy]').first().getAttribute('data-copy')).toBe(
        payment.options.LTC.amount,
      );
    }
    await page.context().close();
  });
});

describe('the checkout used by keyboard', () => {
  it('reaches every control in reading order, with visible focus', async () => {
    const page = await browser.page({
      viewport: DESKTOP,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const payment = await world.pay({ returnUrl: local('cart') });
    await open(page, payment);
    await page.locator('.deadline time').waitFor();
    const focused = async (): Promise<{ name: string; seen: boolean }> =>
      page.evaluate(`(() => {
        const at = document.activeElement;
        const ring = at.matches('input') ? at.closest('label') : at;
        return {
          name: at.getAttribute('aria-label') ?? at.value ?? at.textContent.trim(),
          seen: getComputedStyle(ring).outlineStyle !== 'none',
        };
      })()`);
    const order: string[] = [];
    for (let stop = 0; stop < 18; stop += 1) {
      await page.keyboard.press('Tab');
      const { name, seen } = await focused();
      order.push(name);
      expect({ name, seen }).toEqual({ name, seen: true });
    }
    expect(order.slice(0, 4)).toEqual(['exact', 'underpay', 'overpay', 'late']);
    expect(order.slice(4, 9)).toEqual([
      'BTC',
      'Open in wallet',
      'Copy amount',
      'Copy address',
      'Back to the shop',
    ]);
    expect(order.slice(9)).toEqual([
      'English',
      'Deutsch',
      'Español',
      'Français',
      'Italiano',
      'Nederlands',
      'Polski',
      'Português',
      'العربية',
    ]);

    await page.getByRole('radio', { name: /BTC/ }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await panel(page, 'ETH').isVisible()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(payment.options.ETH.amount);
    expect(await page.locator('#status').innerText()).toBe('Copied');
    await button(page, 'Pay too little').focus();
    await page.keyboard.press('Space');
    await heading(page, 'Part of the amount is missing').waitFor();
    expect((await world.shop.payment(payment.id)).options.ETH.received).not.toBe('0');
    await page.context().close();
  });

  it('keeps the focus when the page updates', async () => {
    const page = await browser.page({ viewport: DESKTOP });
    const payment = await world.pay();
    await open(page, payment);
    await page.getByRole('radio', { name: /LTC/ }).focus();
    await page.keyboard.press('Space');
    await world.simulate(payment.id, 'underpay', { coin: 'LTC' });
    await heading(page, 'Part of the amount is missing').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('coin-LTC');
    await world.simulate(payment.id, 'exact', { coin: 'LTC' });
    await heading(page, 'Payment received').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('checkout');
    await page.context().close();
  });
});

it('the checkout shows no animations with prefers-reduced-motion', async () => {
  const page = await browser.page({ reducedMotion: 'reduce' });
  const payment = await world.pay();
  await open(page, payment);
  await page.getByRole('radio', { name: /ETH/ }).check();
  await world.simulate(payment.id, 'exact', { coin: 'ETH' });
  await heading(page, 'Payment received').waitFor();
  await world.simulate(payment.id, 'confirm', { confirmations: 1 });
  await page.getByText('1 of 2 confirmations').first().waitFor();
  expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  const moving = `[...document.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationName } = getComputedStyle(element);
    return animationName !== 'none' || /[1-9]/.test(transitionDuration);
  }).length`;
  expect(await page.evaluate(moving)).toBe(0);
  await page.context().close();
});

describe('the checkout without a working event stream', () => {
  it.each([
    ['is refused', 'refused'],
    ['is cut', 'cut'],
    ['is buffered by a proxy', 'swallowed'],
  ])('polls for changes when the stream %s', async (_how, kind) => {
    const page = await browser.page({ viewport: PHONE });
    let asked = 0;
    await page.route('**/events?**', async (route) => {
      if (kind === 'refused') await route.fulfill({ status: 503 });
      else if (kind === 'cut') await route.abort('connectionreset');
      // Swallowed: never answered.
    });
    page.on('request', (request) => {
      if (request.url().includes('/state?')) asked += 1;
    });
    const payment = await world.pay();
    await open(page, payment);
    await expect.poll(() => asked).toBeGreaterThanOrEqual(1);
    await world.simulate(payment.id, 'exact', { coin: 'LTC', confirmations: 2 });
    await heading(page, 'Payment complete').waitFor();
    await page.context().close();
    // The browser's own words on what the test did to it.
    expect(browser.takeComplaints().filter((text) => !/Failed to load resource/.test(text))).toEqual([]);
  });

  it('does not poll while an event stream is open', async () => {
    const page = await browser.page({ viewport: PHONE });
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''));
    const payment = await world.pay();
    await open(page, payment);
    await world.simulate(payment.id, 'exact', { coin: 'LTC', confirmations: 2 });
    await heading(page, 'Payment complete').waitFor();
    expect(asked.filter((name) => name === 'events')).toHaveLength(1);
    expect(asked).not.toContain('state');
    await page.context().close();
  });
});

describe('the size budget of the checkout', () => {
  it('allows one document and three small files, with the QR code in the document', async () => {
    const page = await browser.page({ viewport: PHONE });
    const answers: Response[] = [];
    page.on('response', (answer) => void answers.push(answer));
    const payment = await world.pay();
    await open(page, payment);
    await page.waitForLoadState('load');
    const files = answers.filter((answer) => !answer.url().includes('/events'));
    expect(files.filter((answer) => answer.request().resourceType() === 'document')).toHaveLength(1);
    expect(files.length).toBeLessThanOrEqual(4);
    const sizes: Record<string, number> = {};
    for (const answer of files) {
      const kind = answer.request().resourceType();
      sizes[kind] = (sizes[kind] ?? 0) + gzipSync(await answer.body()).length;
    }
    expect(sizes['script']).toBeLessThanOrEqual(15 * 1024);
    expect(Object.values(sizes).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(32 * 1024);
    expect(await files[0]!.text()).toContain(payment.options.BTC.uri.replaceAll('&', '&amp;'));
    await page.context().close();
  });

  it('requires the payment details in the document, so that no other file is needed to pay', async () => {
    const page = await browser.page({ viewport: PHONE, javaScriptEnabled: false });
    await page.route('**/assets/**', (route) => route.abort());
    const payment = await world.pay({ allowedCryptos: ['BTC'] });
    await page.goto(`/checkout/${payment.id}`);
    expect(await readQr(page.getByRole('img', { name: /QR code/ }))).toBe(payment.options.BTC.uri);
    expect(await page.getByText(payment.options.BTC.amount).first().isVisible()).toBe(true);
    await page.context().close();
    browser.takeComplaints();
  });

  it('allows no reference to another host in any file', () => {
    const manifest = JSON.parse(readFileSync('dist/web/.vite/manifest.json', 'utf8')) as Record<
      string,
      { file: string; css?: string[] }
    >;
    const { file, css = [] } = manifest['checkout/main.ts']!;
    for (const name of [file, ...css]) {
      const text = readFileSync(`dist/web/${name}`, 'utf8');
      expect(text.match(/(?:["'`(]|https?:)\/\/[a-z0-9-]+\.[a-z]{2,}/gi) ?? []).toEqual([]);
    }
  });

  it('includes a content security policy whose violations these tests detect', async () => {
    const page = await browser.page();
    await open(page, await world.pay());
    await page.evaluate(`(() => {
      const script = document.createElement('script');
      script.textContent = 'window.broken = true';
      document.body.append(script);
    })()`);
    await page.evaluate(`fetch('https://example.com/').catch(() => {})`);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    const complaints = browser.takeComplaints().join('\n');
    expect(complaints).toContain('CSP violation: script-src');
    expect(complaints).toContain('CSP violation: connect-src');
    await page.context().close();
  });
});
