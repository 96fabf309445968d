import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isPayable } from '../../src/domain/payment/status.ts';
import { LANGUAGES } from '../../src/i18n/languages.ts';
import type { PaymentJson } from '../_helpers/api-client.ts';
import { readLocale } from '../_helpers/locales.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { CheckoutWorld, STATES } from '../_helpers/web/checkout-world.ts';

const LOOKS = [
  ['phone', 'dark', PHONE],
  ['desktop', 'light', DESKTOP],
] as const;
const SMALL = { width: 320, height: 640 };
const OTHERS = LANGUAGES.filter((language) => language !== 'en');

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
const overflows = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const [device, colorScheme, viewport] of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    expect([name, device, await axeFindings(page)]).toEqual([name, device, []]);
  }
}

/** On what the page scrolls sideways: the narrowest phone, 200 % zoom, letters twice the size. */
async function overflowsOf(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [name, viewport, letters] of [
    ['320 px', SMALL, '100%'],
    // A window at 200 % has half as many CSS pixels.
    ['zoom', { width: 640, height: 430 }, '100%'],
    ['large letters', PHONE, '200%'],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.evaluate(`document.documentElement.style.fontSize = '${letters}'`);
    if (await page.evaluate(overflows)) found.push(name);
  }
  await page.evaluate(`document.documentElement.style.fontSize = ''`);
  return found;
}

/** Pieces of English that a page in another language still shows. */
async function englishLeftIn(path: string, language: string): Promise<string[]> {
  const other = readLocale('checkout', language);
  const own = Object.values(other).join(' ');
  const page = await (await fetch(`${world.till.api.baseUrl}${path}?lang=${language}`)).text();
  // What a person reads or hears: labels too, but no class names.
  const text = page
    .replace(/ (?:class|href|id|src|style)="[^"]*"/g, '')
    .replace(/<script.*?<\/script>/gs, '');
  expect(page).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
  return Object.entries(readLocale('checkout', 'en'))
    .filter(([key, message]) => other[key] !== message)
    .flatMap(([, message]) => message.split(/\{\w+\}/))
    .map((piece) => piece.trim())
    .filter((piece) => piece.length >= 8 && !own.includes(piece) && text.includes(piece));
}

describe.each(STATES)(
  'the checkout of a payment $name',
  ({ name, status, exception = null, heading: title, reach }) => {
    let payment: PaymentJson;
    let path: string;

    it('changes on the open page without a reload, and contains the state without JavaScript', async () => {
      payment = await world.pay({ orderId: name, returnUrl: `${world.till.api.baseUrl}/healthz` });
      path = `/checkout/${payment.id}`;
      const page = await browser.page({ viewport: PHONE });
      await page.goto(path);
      await heading(page, 'Waiting for your payment').waitFor();
      await reach(world, payment.id);
      expect(await world.shop.payment(payment.id)).toMatchObject({ status, exception });
      await heading(page, title).waitFor();
      expect(await page.locator('#status').innerText()).toMatch(new RegExp(`^${title}`));
      await page.context().close();

      const plain = await browser.page({ viewport: PHONE, javaScriptEnabled: false });
      await plain.goto(path);
      await heading(plain, title).waitFor();
      const paying = isPayable({ status, exception });
      expect(await plain.getByRole('img', { name: /QR code/ }).count()).toBe(paying ? 1 : 0);
      const hasMoney =
        exception !== null || ['underpaid', 'confirming', 'completed', 'refunded'].includes(status);
      const back = hasMoney ? 'Back to your order' : 'Back to the shop';
      expect(await plain.getByRole('link', { name: /Back to/ }).allInnerTexts()).toEqual([back]);
      expect(await plain.getByRole('region', { name: 'Sandbox' }).count()).toBe(0);
      expect(await plain.getByRole('complementary', { name: 'Sandbox: no real money' }).count()).toBe(1);
      await plain.context().close();
    });

    it('is available in every language', async () => {
      for (const language of OTHERS) {
        expect({ language, left: await englishLeftIn(path, language) }).toEqual({ language, left: [] });
      }
    });

    it('fits the narrowest phone, zoom and large fonts, and is accessible in each size and colour scheme', async () => {
      const page = await browser.page({ deviceScaleFactor: 2, reducedMotion: 'reduce' });
      for (const language of ['de', 'en']) {
        await page.goto(`${path}?lang=${language}`);
        await page.locator('main').waitFor();
        expect({ language, overflows: await overflowsOf(page) }).toEqual({ language, overflows: [] });
      }
      await expectAccessible(page, name);
      await page.context().close();
    });
  },
);
