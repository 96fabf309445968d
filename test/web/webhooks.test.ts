import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { newPerson } from '../_helpers/people.ts';
import { eventually } from '../_helpers/poll.ts';
import { Till } from '../_helpers/till.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { confirmIt, signInBrowser, visit } from '../_helpers/web/dashboard.ts';
import { WebhookSink } from '../_helpers/webhook-sink.ts';

const PASSWORD = 'correct horse battery';

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
  await signInBrowser(page.context(), till.api.baseUrl, { ...owner, password: PASSWORD });
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
])(
  'the dashboard home warns on a %s of failing webhooks, and links to the waiting deliveries',
  async (_, size) => {
    await page.setViewportSize(size);
    await visit(page, path());
    await page.getByText(`The last delivery attempt to ${sink.url} failed.`).waitFor();
    await page.getByRole('link', { name: 'See the deliveries' }).click();
    await page.waitForURL(new RegExp(`endpointId=${shop.merchantId}&state=pending`));
    await entries().getByText('payment.created').waitFor();
    await entries().getByText('To be tried again').waitFor();
    await entries()
      .getByText(/one attempt · answered 500 · next try in (\d+ minutes|1 hour)/)
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
  },
);

it('the webhook log filters deliveries by status and event, and keeps the filter in the URL', async () => {
  await visit(page, path('/webhooks'));
  await entries().getByText('payment.created').waitFor();
  await button('Failed').click();
  await page.getByText('No delivery matches').waitFor();
  await page.reload();
  await page.getByText('No delivery matches').waitFor();
  await button('All').click();
  await page.getByLabel('Event').selectOption('payment.completed');
  await page.getByText('No delivery matches').waitFor();
  await page.getByLabel('Event').selectOption('payment.created');
  await entries().getByText('payment.created').waitFor();
});

it('the webhook log does not move while an entry is open, and shows the result of a redelivery', async () => {
  await visit(page, path('/webhooks'));
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
      response.url().includes('webhook/deliveries') &&
      (await response.text()).split('payment.created').length > 2,
  );
  expect(await entries().count()).toBe(1);
  sink.answer = 200;
  await button('Send again').click();
  await page.getByText('Sent again: your endpoint answered 200.').waitFor();
  await entries().first().click();
  await expect.poll(() => entries().count()).toBe(2);
  // Sent again last, it is the newest.
  await entries().filter({ hasText: '3 attempts' }).first().click();
  await page.getByText('attempt 3').waitFor();
  expect(await page.getByRole('region', { name: /^Request/ }).count()).toBe(3);
});

/** Looks at the page as it is, in each size and each colour scheme once. */
async function look(name: string): Promise<void> {
  for (const [device, size, colorScheme] of [
    ['desktop', DESKTOP, 'light'],
    ['phone', PHONE, 'dark'],
  ] as const) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    expect([name, device, await axeFindings(page)]).toEqual([name, device, []]);
    const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect([name, await page.evaluate(over)]).toEqual([name, 0]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(DESKTOP);
}

it('the webhook log lists a delivery queued behind another one before its first attempt', async () => {
  sink.answer = 500;
  const { id } = await shop.createPayment({ orderId: 'A-3' });
  await eventually(
    'it was told of',
    () => sink.types(id),
    (types) => types.length > 0,
  );
  await shop.api.must('POST', '/payment/cancel', { token: shop.secretKey, body: { paymentId: id } });
  await visit(page, path('/webhooks'));
  await button('Waiting').click();
  await page.getByLabel('Payment id').fill(id);
  const queued = entries().filter({ hasText: 'payment.cancelled' });
  await queued.getByText('Not tried yet').waitFor();
  await queued.getByText(/ · first try in /).waitFor();
  await expect.poll(() => entries().count()).toBe(2);
  await queued.click();
  await page.getByText('Nothing was sent yet.').waitFor();
  expect(await button('Send again').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Open the payment' }).count()).toBe(1);
  await look('deliveries-waiting');
});

async function endpoint(method: 'POST' | 'PATCH', tail: string, body: object): Promise<{ id: string }> {
  return shop.api.must(method, `/merchant/webhook/endpoint/${tail}`, { token: shop.secretKey, body });
}

it('the webhook log can be filtered by an endpoint, and a failed endpoint links to its failed deliveries', async () => {
  const url = 'http://127.0.0.1:9/books/of/the/warehouse';
  const { id: endpointId } = await endpoint('POST', 'create', { url });
  const failed = async (orderId: string): Promise<void> => {
    await shop.createPayment({ orderId });
    await eventually(
      'the endpoint failed',
      async () =>
        shop.api.must<{ deliveries: { last: unknown }[] }>(
          'GET',
          `/merchant/webhook/deliveries?endpointId=${endpointId}&state=pending`,
          { token: shop.secretKey },
        ),
      ({ deliveries }) => deliveries.length > 0 && deliveries.every(({ last }) => last !== null),
    );
  };
  await failed('A-4');
  await endpoint('PATCH', 'edit', { endpointId, active: false });
  await endpoint('PATCH', 'edit', { endpointId, active: true });
  await failed('A-5');
  await visit(page, path());
  const note = page.getByRole('listitem').filter({ hasText: url });
  await expect
    .poll(() => note.getByRole('link', { name: 'See the deliveries' }).getAttribute('href'))
    .toContain(`endpointId=${endpointId}&state=failed`);
  await note.getByRole('link', { name: 'See the deliveries' }).click();
  await entries().getByText('Ended').waitFor();
  expect(await entries().count()).toBe(1);
  expect(await page.getByLabel('Endpoint').inputValue()).toBe(endpointId);
  await entries().first().click();
  await page.getByText('ended: the endpoint was deactivated').waitFor();
  await button('All').click();
  await expect.poll(() => entries().count()).toBe(2);
  await look('deliveries-endpoint');
  await page.getByLabel('Endpoint').selectOption('URLs of single payments');
  await page.getByText('No delivery matches').waitFor();
  await button('Clear the filters').click();
  await expect.poll(() => entries().count()).toBeGreaterThan(4);
  await look('deliveries');
});

const dialog = () => page.getByRole('dialog');
const types = async (): Promise<string[]> =>
  dialog()
    .getByRole('group', { name: 'Events', exact: true })
    .getByRole('checkbox', { checked: true })
    .evaluateAll((ticked) =>
      ticked.map(
        (one) => (one as unknown as { parentElement: { innerText: string } }).parentElement.innerText,
      ),
    );

it('the endpoint form selects all events, or the checked ones', async () => {
  await visit(page, path('/webhooks'));
  await button('New endpoint').click();
  await dialog().getByLabel('Address').fill('http://127.0.0.1:9/ticked');
  expect(await dialog().getByLabel('All events').isChecked()).toBe(true);
  // By the keyboard alone.
  await dialog().getByLabel('All events').focus();
  await page.keyboard.press('ArrowDown');
  await dialog().getByRole('group', { name: 'Refunds by link' }).waitFor();
  expect(
    await dialog()
      .getByRole('checkbox', { name: /payment\.|refund\.|send\./ })
      .count(),
  ).toBe(27);
  await button('Save endpoint').click();
  await dialog().getByText('Tick at least one event, or choose all.').waitFor();
  expect(await dialog().locator(':focus').getAttribute('aria-invalid')).toBe('true');
  await page.keyboard.press('Space');
  await expect.poll(() => dialog().getByText('Tick at least one').count()).toBe(0);
  await dialog().getByLabel('payment.completed').check();
  await look('endpoint-events');
  await button('Save endpoint').click();
  await confirmIt(page, { password: PASSWORD });
  await page.getByText('payment.created, payment.completed').waitFor();
  await button('Edit http://127.0.0.1:9/ticked').click();
  expect(await types()).toEqual(['Created payment.created', 'Completed payment.completed']);
  await dialog().getByLabel('All events').check();
  await button('Save endpoint').click();
  await page.getByText('payment.created, payment.completed').waitFor({ state: 'detached' });
});

it('the endpoint form keeps events that this version of the dashboard does not know', async () => {
  // As of a daemon that is newer than the page.
  await page.route('**/merchant/webhook/endpoint/list*', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: { endpoints: { url: string; events: unknown }[] } };
    for (const one of body.data.endpoints) {
      if (one.url.endsWith('/ticked')) one.events = ['payment.completed', 'payment.disputed'];
    }
    // The response is read uncompressed.
    const { 'content-encoding': _coding, ...headers } = response.headers();
    await route.fulfill({ response, headers, json: body });
  });
  const saved = async (): Promise<unknown> => {
    const asked = page.waitForRequest((request: Request) => request.url().includes('endpoint/edit'));
    await button('Save endpoint').click();
    return (await asked).postDataJSON();
  };
  try {
    // A load of the page: a page that was shown before has its endpoints.
    await page.goto(path('/webhooks'));
    await button('Edit http://127.0.0.1:9/ticked').click();
    await expect.poll(types).toEqual(['Completed payment.completed', 'Disputed payment.disputed']);
    await dialog().getByLabel('Active').uncheck();
    expect(await saved()).not.toHaveProperty('events');
    await dialog().waitFor({ state: 'detached' });
    await button('Edit http://127.0.0.1:9/ticked').click();
    await dialog().getByLabel('payment.late').check();
    expect(await saved()).toMatchObject({
      events: ['payment.completed', 'payment.disputed', 'payment.late'],
    });
  } finally {
    await page.unroute('**/merchant/webhook/endpoint/list*');
  }
});
