import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { eventually } from '../_helpers/poll.ts';
import { putShopInMode } from '../_helpers/shop-mode.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser } from '../_helpers/web/dashboard.ts';

let till: Till;
let browser: WebBrowser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  await till.ready();
  browser = await WebBrowser.start(till.api.baseUrl);
  context = await browser.context({
    viewport: DESKTOP,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  page = await context.newPage();
  await page.goto('/docs');
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});
afterEach(() => {
  expect(browser.takeComplaints()).toEqual([]);
});

const operation = (id: string) => page.locator(`article#${id}`);
const listed = () => page.getByRole('navigation', { name: 'Contents' }).getByRole('listitem');

const search = () => page.getByRole('searchbox');
const panel = (id: string) => operation(id).locator('.panel');
const open = async (id: string) =>
  operation(id).getByRole('button', { name: 'Try it in the sandbox' }).click();
const send = async (id: string) => panel(id).getByRole('button', { name: /^Send/ }).click();
const answer = (id: string) => panel(id).locator('figure').innerText();

/** Takes the other guides and operations out of the page: axe reads all of it, shown or not, which takes ten seconds. */
async function keepOnly(at: Page, ids: readonly string[]): Promise<void> {
  // The beginning belongs to every part: the title and where the skip link leads.
  const kept = ['first-payment', ...ids].map((id) => `#${id}`).join();
  await at.locator('main section:not(.intro), main article').evaluateAll((parts, selector) => {
    for (const part of parts)
      if (!part.matches(selector) && part.querySelector(selector) === null && part.closest(selector) === null)
        part.remove();
  }, kept);
  expect(await at.locator(kept).count()).toBe(ids.length + 1);
}

/** As the dashboard leaves it in the browser. */
async function signIn(token: string): Promise<void> {
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token });
  const person = { email: user.email, password: 'correct horse battery' };
  await signInBrowser(context, till.api.baseUrl, person);
  await page.reload();
}

describe('the search in the API documentation', () => {
  it('shows endpoints and guides that contain all words', async () => {
    const all = await listed().count();
    await page.keyboard.press('/');
    await search().fill('refund');
    await expect.poll(() => listed().filter({ visible: true }).allInnerTexts()).toContain('Give money back');
    const found = await listed().filter({ visible: true }).count();
    expect(found).toBeLessThan(all / 3);
    await expect.poll(() => page.locator('.found').innerText()).toBe(`${found} found`);
    await search().fill('/payment/cancel');
    await expect.poll(() => listed().filter({ visible: true }).count()).toBe(1);
  });

  it('finds words in the text of a page when no title matches', async () => {
    await search().fill('tolerancePercent');
    await expect.poll(() => listed().filter({ visible: true }).allInnerTexts()).not.toEqual([]);
    await search().fill('qqq zzz');
    await expect.poll(() => page.locator('.found').innerText()).toBe('Nothing found');
  });

  it('opens the first result with Enter and resets with Escape', async () => {
    await search().fill('guide refunds');
    await search().fill('go live');
    await search().press('Enter');
    expect(new URL(page.url()).hash).toBe('#guide-live');
    await search().press('Escape');
    expect(await search().inputValue()).toBe('');
    await expect.poll(() => listed().filter({ visible: true }).count()).toBe(await listed().count());
  });
});

describe('code samples in the API documentation', () => {
  it('are tabs for one language at a time, which applies to the whole page and the next visit', async () => {
    const create = operation('postPaymentCreate');
    await expect.poll(() => create.getByRole('tabpanel').count()).toBe(1);
    expect(await create.getByRole('tabpanel').innerText()).toContain('curl -X POST');
    await create.getByRole('tab', { name: 'PHP' }).click();
    expect(await create.getByRole('tabpanel').innerText()).toContain('curl_init');
    expect(await operation('getPaymentGet').getByRole('tabpanel').innerText()).toContain('curl_init');
    await create.getByRole('tab', { name: 'PHP' }).press('ArrowLeft');
    expect(await create.getByRole('tabpanel').innerText()).toContain('await fetch');
    await page.reload();
    expect(await create.getByRole('tab', { selected: true }).innerText()).toBe('Node.js');
  });

  it('keep their scroll position when the language changes', async () => {
    const tab = operation('getMerchantEvents').getByRole('tab', { name: 'curl' });
    await tab.scrollIntoViewIfNeeded();
    const before = await tab.boundingBox();
    await tab.click();
    const after = await tab.boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2);
  });

  it('are copied to the clipboard unchanged', async () => {
    const create = operation('postPaymentCreate');
    await create.getByRole('button', { name: 'Copy curl' }).click();
    await expect.poll(() => create.getByRole('button', { name: 'Copied' }).count()).toBe(1);
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toMatch(
      /^curl -X POST http\S+\/payment\/create \\\n {2}-H "Authorization: Bearer \$PUBLIC_KEY"/,
    );
    expect(copied).not.toContain('Copy');
  });
});

describe('"Try it" in the API documentation', () => {
  let shop: Shop;

  it('requires sign-in first', async () => {
    await open('getPaymentList');
    await expect.poll(() => panel('getPaymentList').innerText()).toContain('Sign in to the dashboard');
  });

  it('is not offered for operations on money, keys or settings', async () => {
    const offered = await page
      .locator('article:has(button.try)')
      .evaluateAll((all) => all.map(({ id }) => id));
    expect(offered).toEqual(
      expect.arrayContaining(['postPaymentCreate', 'getPaymentList', 'getMerchantEvents']),
    );
    const changing = offered.filter((id) => !id.startsWith('get'));
    expect(changing.filter((id) => !/^(post|patch)(Sandbox)?Payment/.test(id))).toEqual([]);
    expect(offered.filter((id) => /Refund$|Secret|Keys|Auth/.test(id))).toEqual([]);
  });

  it('creates a payment, simulates the payer and reads the payment, as the signed-in user', async () => {
    shop = await Shop.open(till.api);
    await signIn(shop.token);
    await open('postPaymentCreate');
    await send('postPaymentCreate');
    await expect.poll(() => answer('postPaymentCreate')).toContain('Answer 201');
    expect(await answer('postPaymentCreate')).toMatch(/"orderId": "try-\d+"/);
    await open('postSandboxPaymentSimulate');
    await send('postSandboxPaymentSimulate');
    await expect
      .poll(() => answer('postSandboxPaymentSimulate'))
      .toMatch(/"status": "(confirming|completed)"/);
    await open('getPaymentGet');
    await send('getPaymentGet');
    await expect.poll(() => answer('getPaymentGet')).toContain('Answer 200');
  });

  it('reports syntax errors in a body, and shows error responses unchanged', async () => {
    const body = panel('postPaymentCreate').getByLabel('Body');
    await body.fill('{"amount"');
    await send('postPaymentCreate');
    await expect.poll(() => panel('postPaymentCreate').innerText()).toContain('The body is not JSON.');
    await body.fill('{"amount":"-1"}');
    await send('postPaymentCreate');
    await expect.poll(() => answer('postPaymentCreate')).toContain('VALIDATION_INVALID');
  });

  it('asks for a step-up like the dashboard, and continues automatically', async () => {
    const { id } = await shop.createPayment({ amount: '20' });
    await till.api.must('POST', '/sandbox/payment/simulate', {
      token: shop.secretKey,
      body: { paymentId: id, scenario: 'underpay', coin: 'LTC' },
    });
    await eventually(
      'money that is too little',
      () => shop.payment(id),
      ({ status }) => status === 'underpaid',
    );
    await open('postPaymentResolve');
    const resolve = panel('postPaymentResolve');
    await resolve.getByLabel('Body').fill(JSON.stringify({ paymentId: id, action: 'accept' }));
    await send('postPaymentResolve');
    await resolve.getByText('confirm that it is you').waitFor();
    // With what was answered before.
    expect(await answer('getPaymentGet')).toContain('Answer 200');
    await keepOnly(page, ['getPaymentGet', 'postPaymentResolve']);
    expect(await axeFindings(page)).toEqual([]);
    await resolve.getByLabel('Your password').fill('wrong wrong');
    await resolve.getByRole('button', { name: 'Confirm and send' }).click();
    await resolve.getByRole('alert').getByText('The password is wrong').waitFor();
    expect((await shop.payment(id)).status).toBe('underpaid');
    await resolve.getByLabel('Your password').fill('correct horse battery');
    await resolve.getByRole('button', { name: 'Confirm and send' }).click();
    await expect.poll(() => answer('postPaymentResolve')).toContain('Answer 200');
  });

  it('changes only the selected shop, whatever merchantId was typed', async () => {
    const { merchant } = await till.api.must<{ merchant: { id: string } }>('POST', '/merchant/create', {
      token: shop.token,
      body: { name: 'Other', domain: 'other-shop.example' },
    });
    const foreign = await till.api.must<{ id: string }>('POST', '/payment/create', {
      token: shop.token,
      body: {
        merchantId: merchant.id,
        amount: '5',
        currency: 'USD',
        customerId: shop.customerId,
        orderId: 'other-1',
      },
    });
    await page.reload();
    await open('postPaymentCancel');
    await panel('postPaymentCancel').getByLabel('Shop in the sandbox').selectOption(shop.merchantId);
    await panel('postPaymentCancel')
      .getByLabel('Body')
      .fill(JSON.stringify({ paymentId: foreign.id, merchantId: merchant.id }));
    await send('postPaymentCancel');
    await expect.poll(() => panel('postPaymentCancel').innerText()).toContain('No such payment');
    const { status } = await till.api.must<{ status: string }>(
      'GET',
      `/payment/get?paymentId=${foreign.id}&merchantId=${merchant.id}`,
      { token: shop.token },
    );
    expect(status).toBe('pending');
  });

  it('creates nothing once the shop has left sandbox mode', async () => {
    await page.reload();
    await open('postPaymentCreate');
    await panel('postPaymentCreate').getByLabel('Shop in the sandbox').selectOption(shop.merchantId);
    putShopInMode(till, shop.merchantId, 'live');
    let posted = 0;
    page.on('request', (request) => void (request.method() === 'POST' && (posted += 1)));
    await send('postPaymentCreate');
    await expect.poll(() => panel('postPaymentCreate').innerText()).toContain('not in sandbox mode any more');
    expect(posted).toBe(0);
    putShopInMode(till, shop.merchantId, 'sandbox');
  });
});

describe('accessibility of the API documentation', () => {
  // The sections are of a few kinds: in the second theme one guide and one operation represent the others.
  it.each([
    ['phone', 'dark', PHONE, null],
    ['desktop', 'light', DESKTOP, ['guide-shop', 'postPaymentCreate']],
  ] as const)('has no findings, and the page fits a %s, %s', async (_name, colorScheme, viewport, kept) => {
    const other = await browser.page({ viewport, colorScheme });
    for (const part of ['top', 'guide-shop', 'postPaymentCreate', 'contents']) {
      await other.goto(`/docs#${part}`);
      expect(
        await other.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth'),
      ).toBeLessThanOrEqual(0);
    }
    if (kept !== null) await keepOnly(other, kept);
    expect(await axeFindings(other)).toEqual([]);
    await other.close();
  });

  it('includes a page without JavaScript, with every sample and no unusable controls', async () => {
    const plain = await browser.context({ javaScriptEnabled: false, viewport: DESKTOP });
    const other = await plain.newPage();
    await other.goto('/docs');
    const titles = await other.locator('#postPaymentCreate .languages figcaption').allInnerTexts();
    expect(titles).toEqual(['curl', 'Node.js', 'PHP']);
    for (const figure of await other.locator('#postPaymentCreate .languages figure').all()) {
      expect(await figure.isVisible()).toBe(true);
    }
    expect(await other.locator('button, input').count()).toBe(0);
    await plain.close();
  });
});
