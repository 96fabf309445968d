/** The weight of the first load of each kind of page, in bytes as transferred: a slow phone waits for all of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { Till } from '../_helpers/till.ts';
import { PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser } from '../_helpers/web/dashboard.ts';
import { measureFirstLoad, type FirstLoad } from '../_helpers/web/first-load.ts';

const ACCOUNT = { email: 'owner@example.com', password: 'correct horse battery' };
const PAYMENTS = 10;

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let paymentId: string;
beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  browser = await WebBrowser.start(till.api.baseUrl);
  const { token } = await till.api.must<{ token: string }>('POST', '/auth/register', { body: ACCOUNT });
  shop = await Shop.open(till.api, { owner: token });
  for (let at = 0; at < PAYMENTS; at += 1) ({ id: paymentId } = await shop.createPayment());
});
afterAll(async () => {
  await browser.stop();
  await till.end();
});

interface Opened {
  readonly address: string;
  readonly shows: string;
  readonly isSignedIn?: boolean;
  readonly locale?: string;
}

/** Runs in the page: no other parts are loaded while it is idle, at a moment that differs from run to run. */
const SAVES_DATA = `Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`;

async function load({ isSignedIn = false, locale = 'en-US', ...opened }: Opened): Promise<FirstLoad> {
  const context = await browser.context({ viewport: PHONE, locale });
  await context.addInitScript({ content: SAVES_DATA });
  if (isSignedIn) await signInBrowser(context, till.api.baseUrl, ACCOUNT);
  const found = await measureFirstLoad(context, opened);
  await context.close();
  return found;
}

describe('the first load of a page', () => {
  it('transfers less than 165 kB for the sign-in page, in at most 16 requests', async () => {
    const opened = { address: '/dashboard/login', shows: 'input[type=password]' };
    const { bytes, requests } = await load(opened);
    expect(bytes).toBeLessThan(165_000);
    expect(requests).toBeLessThanOrEqual(16);
    // The texts of one language more.
    expect((await load({ ...opened, locale: 'de-DE' })).bytes).toBeLessThan(188_000);
  });

  it('transfers less than 190 kB for the list of payments, in at most 24 requests', async () => {
    const address = `/dashboard/shop/${shop.merchantId}/payments`;
    const { bytes, requests } = await load({ address, shows: 'tbody tr td', isSignedIn: true });
    expect(bytes).toBeLessThan(190_000);
    expect(requests).toBeLessThanOrEqual(24);
  });

  it('transfers less than 25 kB for the checkout, with at most 15 kB of scripts', async () => {
    const address = `/checkout/${paymentId}`;
    // The script makes the buttons visible.
    const { bytes, scriptBytes } = await load({ address, shows: 'button[data-copy]:not([hidden])' });
    expect(scriptBytes).toBeGreaterThan(0);
    expect(scriptBytes).toBeLessThan(15_000);
    expect(bytes).toBeLessThan(25_000);
  });

  it('transfers less than 80 kB for the API reference', async () => {
    const { bytes } = await load({ address: '/docs', shows: '#errors table' });
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(80_000);
  });
});
