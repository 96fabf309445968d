import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentJson } from '../_helpers/api-client.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { CheckoutWorld } from '../_helpers/web/checkout-world.ts';

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
afterEach(() => expect(browser.takeComplaints()).toEqual([]));

/** A payment that was started on a link's page. */
async function payByLink(): Promise<PaymentJson> {
  const { url } = await world.till.api.must<{ url: string }>('POST', '/merchant/link/create', {
    token: world.shop.secretKey,
    body: { name: 'Beans', amount: '20', currency: 'EUR' },
  });
  const address = `${world.till.api.baseUrl}${new URL(url).pathname}?lang=en`;
  const answer = await fetch(address, { method: 'POST', redirect: 'manual' });
  return world.shop.payment(/pay_\w+/.exec(answer.headers.get('location') ?? '')?.[0] ?? 'none');
}

const paymentIn = (url: string): string => new URL(url).pathname.split('/')[2] ?? 'none';

describe('the checkout of an expired payment', () => {
  it('offers a renewal at the current rate, without JavaScript', async () => {
    const old = await payByLink();
    await world.runOut(old.id);
    const page = await browser.page({ viewport: PHONE, javaScriptEnabled: false });
    await page.goto(`/checkout/${old.id}?lang=en`);
    await page.getByRole('heading', { name: 'This payment has expired' }).waitFor();
    await page.getByRole('button', { name: 'Get a new rate' }).click();
    await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor();
    const next = paymentIn(page.url());
    expect(next).not.toBe(old.id);
    await page.goto(`/checkout/${old.id}?lang=en`);
    await page.getByRole('link', { name: 'Go on to the new payment' }).click();
    await page.waitForURL(`**/checkout/${next}?*`);
    await page.context().close();
  });

  it('offers a renewal with JavaScript as well, and two tabs continue to the same payment', async () => {
    const old = await payByLink();
    const pages = [await browser.page({ viewport: DESKTOP }), await browser.page({ viewport: PHONE })];
    for (const page of pages) await page.goto(`/checkout/${old.id}?lang=en`);
    await world.runOut(old.id);
    for (const page of pages) {
      await page.getByRole('button', { name: 'Get a new rate' }).click();
      await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor();
    }
    expect(new Set(pages.map((page) => paymentIn(page.url()))).size).toBe(1);
    for (const page of pages) await page.context().close();
  });

  it('is accessible in each language and colour scheme', async () => {
    const [old, renewed] = [await payByLink(), await payByLink()];
    for (const { id } of [old, renewed]) await world.runOut(id);
    await fetch(`${world.till.api.baseUrl}/checkout/${renewed.id}/renew`, {
      method: 'POST',
      redirect: 'manual',
    });
    const page = await browser.page({ viewport: PHONE });
    for (const [, viewport, colorScheme, lang] of [
      ['phone', PHONE, 'dark', 'de'],
      ['phone', PHONE, 'light', 'fr'],
      ['desktop', DESKTOP, 'light', 'en'],
      ['desktop', DESKTOP, 'dark', 'es'],
    ] as const) {
      for (const [, id] of [
        ['renew', old.id],
        ['renewed', renewed.id],
      ]) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        await page.goto(`/checkout/${id}?lang=${lang}`);
        expect(await axeFindings(page)).toEqual([]);
      }
    }
    await page.context().close();
  });
});
