import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop } from '../_helpers/api-client.ts';
import { Till } from '../_helpers/till.ts';
import { WebBrowser } from '../_helpers/web/browser.ts';

/** A page of a shop that makes a payment, reads it, and keeps what it got. */
const SCRIPT = `
import { shopState, Tilld } from '/sdk.js';
const [baseUrl, key, secret, customerId] = decodeURIComponent(location.hash.slice(1)).split(' ');
const till = new Tilld({ baseUrl, key });
const code = (work) => work.then(() => 'done', ({ code }) => code);
const order = { orderId: 'page-1', amount: '10', currency: 'EUR', customerId };
const { id } = await till.payments.create(order);
const shown = await till.payments.payerView({ paymentId: id });
let refusal = null;
try {
  new Tilld({ baseUrl, key: secret });
} catch (error) {
  refusal = error.message;
}
window.result = {
  same: shown.id === id && (await till.payments.create(order)).id === id,
  state: shopState(shown),
  isPrivate: !('metadata' in shown),
  list: await code(till.payments.list()),
  gone: await till.payments.get({ paymentId: 'pay_none' }).catch(({ requestId }) => typeof requestId),
  refusal,
};
`;

let till: Till;
let shop: Shop;
let site: Server;
let origin: string;
let browser: WebBrowser;

beforeAll(async () => {
  till = await Till.start();
  shop = await Shop.open(till.api);
  const bundle = await rolldown({ input: 'packages/sdk/src/index.ts', platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const files: Record<string, readonly [type: string, text: string]> = {
    '/sdk.js': ['text/javascript', output[0].code],
    '/shop.js': ['text/javascript', SCRIPT],
    '/': [
      'text/html',
      '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/shop.js"></script>',
    ],
  };
  site = createServer(({ url = '/' }, response) => {
    const [type, text] = files[url] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': type }).end(text);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  browser = await WebBrowser.start(till.api.baseUrl, [origin]);
});
afterAll(async () => {
  await browser?.stop();
  site?.closeAllConnections();
  site?.close();
  await till?.end();
});

it('the SDK creates a payment with the public key in a web page, and throws for a secret key there', async () => {
  const page = await browser.page();
  const given = [till.api.baseUrl, shop.publicKey, shop.secretKey, shop.customerId].join(' ');
  await page.goto(`${origin}/#${encodeURIComponent(given)}`);
  await page.waitForFunction('window.result');
  expect(await page.evaluate('window.result')).toEqual({
    same: true,
    state: 'waiting',
    isPrivate: true,
    list: 'NO_ANSWER',
    gone: 'string',
    refusal: 'key: a secret or restricted key must never be in a web page, use the public one',
  });
  // The browser tells of what the page may not read, and of nothing else.
  const complaints = browser.takeComplaints();
  expect(complaints.some((text) => /payment\/list.*blocked by CORS policy/.test(text))).toBe(true);
  expect(complaints.filter((text) => !/blocked by CORS policy|ERR_FAILED/.test(text))).toEqual([]);
});
