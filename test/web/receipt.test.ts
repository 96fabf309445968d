import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { CheckoutWorld } from '../_helpers/web/checkout-world.ts';

const ORDER = {
  amount: '49.90',
  description: 'Your order of Monday',
  lines: [
    { name: 'Earl Grey, 100 g', quantity: 2, amount: '15.80' },
    { name: 'A book', quantity: 1, amount: '34.10' },
  ],
};

let world: CheckoutWorld;
let browser: WebBrowser;

beforeAll(async () => {
  await ensureWebBuilt();
  world = await CheckoutWorld.start();
  browser = await WebBrowser.start(world.till.api.baseUrl);
  await world.till.api.must('PATCH', '/merchant/edit', {
    token: world.shop.token,
    body: { merchantId: world.shop.merchantId, timeZone: 'Asia/Tokyo' },
  });
});
afterAll(async () => {
  await browser?.stop();
  await world?.end();
});
afterEach(() => expect(browser.takeComplaints()).toEqual([]));

describe('the receipt page', () => {
  it('is offered once the payment is completed, without a reload, and shows the paid amount, method and time', async () => {
    const made = await world.pay(ORDER);
    const page = await browser.page({ viewport: PHONE, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`/checkout/${made.id}`);
    expect(await page.title()).toMatch(/^Pay €49\.90 to /);
    expect(await page.getByRole('link', { name: 'Receipt' }).count()).toBe(0);
    await world.simulate(made.id, 'exact', { coin: 'ETH', confirmations: 2 });
    await page.getByRole('link', { name: 'Receipt' }).waitFor();
    expect(await page.title()).toBe('✓ Paid: €49.90 to Blue Door Books');
    await page.getByRole('link', { name: 'Receipt' }).click();
    await page.getByRole('heading', { name: /^Receipt TEST-\d+$/ }).waitFor();
    const text = await page.locator('#receipt').innerText();
    const { transactions, options } = await world.shop.payment(made.id);
    for (const piece of ['€49.90', made.orderId, 'Your order of Monday', '2 × Earl Grey, 100 g', '€15.80']) {
      expect(text).toContain(piece);
    }
    expect(text).toContain(`${options.ETH.amount} ETH`);
    expect(text).toContain('1 ETH = €3,680.00');
    expect(text).toMatch(/Paid on\s+\w+ \d+, \d{4} at .* GMT\+9/);
    expect(await page.locator('#receipt code').innerText()).toBe(transactions[0]!.txid);
    await page.getByRole('button', { name: 'Copy transaction id' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(transactions[0]!.txid);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Back to the payment' }).click();
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    await page.context().close();
  });

  it('shows refunds, and is available for a fully refunded payment', async () => {
    const made = await world.pay(ORDER);
    await world.simulate(made.id, 'exact', { coin: 'LTC', confirmations: 6 });
    const txid = await world.refund(made.id);
    const page = await browser.page({ viewport: DESKTOP, javaScriptEnabled: false });
    await page.goto(`/checkout/${made.id}`);
    await page.getByRole('link', { name: 'Receipt' }).click();
    await page.getByRole('region', { name: 'Sent back to you' }).getByText(txid).waitFor();
    expect(await page.getByRole('button', { name: 'Print' }).count()).toBe(0);
    await page.context().close();
  });

  it('redirects to the checkout while the payment is not completed', async () => {
    const { id } = await world.pay(ORDER);
    const answer = await fetch(`${world.till.api.baseUrl}/checkout/${id}/receipt?lang=de`, {
      redirect: 'manual',
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/checkout/${id}?lang=de`]);
    const unknown = await fetch(`${world.till.api.baseUrl}/checkout/pay_unknown/receipt`);
    expect(unknown.status).toBe(404);
  });

  it('is printed without its buttons', async () => {
    const made = await world.pay(ORDER);
    await world.simulate(made.id, 'exact', { coin: 'SOL', confirmations: 2 });
    const page = await browser.page({ viewport: DESKTOP, colorScheme: 'dark' });
    await page.goto(`/checkout/${made.id}/receipt?lang=de`);
    await page.getByRole('button', { name: 'Drucken' }).waitFor();
    await page.evaluate('window.print = () => { window.printed = true; }');
    await page.getByRole('button', { name: 'Drucken' }).click();
    expect(await page.evaluate('window.printed')).toBe(true);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('navigation').count()).toBe(0);
    // What is printed is black on white, and says that no real money was paid.
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    await page.getByText('Sandbox: kein echtes Geld').waitFor();
    await page.goto(`/checkout/${made.id}?lang=de`);
    expect(await page.getByRole('button', { name: 'Genau zahlen' }).count()).toBe(0);
    expect(await page.getByRole('navigation').count()).toBe(0);
    await page.context().close();
  });

  it('is accessible on a phone in dark mode and a desktop in light mode, and fits the narrowest phone', async () => {
    const made = await world.pay({ ...ORDER, locale: 'fr' });
    await world.simulate(made.id, 'exact', { coin: 'SOL', confirmations: 2 });
    const page = await browser.page({ viewport: PHONE });
    await page.goto(`/checkout/${made.id}/receipt`);
    for (const [, viewport, colorScheme] of [
      ['phone-dark', PHONE, 'dark'],
      ['desktop-light', DESKTOP, 'light'],
    ] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      expect(await axeFindings(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await page.context().close();
  });
});
