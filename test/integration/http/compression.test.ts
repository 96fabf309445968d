/** Which responses are compressed, and that each coding of one is a response of its own for caches. */
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { secret } from '../../../src/http/schemas/security-marks.ts';
import { defineRoute } from '../../../src/http/server/route.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { startHttpApp } from '../../_helpers/http-app.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { Till } from '../../_helpers/till.ts';
import { ensureWebBuilt } from '../../_helpers/web/build.ts';

const ACCOUNT = { email: 'owner@example.com', password: 'correct horse battery' };
const CODINGS = ['br', 'gzip'] as const;
const DECODED = { br: brotliDecompressSync, gzip: gunzipSync };

let till: Till;
let shop: Shop;
let paymentId: string;
let script: string;
beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  const { token } = await till.api.must<{ token: string }>('POST', '/auth/register', { body: ACCOUNT });
  shop = await Shop.open(till.api, { owner: token });
  ({ id: paymentId } = await shop.createPayment());
  const { body } = await ask('/dashboard');
  script = /<script[^>]* src="([^"]+)"/.exec(body.toString())?.[1] ?? '';
});
afterAll(async () => till.end());

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As transferred. */
  readonly body: Buffer;
}

interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** A request whose response is not decoded. */
async function ask(
  path: string,
  { method = 'GET', headers = {}, body }: RawRequest = {},
): Promise<RawAnswer> {
  const sent = request(till.api.baseUrl + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) };
}

const withLongText = async () => ({ text: 'x'.repeat(5_000) });

/** The page of a checkout states the time at which it was rendered. */
const withoutTime = (text: string): string => text.replace(/data-now="\d+"/, '');

const key = () => ({ authorization: `Bearer ${shop.secretKey}` });

/** Responses that are compressed, with the headers that their readers send. */
const COMPRESSED: readonly [what: string, path: () => string, headers: () => Record<string, string>][] = [
  ['a script', () => script, () => ({})],
  ['/pay.js', () => '/pay.js', () => ({})],
  ['/docs', () => '/docs', () => ({})],
  ['/docs/style.css', () => '/docs/style.css', () => ({})],
  ['/openapi.json', () => '/openapi.json', () => ({})],
  ['a payment', () => `/payment/get?paymentId=${paymentId}`, key],
  ['a list', () => '/payment/list', key],
  ['the checkout', () => `/checkout/${paymentId}`, () => ({})],
  ['the state of a checkout', () => `/checkout/${paymentId}/state`, () => ({})],
];

describe.each(COMPRESSED)('the response for %s', (_what, path, headers) => {
  it.each(CODINGS)(
    'has the same text with the content coding %s, fewer bytes, and a correct length',
    async (coding) => {
      const plain = await ask(path(), { headers: headers() });
      const packed = await ask(path(), { headers: { ...headers(), 'accept-encoding': coding } });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(packed.headers['content-encoding']).toBe(coding);
      expect(packed.headers['content-type']).toBe(plain.headers['content-type']);
      expect(packed.headers['cache-control']).toBe(plain.headers['cache-control']);
      expect(packed.headers['content-length']).toBe(String(packed.body.length));
      expect(packed.body.length).toBeLessThan(plain.body.length / 1.5);
      const text = DECODED[coding](packed.body).toString();
      expect(withoutTime(text)).toBe(withoutTime(plain.body.toString()));
      for (const { headers: sent } of [plain, packed]) expect(sent['vary']).toContain('Accept-Encoding');
    },
  );

  it('has the same headers in response to HEAD, without a body', async () => {
    const accept = { ...headers(), 'accept-encoding': 'gzip' };
    const got = await ask(path(), { headers: accept });
    const head = await ask(path(), { method: 'HEAD', headers: accept });
    expect(head.status).toBe(200);
    expect(head.body.length).toBe(0);
    expect(head.headers['content-encoding']).toBe('gzip');
    expect(head.headers['vary']).toBe(got.headers['vary']);
    expect(head.headers['etag']).toBe(got.headers['etag']);
  });
});

describe('a response with an ETag', () => {
  const TAGGED = ['/docs', '/docs/style.css', '/openapi.json', '/pay.js', 'script'] as const;

  it.each(TAGGED)(
    'has a different ETag for each content coding, and gets a 304 for its own: %s',
    async (name) => {
      const path = name === 'script' ? script : name;
      const tags = new Set<string>();
      for (const coding of ['identity', 'gzip', 'br']) {
        const accept = { 'accept-encoding': coding };
        const { etag = '' } = (await ask(path, { headers: accept })).headers;
        tags.add(etag);
        const again = await ask(path, { headers: { ...accept, 'if-none-match': etag } });
        expect(again.status).toBe(304);
        expect(again.body.length).toBe(0);
        expect(again.headers['etag']).toBe(etag);
        expect(again.headers['vary']).toContain('Accept-Encoding');
      }
      expect(tags.size).toBe(3);
    },
  );

  it('answers 304 to the weak form of its ETag, which compressing proxies create', async () => {
    const path = `/checkout/${paymentId}/state`;
    const { etag = '' } = (await ask(path, { headers: { 'accept-encoding': 'br' } })).headers;
    expect(etag).toMatch(/^W\/"/);
    for (const tag of [etag, etag.slice(2)]) {
      const again = await ask(path, { headers: { 'if-none-match': tag } });
      expect([again.status, again.headers['vary']]).toEqual([304, 'Accept-Encoding']);
    }
  });
});

describe('a static file of the web pages', () => {
  it('has an immutable cache lifetime in each content coding', async () => {
    for (const coding of ['identity', 'gzip', 'br']) {
      const { headers } = await ask(script, { headers: { 'accept-encoding': coding } });
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['content-type']).toMatch(/^text\/javascript/);
    }
  });

  it('is served in byte ranges of the chosen content coding', async () => {
    const accept = { 'accept-encoding': 'br' };
    const whole = await ask(script, { headers: accept });
    const part = await ask(script, { headers: { ...accept, range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(part.headers['content-encoding']).toBe('br');
    expect(part.headers['content-range']).toBe(`bytes 10-19/${whole.body.length}`);
    expect(part.body.equals(whole.body.subarray(10, 20))).toBe(true);
    const condition = { range: 'bytes=10-19', 'if-range': whole.headers.etag ?? '' };
    expect((await ask(script, { headers: { 'accept-encoding': 'gzip', ...condition } })).status).toBe(200);
  });
});

describe('HTTP responses that stay uncompressed', () => {
  const accept = { 'accept-encoding': 'br, gzip' };

  it('include responses of at most a kilobyte', async () => {
    const answer = await ask('/payment/list?limit=1&search=nothing-like-it', {
      headers: { ...key(), ...accept },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.length).toBeLessThan(1_024);
    expect(answer.headers['content-encoding']).toBeUndefined();
  });

  it('include responses that contain a secret', async () => {
    const long = z.string();
    const facts = {
      method: 'GET',
      summary: 'A long text',
      description: 'A long text',
      tags: ['Payments'],
      auth: 'none',
      scope: 'never',
      status: 200,
      errors: [],
    } as const;
    const app = await startHttpApp({
      extraRoutes: [
        defineRoute({ ...facts, path: '/test/open', data: z.object({ text: long }), handler: withLongText }),
        defineRoute({
          ...facts,
          path: '/test/secret',
          data: z.object({ text: secret(long) }),
          handler: withLongText,
        }),
      ],
    });
    const open = await fetch(`${app.baseUrl}/test/open`, { headers: accept });
    const closed = await fetch(`${app.baseUrl}/test/secret`, { headers: accept });
    expect(open.headers.get('content-encoding')).toBe('br');
    expect(closed.headers.get('content-encoding')).toBeNull();
    expect(await closed.text()).toContain('xxx');
    await app.destroy();
  });

  it('include responses about the dashboard session, or with its cookie', async () => {
    const session = await SessionClient.signIn(till.api.baseUrl, ACCOUNT);
    // Many sessions, so that the list of them is long.
    for (let at = 0; at < 12; at += 1) await SessionClient.signIn(till.api.baseUrl, ACCOUNT);
    const headers = { ...SessionClient.OWN_PAGE, cookie: session.cookie, ...accept };
    const answer = await ask('/auth/sessions', { headers });
    expect(answer.body.length).toBeGreaterThan(1_024);
    expect(answer.headers['content-encoding']).toBeUndefined();
  });

  it('include responses to POST, which may repeat the request', async () => {
    const body = { orderId: 'long-one', amount: '10', currency: 'USD', customerId: shop.customerId };
    const made = await ask('/payment/create', { method: 'POST', headers: { ...key(), ...accept }, body });
    expect(made.status).toBe(201);
    expect(made.body.length).toBeGreaterThan(1_024);
    expect(made.headers['content-encoding']).toBeUndefined();
  });

  it('include pages whose URL contains a token', async () => {
    for (const path of [`/r/${'a'.repeat(43)}`, '/notices/off?token=abc']) {
      const answer = await ask(path, { headers: accept });
      expect(answer.headers['content-type']).toMatch(/^text\/html/);
      expect(answer.headers['content-encoding']).toBeUndefined();
    }
  });

  it('include event streams', async () => {
    const sent = request(`${till.api.baseUrl}/checkout/${paymentId}/events`, { headers: accept });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.headers['content-encoding']).toBeUndefined();
    const [first] = (await once(answer, 'data')) as [Buffer];
    expect(first.toString()).toContain('event: payment');
    sent.destroy();
  });
});
