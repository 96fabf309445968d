/** A daemon at a path of a host, behind a proxy: sign-in, dashboard, docs, payment link and checkout. */
import { afterEach, beforeAll, expect, it } from 'vitest';
import { ApiClient, Shop } from '../_helpers/api-client.ts';
import { startPathProxy, type PathProxy } from '../_helpers/path-proxy.ts';
import { SubscriptionShop } from '../_helpers/subscription-shop.ts';
import { Till } from '../_helpers/till.ts';
import { DESKTOP, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { startShopPage } from '../_helpers/web/shop-page.ts';

const ends: (() => unknown)[] = [];
beforeAll(async () => ensureWebBuilt());
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Served {
  readonly till: Till;
  readonly proxy: PathProxy;
  readonly browser: WebBrowser;
  readonly baseUrl: string;
}

async function serveAtPath(path: string, removesPath: boolean): Promise<Served> {
  const proxy = await startPathProxy(path, removesPath);
  ends.push(() => proxy.close());
  const baseUrl = proxy.origin + path;
  const till = await Till.start({ TILLD_BASE_URL: `${baseUrl}/`, TILLD_SANDBOX_BLOCK_INTERVAL: '250ms' });
  ends.push(() => till.end());
  await till.ready();
  proxy.lead(Number(new URL(till.api.baseUrl).port));
  const browser = await WebBrowser.start(proxy.origin);
  ends.push(() => browser.stop());
  return { till, proxy, browser, baseUrl };
}

it.each([
  ['passes', false],
  ['removes', true],
])(
  'a new user registers and receives a test payment when the proxy %s the base path',
  async (_what, removesPath) => {
    const { proxy, browser, baseUrl } = await serveAtPath('/pay/till', removesPath);
    const context = await browser.context({ viewport: DESKTOP });
    const page = await context.newPage();
    const press = async (name: string): Promise<void> =>
      page.getByRole('button', { name, exact: true }).click();

    await page.goto(baseUrl);
    await page.waitForURL(`${baseUrl}/dashboard/login**`);
    await page.goto(`${baseUrl}/dashboard/register`);
    await page.getByLabel('Email').last().fill('new@example.com');
    await page.getByLabel('Password').last().fill('correct horse battery');
    await press('Create account');
    await page.getByLabel('Name').last().fill('Blue Door Books');
    await page.getByLabel('Domain').last().fill('bluedoor.example');
    await press('Create shop');
    const [cookie, ...others] = await context.cookies(`${baseUrl}/dashboard`);
    expect(others).toEqual([]);
    expect(cookie?.path).toBe('/pay/till');
    await page.getByRole('link', { name: 'Go to the shop', exact: true }).click();
    await page.reload();
    await press('Make a test payment');
    const tab = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Open checkout', exact: true }).click();
    const checkout = await tab;
    expect(checkout.url()).toMatch(`${baseUrl}/checkout/`);
    await checkout.getByRole('button', { name: 'Pay exactly', exact: true }).click();
    await checkout.getByRole('heading', { name: 'Payment complete' }).waitFor();
    await checkout.getByRole('link', { name: /receipt/i }).click();
    await checkout.waitForURL(`${baseUrl}/checkout/*/receipt**`);
    await checkout.getByRole('link', { name: /back/i }).first().click();
    await checkout.getByRole('heading', { name: 'Payment complete' }).waitFor();

    await page.getByRole('link', { name: 'API docs' }).click();
    await page.waitForURL(`${baseUrl}/docs`);
    expect(await page.locator('body').innerText()).toContain(`${baseUrl}/payment/create`);
    expect(proxy.strayed).toEqual([]);
    expect(browser.takeComplaints()).toEqual([]);
  },
);

it('a shop uses the API, a payment link and pay.js below a base path', async () => {
  const { proxy, browser, baseUrl } = await serveAtPath('/till', false);
  const api = new ApiClient(baseUrl);
  const site = await startShopPage(
    baseUrl,
    (path) => `<button data-tilld-payment="${path.slice(1)}">Pay</button>`,
  );
  ends.push(() => site.close());
  const shop = await Shop.open(api, { settings: { embedOrigins: [site.origin] } });
  const made = await shop.createPayment({ amount: '49.90', currency: 'EUR' });
  const checkoutUrl = (id: string): string => `${baseUrl}/checkout/${id}`;
  expect(made).toMatchObject({ checkoutUrl: checkoutUrl(made.id) });
  const { body } = await api.call<never>('GET', '/openapi.json');
  expect((body as unknown as { servers: unknown }).servers).toEqual([{ url: baseUrl }]);

  const framed = await WebBrowser.start(proxy.origin, [site.origin]);
  ends.push(() => framed.stop());
  const page = await framed.page({ viewport: DESKTOP });
  await page.goto(`${site.origin}/${made.id}`);
  await page.getByRole('button', { name: 'Pay' }).click();
  const frame = page.frameLocator('dialog iframe');
  await frame.getByRole('button', { name: 'Pay exactly' }).click();
  await frame.getByRole('heading', { name: 'Payment complete' }).waitFor();
  await expect
    .poll(() => page.evaluate('window.told.map(([name]) => name)'))
    .toEqual(expect.arrayContaining(['seen', 'paid']));

  const withoutScript = await browser.page({ javaScriptEnabled: false });
  const other = await shop.createPayment({ amount: '1.00', currency: 'EUR' });
  await withoutScript.goto(checkoutUrl(other.id));
  await withoutScript.getByRole('button', { name: 'Pay exactly' }).click();
  await withoutScript.waitForURL(`${baseUrl}/checkout/${other.id}**`);
  expect(proxy.strayed).toEqual([]);
  expect(browser.takeComplaints().concat(framed.takeComplaints())).toEqual([]);
});

it('pages for payers link to nothing outside of the base path: checkout, receipt, refund link, subscription', async () => {
  const { till, proxy, baseUrl } = await serveAtPath('/till', false);
  const subscriptions = await SubscriptionShop.open(till);
  const { id, portalUrl = '' } = await subscriptions.subscribe();
  const paymentId = await subscriptions.pay(id);
  const refund = { paymentId, preset: 'all' };
  const { url } = await subscriptions.must<{ url: string }>('POST', '/payment/refund-link', refund);
  const checkout = `${baseUrl}/checkout/${paymentId}`;
  for (const page of [portalUrl, url, checkout, `${checkout}/receipt`]) {
    expect(page.startsWith(`${baseUrl}/`)).toBe(true);
    const response = await fetch(page, { headers: { accept: 'text/html' } });
    const paths = [...(await response.text()).matchAll(/\s(?:href|src|action)="(\/[^"]*)"/g)];
    expect([page, response.status, paths.length > 0]).toEqual([page, 200, true]);
    expect(paths.map(([, path = '']) => path).filter((path) => !path.startsWith('/till/'))).toEqual([]);
  }
  const cancelled = await fetch(`${portalUrl}/cancel`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: proxy.origin },
  });
  expect(cancelled.headers.get('location')).toMatch(/^\/till\/s\//);
  expect(proxy.strayed).toEqual([]);
});
