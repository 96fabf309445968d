import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { newPerson } from '../_helpers/people.ts';
import { eventually } from '../_helpers/poll.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser } from '../_helpers/web/dashboard.ts';
import { WebhookSink } from '../_helpers/webhook-sink.ts';

let till: Till;
let browser: WebBrowser;
let sink: WebhookSink;
let shop: Shop;
let page: Page;
beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start({ TILLD_WEBHOOK_RETRY_GAPS: '1h,1h' });
  await till.ready();
  sink = await WebhookSink.start();
  sink.answer = 500;
  browser = await WebBrowser.start(till.api.baseUrl);
  const owner = await newPerson(till.api, 'owner');
  shop = await Shop.open(till.api, { webhookUrl: sink.url, owner: owner.token });
  page = await (await browser.context({ viewport: DESKTOP })).newPage();
  await signInBrowser(page.context(), till.api.baseUrl, { ...owner, password: 'correct horse battery' });
  await shop.createPayment({ orderId: 'A-1' });
  await eventually(
    'an attempt failed',
    () => sink.deliveries.length,
    (count) => count > 0,
  );
});
afterAll(async () => {
  await browser?.stop();
  await Promise.all([sink?.close(), till?.end()]);
});
afterEach(() => expect(browser.takeComplaints()).toEqual([]));

const path = (tail = ''): string => `/dashboard/shop/${shop.merchantId}${tail}`;
/** Events of the list, one line each. */
const entries = () => page.getByRole('main').locator('details > summary');
const button = (name: string) => page.getByRole('button', { name, exact: true });

it.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('the overview says on a %s that webhooks do not arrive, and leads to those that wait', async (_, size) => {
  await page.setViewportSize(size);
  await page.goto(path());
  await page.getByText(`The last webhook to ${sink.url} did not arrive.`).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('link', { name: 'See the deliveries' }).click();
  await page.waitForURL(/state=pending/);
  await entries().getByText('payment.created').waitFor();
  await page.getByText(/ · next /).waitFor();
  expect(await axeFindings(page)).toEqual([]);
});

it('deliveries are told apart by state and event, in the address', async () => {
  await page.goto(path('/webhooks'));
  await entries().getByText('payment.created').waitFor();
  await button('Given up').click();
  await page.getByText('No delivery matches').waitFor();
  await page.reload();
  await page.getByText('No delivery matches').waitFor();
  await button('All').click();
  await page.getByLabel('Event').selectOption('payment.completed');
  await page.getByText('No delivery matches').waitFor();
  await page.getByLabel('Event').selectOption('payment.created');
  await entries().getByText('payment.created').waitFor();
});

it('the list stands still while an entry is read, and sending again says how it went', async () => {
  await page.goto(path('/webhooks'));
  await entries().first().click();
  await button('Send again').click();
  await page.getByText('Sent again, and your endpoint answered 500.').waitFor();
  await shop.createPayment({ orderId: 'A-2' });
  await eventually(
    'the next one was tried',
    () => sink.deliveries.length,
    (count) => count > 2,
  );
  // Asked again, and not shown yet.
  await page.waitForResponse(
    async (response) =>
      response.url().includes('webhook-logs') && (await response.text()).split('payment.created').length > 3,
  );
  expect(await entries().count()).toBe(1);
  sink.answer = 200;
  await button('Send again').click();
  await page.getByText('Sent again: your endpoint answered 200.').waitFor();
  await entries().first().click();
  await expect.poll(() => entries().count()).toBe(2);
});
