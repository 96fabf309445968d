import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Till } from '../_helpers/till.ts';
import { WebBrowser } from '../_helpers/web/browser.ts';
import { signInBrowser } from '../_helpers/web/dashboard.ts';

/**
 * The other site is another port of the same host: to browsers another origin of the same site, to which the cookie
 * goes along in spite of SameSite=Strict. What holds here holds the more for other sites.
 */
const person = { email: 'owner@example.com', password: 'correct horse battery' };
const SHOP = JSON.stringify({ name: 'Robbed', domain: 'robbed.example' });

let till: Till;
let evil: Server;
let evilOrigin = '';
let browser: WebBrowser;
let context: BrowserContext;
let page: Page;
let token = '';
/** What the daemon got from the evil page, as it would have been served. */
let sent: { method: string; cookie: boolean }[] = [];

beforeAll(async () => {
  till = await Till.start();
  ({ token } = await till.api.must<{ token: string }>('POST', '/auth/register', { body: person }));
  evil = createServer((req, res) => {
    res.setHeader('content-type', 'text/html');
    // One field of a text/plain form whose name and value together are JSON.
    const form = `<form method="post" enctype="text/plain" action="${till.api.baseUrl}/merchant/create">
      <input name='${SHOP.slice(0, -1)},"x":"' value='"}'><button>Win</button></form>`;
    res.end(req.url === '/form' ? form : '<p>Evil</p>');
  });
  await new Promise<void>((resolve) => void evil.listen(0, '127.0.0.1', resolve));
  evilOrigin = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
  browser = await WebBrowser.start(till.api.baseUrl, [evilOrigin]);
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
  evil?.close();
});
beforeEach(async () => {
  context = await browser.context();
  // Only where the page came from is left to refuse.
  await signInBrowser(context, till.api.baseUrl, { ...person, steppedUp: true });
  page = await context.newPage();
  sent = [];
  context.on('request', (request) => {
    if (!request.url().startsWith(till.api.baseUrl)) return;
    void noteRequest(request);
  });
});

async function noteRequest(request: Request): Promise<void> {
  const headers = await request.allHeaders();
  sent.push({ method: request.method(), cookie: headers['cookie'] !== undefined });
}

async function shops(): Promise<unknown[]> {
  return (await till.api.must<{ merchants: unknown[] }>('GET', '/merchant/list', { token })).merchants;
}

it('a form on another origin changes nothing, although the browser sends the session cookie', async () => {
  await page.goto(`${evilOrigin}/form`);
  await page.getByRole('button', { name: 'Win' }).click();
  await page.getByText('FORBIDDEN').waitFor();
  await expect.poll(() => sent).toContainEqual({ method: 'POST', cookie: true });
  expect(await shops()).toEqual([]);
});

it.each([
  ['with plain text, unreadable response', { mode: 'no-cors', headers: { 'content-type': 'text/plain' } }],
  ['as JSON', { headers: { 'content-type': 'application/json' } }],
  ['with the header of the dashboard', { headers: { 'X-Tilld-Dashboard': '1' } }],
])('a script on another origin changes nothing: %s', async (_how, init) => {
  await page.goto(evilOrigin);
  const outcome = await page.evaluate(
    async ([url, options, body]) =>
      fetch(url, { ...options, method: 'POST', credentials: 'include', body } as RequestInit).then(
        (answer) => `${answer.type} ${answer.status}`,
        () => 'refused',
      ),
    [`${till.api.baseUrl}/merchant/create`, init, SHOP] as const,
  );
  // An opaque answer, or none at all: the browser asked first and was not allowed.
  expect(['opaque 0', 'refused']).toContain(outcome);
  expect(await shops()).toEqual([]);
});

it('a script on another origin cannot read any response', async () => {
  await page.goto(evilOrigin);
  const read = await page.evaluate(
    async (url) =>
      fetch(url, { credentials: 'include' }).then(
        async (answer) => answer.text(),
        () => 'refused',
      ),
    `${till.api.baseUrl}/auth/session`,
  );
  expect(read).toBe('refused');
});
