import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { CheckoutWorld } from '../_helpers/web/checkout-world.ts';
import { confirmIt } from '../_helpers/web/dashboard.ts';

const PASSWORD = 'correct horse battery';

/** A red circle on white, drawn by the browser itself. */
const DRAWN = `(() => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 96;
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, 96, 96);
  pen.fillStyle = '#b00020';
  pen.arc(48, 48, 40, 0, 7);
  pen.fill();
  return canvas.toDataURL('image/png').split(',')[1];
})()`;

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

async function brand(fields: object): Promise<void> {
  await world.till.api.must('PATCH', '/merchant/edit', {
    token: world.shop.token,
    body: { merchantId: world.shop.merchantId, ...fields },
  });
}

it('the pages for payers show logo, colour and support contact of the shop, readable in light and dark mode', async () => {
  const page = await browser.page({ viewport: PHONE });
  await page.goto(`/checkout/${(await world.pay()).id}`);
  await brand({ logo: await page.evaluate(DRAWN), supportContact: 'help@shop.example' });
  // Pale and dark colours alike: what is written in them must be read.
  for (const accentColor of ['#ffee00', '#101060', '#b00020']) {
    await brand({ accentColor });
    const { id } = await world.pay();
    for (const [, viewport, colorScheme] of [
      ['phone', PHONE, 'light'],
      ['phone', PHONE, 'dark'],
      ['desktop', DESKTOP, 'light'],
      ['desktop', DESKTOP, 'dark'],
    ] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.goto(`/checkout/${id}`);
      const mail = page.getByRole('link', { name: 'help@shop.example' });
      expect(await mail.getAttribute('href')).toBe('mailto:help@shop.example');
      expect(
        await page.locator('img.logo').evaluate((image: { naturalWidth: number }) => image.naturalWidth),
      ).toBe(96);
      // What the colour is read on depends on the scheme, not on the size.
      if (viewport === PHONE) expect(await axeFindings(page)).toEqual([]);
    }
  }
  await page.context().close();
});

it('the settings page changes the branding, with a preview', async () => {
  const { shop, till } = world;
  await brand({ logo: null, accentColor: null, supportContact: null });
  const page = await browser.page({ viewport: DESKTOP, reducedMotion: 'reduce' });
  await page.clock.setSystemTime(till.clock.now());
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  await page.goto(`/dashboard/shop/${shop.merchantId}/settings`);
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const card = page.locator('section', {
    has: page.getByRole('heading', { name: 'Branding' }),
  });
  await card.waitFor();
  const image = Buffer.from(await page.evaluate<string>(DRAWN), 'base64');
  await card.getByLabel('Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: image });
  await card.locator('img').waitFor();
  await card.getByLabel('Support contact').fill('nobody');
  await card.getByRole('button', { name: 'Save' }).click();
  await confirmIt(page, { password: PASSWORD });
  await card.getByText('Please enter an e-mail address or a web address.').first().waitFor();
  await card.getByLabel('Support contact').fill('https://shop.example/help');
  await card.getByLabel('Colour').fill('#b00020');
  await card.getByRole('button', { name: 'Save' }).click();
  await card.getByText('Branding saved').waitFor();
  for (const [, viewport, colorScheme] of [
    ['phone', PHONE, 'dark'],
    ['desktop', DESKTOP, 'light'],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    expect(await axeFindings(page)).toEqual([]);
  }
  await page.goto(`/checkout/${(await world.pay()).id}`);
  await page.locator('img.logo').waitFor();
  await page.getByRole('link', { name: 'shop.example', exact: true }).waitFor();
  await page.goBack();
  await card.getByRole('button', { name: 'Remove the logo' }).click();
  await card.locator('img').waitFor({ state: 'detached' });
  await page.context().close();
});
