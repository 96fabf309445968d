import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { CheckoutWorld } from '../_helpers/web/checkout-world.ts';

const ORDER = {
  locale: 'de',
  description: 'Ihre Bestellung vom Montag',
  lines: [
    { name: 'Earl Grey, 100 g', quantity: 2, amount: '15.80' },
    {
      name: 'Ein Buch mit einem Titel, der so lang ist, dass er auf keinem Telefon in eine Zeile passt',
      quantity: 1,
      amount: '29.50',
    },
    { name: 'Versand', quantity: 1, amount: '4.60' },
  ],
};

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

it.each([
  ['phone', PHONE, 'dark'],
  ['desktop', DESKTOP, 'light'],
] as const)(
  'the checkout shows the line items in the language of the payment (%s, %s %s)',
  async (_device, viewport, colorScheme) => {
    const { id } = await world.pay(ORDER);
    const page = await browser.page({ viewport, colorScheme });
    await page.goto(`/checkout/${id}`);
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.getByText('Ihre Bestellung vom Montag').waitFor();
    await page.getByText('Wofür Sie zahlen (3)').click();
    await page.getByText('2 × Earl Grey, 100 g').waitFor();
    await page.getByText('15,80').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await page.context().close();
  },
);

it('the checkout shows the line items without JavaScript', async () => {
  const { id } = await world.pay(ORDER);
  const page = await browser.page({ viewport: PHONE, javaScriptEnabled: false });
  await page.goto(`/checkout/${id}`);
  await page.getByText('Wofür Sie zahlen (3)').click();
  await page.getByText('2 × Earl Grey, 100 g').waitFor();
  await page.context().close();
});

it('the checkout shows an edited price without a reload, and keeps expanded sections expanded', async () => {
  const { id } = await world.pay(ORDER);
  const page = await browser.page({ viewport: PHONE });
  await page.goto(`/checkout/${id}`);
  await page.getByText('Wofür Sie zahlen (3)').click();
  const shop = { token: world.shop.secretKey };
  const lines = [...ORDER.lines, { name: 'Zitronenkuchen', quantity: 1, amount: '6.10' }];
  const changed = await world.till.api.must<{ options: Record<'BTC', { amount: string }> }>(
    'PATCH',
    '/payment/update',
    { ...shop, body: { paymentId: id, amount: '56.00', lines } },
  );
  await page.getByText('Zitronenkuchen').waitFor();
  await page.getByRole('heading', { name: /56,00/ }).waitFor();
  const copied = page.locator(`[data-copy="${changed.options.BTC.amount}"]`);
  expect(await copied.count()).toBe(1);
  await page.context().close();
});
