import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { startShopPage, type ShopPage } from '../_helpers/web/shop-page.ts';

const TABLET = { width: 820, height: 1180 };

let till: Till;
let browser: WebBrowser;
let shop: Shop;
let site: ShopPage;
beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '1500ms' });
  await till.ready();
  site = await startShopPage(
    till.api.baseUrl,
    (path) => `<button data-tilld-url="/l/${path.slice(1)}">Support us</button>`,
  );
  browser = await WebBrowser.start(till.api.baseUrl, [site.origin]);
  const settings = { name: 'Blue Door Books', embedOrigins: [site.origin] };
  shop = await Shop.open(till.api, { settings });
});
afterAll(async () => {
  await browser?.stop();
  await Promise.all([site?.close(), till?.end()]);
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

/** The path of a new link. */
async function link(body: object): Promise<string> {
  const made = await till.api.must<{ url: string }>('POST', '/merchant/link/create', {
    token: shop.secretKey,
    body: { name: 'Support the reading room', currency: 'EUR', ...body },
  });
  return new URL(made.url).pathname;
}
const donation = async (): Promise<string> =>
  link({
    description: 'Lamps, chairs and a warm stove',
    openAmount: { min: '2', max: '500', suggested: ['5', '10', '25'] },
    fields: [
      { name: 'email', required: true },
      { name: 'note', required: false },
    ],
  });
const counter = async (): Promise<string> =>
  link({ kind: 'pos', name: 'Till 1', openAmount: {}, fields: [{ name: 'note', required: false }] });

const total = async (page: Page): Promise<string> =>
  (await page.locator('.total').innerText()).replace(/\s/g, ' ');

describe('the page of a payment link', () => {
  it.each([
    ['en-US', 'Continue to payment', '12.50', '€12.50'],
    ['de-DE', 'Weiter zur Zahlung', '12,50', '12,50 €'],
    ['es-ES', 'Continuar al pago', '12,50', '12,50 €'],
    ['fr-FR', 'Continuer vers le paiement', '12,50', '12,50 €'],
    ['pt-BR', 'Continuar para o pagamento', '12,50', '€ 12,50'],
  ])(
    'leads to the checkout, without JavaScript, in a browser set to %s',
    async (locale, button, typed, shown) => {
      const page = await browser.page({ locale, javaScriptEnabled: false, viewport: PHONE });
      await page.goto(await donation());
      await page.locator('#amount').fill(typed);
      await page.locator('#email').fill('ann@example.com');
      await page.getByRole('button', { name: button }).click();
      await page.waitForURL(/\/checkout\/pay_/);
      expect(await total(page)).toBe(shown);
      await page.context().close();
    },
  );

  it('names the accepted coins, so that payers know before the checkout whether they own one', async () => {
    const page = await browser.page({ viewport: DESKTOP });
    await page.goto(await link({ amount: '12.50' }));
    const coins = page.getByRole('list', { name: 'Accepted coins' }).getByRole('listitem');
    expect(await coins.allInnerTexts()).toEqual(['Bitcoin', 'Ethereum', 'Litecoin', 'Solana']);
    expect(await axeFindings(page)).toEqual([]);
    await page.goto(await counter());
    expect(await coins.count()).toBe(0);
    await page.context().close();
  });

  it.each([
    ['phone', PHONE, 'light'],
    ['desktop', DESKTOP, 'dark'],
  ] as const)('shows errors next to the field, on a %s', async (_name, viewport, colorScheme) => {
    const page = await browser.page({ viewport, colorScheme });
    await page.goto(await donation());
    expect(await axeFindings(page)).toEqual([]);
    await page.locator('#amount').fill('1');
    await page.locator('#note').fill('For <b>lamps</b>');
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByText('The minimum is €2.00.').waitFor();
    expect(await page.getByText('Please fill this in.').count()).toBe(1);
    expect(await page.locator('#note').inputValue()).toBe('For <b>lamps</b>');
    expect(await axeFindings(page)).toEqual([]);
    await page.locator('#email').fill('ann@example.com');
    await page.getByRole('button', { name: '€25.00' }).click();
    await page.waitForURL(/\/checkout\/pay_/);
    expect(await total(page)).toBe('€25.00');
    await page.context().close();
  });

  it('opens in a frame on the site of the shop, continues to the checkout there and sends a message when paid', async () => {
    const path = await link({ amount: '5' });
    const page = await browser.page({ viewport: DESKTOP });
    await page.goto(site.origin + path.replace('/l/', '/'));
    await page.getByRole('button', { name: 'Support us' }).click();
    const frame = page.frameLocator('dialog iframe');
    await frame.getByRole('button', { name: 'Continue to payment' }).click();
    await frame.getByRole('button', { name: 'Pay exactly' }).click();
    await expect
      .poll(async () => (await page.evaluate<string[][]>('window.told')).map(([name]) => name))
      .toContain('paid');
    await page.context().close();
  });

  it('shows that the link is closed', async () => {
    const path = await link({ amount: '5', active: false });
    const page = await browser.page({ viewport: PHONE });
    await page.goto(path);
    await page.getByRole('heading', { name: 'This link is closed' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });
});

describe('the keypad of a point-of-sale link', () => {
  it.each([
    ['phone', PHONE],
    ['tablet', TABLET],
  ])(
    'accepts an amount by touch on a %s, shows the QR code, and resets for the next customer',
    async (_name, viewport) => {
      const page = await browser.page({ viewport, hasTouch: true });
      const path = await counter();
      await page.goto(path);
      const keypad = page.getByRole('group', { name: 'Keypad' });
      const press = async (keys: string): Promise<void> => {
        for (const key of keys) await keypad.getByRole('button', { name: key, exact: true }).tap();
      };
      await press('012.509');
      expect(await page.locator('#amount').inputValue()).toBe('12.50');
      await keypad.getByRole('button', { name: 'Erase one digit' }).tap();
      await press('5');
      expect(await page.locator('#amount').inputValue()).toBe('12.55');
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Charge' }).tap();
      await page
        .getByRole('img', { name: /QR code/ })
        .first()
        .waitFor();
      expect(await total(page)).toBe('€12.55');
      await page.getByRole('button', { name: 'Pay exactly' }).tap();
      await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('link', { name: 'Next customer' }).tap();
      await page.waitForURL((url) => url.pathname === path);
      expect(await page.locator('#amount').inputValue()).toBe('');
      await page.context().close();
    },
  );

  it('is a plain input field without JavaScript', async () => {
    const page = await browser.page({ javaScriptEnabled: false, locale: 'de-DE' });
    await page.goto(await counter());
    expect(await page.locator('#keypad').isVisible()).toBe(false);
    await page.locator('#amount').fill('3,5');
    await page.getByRole('button', { name: 'Kassieren' }).click();
    await page.waitForURL(/\/checkout\/pay_/);
    expect(await total(page)).toBe('3,50 €');
    expect(await page.getByRole('link', { name: 'Nächster Kunde' }).count()).toBe(1);
    await page.context().close();
  });

  it('has the decimal separator of the language, and none for currencies without decimals', async () => {
    const page = await browser.page({ locale: 'de-DE' });
    await page.goto(await counter());
    await page.getByRole('button', { name: ',', exact: true }).click();
    await page.getByRole('button', { name: '5', exact: true }).click();
    expect(await page.locator('#amount').inputValue()).toBe('0,5');
    await page.goto(await link({ kind: 'pos', openAmount: {}, currency: 'JPY' }));
    expect(await page.getByRole('button', { name: ',', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: '5', exact: true }).click();
    await page.getByRole('button', { name: 'Alles löschen' }).click();
    expect(await page.locator('#amount').inputValue()).toBe('');
    await page.context().close();
  });
});
