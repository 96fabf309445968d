import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ERROR_CODES } from '../../../src/domain/errors.ts';
import { ERROR_STATUS } from '../../../src/http/server/error-status.ts';
import { defineRoute } from '../../../src/http/server/route.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { newMerchant, newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';

const crash = defineRoute({
  method: 'POST',
  path: '/test/crash',
  summary: '',
  description: '',
  tags: [],
  auth: 'none',
  scope: 'never',
  body: z.object({}),
  data: z.object({}),
  status: 200,
  errors: [],
  handler: async () => {
    throw new Error('the secret ingredient is broken');
  },
});

const forPayers = defineRoute({
  method: 'POST',
  path: '/test/payer',
  summary: '',
  description: '',
  tags: [],
  auth: 'payer',
  scope: 'any',
  body: z.object({}),
  data: z.object({}),
  status: 200,
  errors: [],
  handler: async () => ({}),
});

let release: () => void = () => {};
let entered: () => void = () => {};
const slow = defineRoute({
  method: 'GET',
  path: '/test/slow',
  summary: '',
  description: '',
  tags: [],
  auth: 'none',
  scope: 'never',
  data: z.object({ done: z.boolean() }),
  status: 200,
  errors: [],
  handler: async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
      entered();
    });
    return { done: true };
  },
});

interface Failure {
  error: { code: string; message: string; details: { field: string }[] };
  data: { email: string; metadata: object };
}

interface OpenApiJson {
  openapi: string;
  paths: Record<
    string,
    Record<
      'get' | 'post',
      {
        requestBody: { content: Record<string, { schema: { required: string[] } }> };
        security: object[];
        parameters: { name: string }[];
        responses: Record<string, object>;
      }
    >
  >;
}

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp({ extraRoutes: [crash, slow, forPayers] });
});
afterAll(async () => app.destroy());

const post = async (path: string, body: string | Buffer, headers: Record<string, string> = {}) => {
  const response = await fetch(app.baseUrl + path, {
    method: 'POST',
    body: body as string,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Failure };
};

describe('the response envelope', () => {
  it('answers an unknown route with 404 NOT_FOUND', async () => {
    const { status, body } = await app.api.call('GET', '/nowhere');
    expect(status).toBe(404);
    expect(body).toEqual({
      success: false,
      error: { status: 404, code: 'NOT_FOUND', message: expect.any(String) },
      data: null,
    });
  });

  it('answers a wrong method with 405 and Allow', async () => {
    const { status, headers, body } = await app.api.call('PUT', '/merchant/list');
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD');
    expect(body.error?.code).toBe('METHOD_NOT_ALLOWED');
    expect((await app.api.call('GET', '/auth/login')).headers.get('allow')).toBe('POST');
  });

  it('hides internal errors, and logs them with the request id', async () => {
    const { status, headers, body } = await post('/test/crash', '{}');
    expect(status).toBe(500);
    expect(body).toEqual({
      success: false,
      error: { status: 500, code: 'INTERNAL_ERROR', message: expect.any(String) },
      data: null,
    });
    expect(JSON.stringify(body)).not.toContain('ingredient');
    const line = app.logs.find((entry) => entry.includes('ingredient'));
    expect(line).toContain(headers.get('x-request-id'));
  });

  it('returns a plain request id of the client unchanged and replaces any other', async () => {
    const kept = await fetch(`${app.baseUrl}/healthz`, { headers: { 'x-request-id': 'order-77.a' } });
    expect(kept.headers.get('x-request-id')).toBe('order-77.a');
    for (const id of ['a b', '"><script>', 'x'.repeat(300)]) {
      const replaced = await fetch(`${app.baseUrl}/healthz`, { headers: { 'x-request-id': id } });
      expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('has an HTTP status for every error code', () => {
    for (const code of ERROR_CODES) expect(ERROR_STATUS[code]).toBeGreaterThanOrEqual(400);
  });

  it('forbids caches to store any response', async () => {
    const { headers } = await app.api.call('GET', '/auth/me');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });
});

describe('URL paths', () => {
  it('are case-sensitive and have no trailing slash', async () => {
    expect((await fetch(`${app.baseUrl}/merchant/list`)).status).toBe(401);
    const others = ['/Merchant/LIST', '/merchant/list/', '/merchant/list//', '//merchant/list'];
    for (const path of [...others, '/merchant', '/merchant/list/x']) {
      expect((await fetch(`${app.baseUrl}${path}`)).status).toBe(404);
    }
  });

  it('answer HEAD with the same headers as GET and no body', async () => {
    const [get, head] = await Promise.all([
      fetch(`${app.baseUrl}/merchant/list`, { headers: { 'X-Request-Id': 'one' } }),
      fetch(`${app.baseUrl}/merchant/list`, { method: 'HEAD', headers: { 'X-Request-Id': 'one' } }),
    ]);
    expect(head.status).toBe(get.status);
    expect(await head.text()).toBe('');
    for (const [name, value] of get.headers) {
      if (!['date', 'connection', 'keep-alive'].includes(name)) expect(head.headers.get(name)).toBe(value);
    }
  });
});

describe('a request body', () => {
  it.each([
    ['truncated JSON', '{"email":'],
    ['not JSON', 'email=a'],
    ['a bare string', '"hello"'],
    ['a bare null', 'null'],
  ])('is answered with 400 VALIDATION_INVALID when it is %s', async (_name, body) => {
    const answer = await post('/auth/login', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('VALIDATION_INVALID');
    expect(answer.body.error.details[0]?.field).toBe('body');
  });

  it('is answered with 400 naming the body when it is an array instead of an object', async () => {
    const { status, body } = await post('/auth/login', '[]');
    expect([status, body.error.details[0]?.field]).toEqual([400, 'body']);
  });

  it('is answered with the names of all required fields when it is absent', async () => {
    const { status, body } = await app.api.call('POST', '/auth/login');
    expect(status).toBe(400);
    expect(body.error?.details?.map(({ field }) => field)).toEqual(['email', 'password']);
  });

  it('is rejected with the reason when its content type is not JSON', async () => {
    const { status, body } = await post('/auth/login', 'email=a&password=b', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_INVALID']);
    expect(body.error.message).toContain('application/json');
  });

  it('is answered with 413 above 100 kB, also in deeply nested unknown fields, and with 400 just below', async () => {
    const above = await post('/auth/login', JSON.stringify({ junk: 'x'.repeat(102_400) }));
    expect([above.status, above.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const below = await post('/auth/login', JSON.stringify({ junk: 'x'.repeat(102_000) }));
    expect(below.status).toBe(400);
  });

  it('is answered with 413 when it is small but decompresses to more than the limit', async () => {
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(JSON.stringify({ junk: 'x'.repeat(5_000_000) }));
    const { status, body } = await post('/auth/login', bomb, { 'content-encoding': 'gzip' });
    expect([status, body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('is answered with 400 in an unknown encoding or character set', async () => {
    expect((await post('/auth/login', '{}', { 'content-encoding': 'zstd9' })).status).toBe(400);
    expect(
      (await post('/auth/login', '{}', { 'content-type': 'application/json; charset=klingon' })).status,
    ).toBe(400);
  });

  it('may be nested tens of thousands deep without a crash', async () => {
    const { token } = await newUser(app);
    const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`;
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'deep' };
    const { status, body } = await post(
      '/merchant/customer/create',
      `{"email":"d@x.com","junk":${deep}}`,
      headers,
    );
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_INVALID']);
  });

  it('is handled normally when its keys are names like __proto__', async () => {
    const { token } = await newUser(app);
    const headers = { authorization: `Bearer ${token}` };
    const raw =
      '{"email":"proto@x.com","__proto__":{"email":"evil@x.com"},"constructor":{"prototype":{"polluted":1}},' +
      '"metadata":{"__proto__":{"polluted":1},"a":1,"toString":"x"}}';
    const { status, body } = await post('/merchant/customer/create', raw, headers);
    expect(status).toBe(201);
    expect(body.data.email).toBe('proto@x.com');
    expect(body.data.metadata).toEqual({ a: 1, toString: 'x' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('is accepted with unknown fields, which are ignored', async () => {
    const { token } = await newUser(app);
    const { status } = await app.api.call('POST', '/merchant/customer/create', {
      token,
      body: { email: 'extra@x.com', colour: 'red' },
    });
    expect(status).toBe(201);
  });

  it('is read only after the credentials were checked', async () => {
    const { status, body } = await post('/merchant/create', '{"name":');
    expect([status, body.error.code]).toEqual([401, 'UNAUTHORISED']);
  });
});

/** Of the headers that an answer to GET carries, those that do not tell what went wrong. */
async function headerNames(path: string): Promise<string[]> {
  const { headers } = await fetch(`${app.baseUrl}${path}`);
  return [...headers.keys()].filter((name) => !['www-authenticate', 'allow'].includes(name)).sort();
}

describe('response headers', () => {
  it('allow pages of any origin to use a public key, without cookies', async () => {
    const preflight = await fetch(`${app.baseUrl}/test/payer`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const refused = await fetch(`${app.baseUrl}/test/payer`, { method: 'POST' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(refused.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
  });

  it('are the same for routes, errors and refused methods', async () => {
    const ofRoute = await headerNames('/merchant/list');
    expect(ofRoute).toContain('content-security-policy');
    expect(ofRoute).not.toContain('strict-transport-security');
    expect(ofRoute).not.toContain('access-control-allow-origin');
    for (const path of ['/nothing/here', '/merchant/create', '/healthz']) {
      expect(await headerNames(path)).toEqual(ofRoute);
    }
  });

  it.each(['/merchant/list', '/nothing/here', '/healthz', '/docs'])(
    'include HSTS only where the request for %s came by TLS, also as reported by a trusted proxy',
    async (path) => {
      const proxied = await startHttpApp({ settings: { trustProxy: 1 } });
      const told = async (at: HttpApp, proto: string) =>
        (await fetch(at.baseUrl + path, { headers: { 'x-forwarded-proto': proto } })).headers.get(
          'strict-transport-security',
        );
      expect(await told(proxied, 'https')).toMatch(/^max-age=\d{8}/);
      expect(await told(proxied, 'http')).toBeNull();
      // Any client may send this header to a daemon that trusts no proxy.
      expect(await told(app, 'https')).toBeNull();
      await proxied.destroy();
    },
  );

  it('include a content security policy that lets API responses load nothing', async () => {
    const { headers } = await fetch(`${app.baseUrl}/healthz`);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
  });
});

describe('the request log', () => {
  it('has one line per request, without credentials, query string or body', async () => {
    const { token } = await newUser(app);
    const merchant = await newMerchant(app, token);
    await app.api.call('GET', `/merchant/webhook/secret?merchantId=${merchant.id}`, { token });
    await app.api.call('POST', '/auth/login', { body: { email: 'who@x.com', password: 'hunter2hunter2' } });
    await app.api.call('GET', '/auth/me?token=query-secret', { token });
    const text = app.logs.join('\n');
    expect(text).toContain('"path":"/merchant/webhook/secret"');
    for (const secret of [
      token,
      merchant.auth.secret,
      'hunter2hunter2',
      'query-secret',
      'whsec_',
      'who@x.com',
    ]) {
      expect(text).not.toContain(secret);
    }
  });
});

/** Ends a test that hangs; a busy machine writes a line some seconds late. */
const LOG_LIMIT = { timeout: 60_000 };

/** The line of a request, which is written once its answer has gone. */
async function lineOf(at: HttpApp, requestId: string): Promise<Record<string, unknown>> {
  return vi.waitUntil(() => {
    const line = at.logs.find((entry) => entry.includes(`"requestId":"${requestId}"`));
    return line === undefined ? null : (JSON.parse(line) as Record<string, unknown>);
  }, LOG_LIMIT);
}

/** Reads an address, and returns the line of that request. */
async function logged(at: HttpApp, requestId: string, path: string, credential?: string) {
  const authorization = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
  await fetch(at.baseUrl + path, { headers: { 'x-request-id': requestId, ...authorization } });
  return lineOf(at, requestId);
}

describe('the access log', () => {
  it('contains route, status, client address, and the kind and id of the caller', async () => {
    const { token, id } = await newUser(app);
    const merchant = await newMerchant(app, token);
    const { key } = await app.api.must<{ key: { id: string; value: string } }>(
      'POST',
      '/merchant/keys/create',
      { token, body: { merchantId: merchant.id, name: 'Till', scopes: ['customers:read'] } },
    );
    const path = '/merchant/customer/list';
    const common = { method: 'GET', route: path, path, status: 200, client: '127.0.0.1' };
    expect(await logged(app, 'by-user', path, token)).toMatchObject({
      ...common,
      actor: 'user',
      actorId: id,
    });
    expect(await logged(app, 'by-secret', path, merchant.auth.secret)).toMatchObject({
      ...common,
      actor: 'secret',
      actorId: merchant.id,
    });
    expect(await logged(app, 'by-key', path, key.value)).toMatchObject({
      ...common,
      actor: 'restricted',
      actorId: key.id,
    });
    const refused = await logged(app, 'by-nobody', path, `${token}x`);
    expect(refused).toMatchObject({ ...common, status: 401 });
    expect(Object.keys(refused)).not.toContain('actor');
    const unknown = await logged(app, 'nowhere', '/nowhere?token=query-secret');
    expect(unknown).toMatchObject({ route: 'other', path: '/nowhere', status: 404 });
  });

  it('identifies a session by its user, without the token of its cookie', async () => {
    const { id, email } = await newUser(app);
    const session = await SessionClient.signIn(app.baseUrl, { email, password: 'correct horse battery' });
    const { headers } = await session.raw('GET', '/auth/me', undefined, { 'x-request-id': 'by-session' });
    expect(headers.get('x-request-id')).toBe('by-session');
    const line = await lineOf(app, 'by-session');
    expect(line).toMatchObject({ actor: 'user', actorId: id });
  });

  it('contains the network instead of the address of a client, or neither, depending on the setting', async () => {
    const settings = { trustProxy: 1 } as const;
    for (const [accessLog, client] of [
      ['full', '203.0.113.77'],
      ['anonymous', '203.0.113.0/24'],
    ] as const) {
      const other = await startHttpApp({ settings: { ...settings, accessLog } });
      await fetch(`${other.baseUrl}/auth/me`, {
        headers: { 'x-request-id': 'proxied', 'x-forwarded-for': '203.0.113.77' },
      });
      expect(await lineOf(other, 'proxied')).toMatchObject({ level: 'info', client });
      await other.destroy();
    }
    const quiet = await startHttpApp({ settings: { accessLog: 'off' } });
    expect(await logged(quiet, 'unlogged', '/auth/me')).toMatchObject({ level: 'debug' });
    await quiet.destroy();
  });
});

describe('system routes (/healthz, /readyz, /metrics, /openapi.json)', () => {
  it('report that the process is alive, whether it is ready, and its state', async () => {
    expect((await app.api.call('GET', '/healthz')).body).toEqual({
      success: true,
      error: null,
      data: { status: 'ok', version: '0.0.0' },
    });
    const { status, body } = await app.api.call('GET', '/readyz');
    expect([status, body.data]).toEqual([200, { ready: true, database: 'ok', chains: {}, warnings: [] }]);
    await app.api.call('GET', '/auth/me');
    const metrics = await (await fetch(`${app.baseUrl}/metrics`)).text();
    expect(metrics).toContain(
      'tilld_http_request_duration_seconds_count{method="GET",route="/auth/me",status="401"}',
    );
  });

  it('do not create metrics for unknown paths', async () => {
    await app.api.call('GET', '/wp-admin-probe');
    expect(await (await fetch(`${app.baseUrl}/metrics`)).text()).not.toContain('wp-admin-probe');
  });

  it('answer 503 with the parts that are not ready, also when the state of a part cannot be read', async () => {
    const states = [
      async () => ({ ready: false, database: 'ok', chains: { BTC: { lag: 9 } }, warnings: [] }),
      async () => Promise.reject(new Error('no')),
    ];
    for (const readiness of states) {
      const other = await startHttpApp({ readiness });
      const { status, body } = await other.api.call('GET', '/readyz');
      expect([status, body.success, body.data['ready']]).toEqual([503, false, false]);
      await other.destroy();
    }
  });

  it('document every route in OpenAPI 3.1 from the same definitions', async () => {
    const document = (await (await fetch(`${app.baseUrl}/openapi.json`)).json()) as OpenApiJson;
    expect(document.openapi).toBe('3.1.0');
    const create = document.paths['/merchant/customer/create']!.post;
    expect(create.requestBody.content['application/json']!.schema.required).toEqual(['email']);
    expect(create.security).toEqual([
      { userToken: [] },
      { secretKey: [] },
      { restrictedKey: ['customers:write'] },
    ]);
    expect(Object.keys(create.responses)).toEqual(
      expect.arrayContaining(['201', '400', '401', '413', '422', '500']),
    );
    expect(JSON.stringify(create.responses['400'])).toMatch(/DUPLICATE_ENTRY.*VALIDATION_INVALID/);
    const secret = document.paths['/merchant/webhook/secret']!.get;
    expect(JSON.stringify(secret.parameters)).toContain('merchantId');
    expect(JSON.stringify(document)).not.toContain('undefined');
  });
});

describe('shutdown of the HTTP server', () => {
  it('finishes running requests, accepts no new ones, and does not wait for idle connections', async () => {
    const other = await startHttpApp({ extraRoutes: [slow] });
    const idle = connect(Number(new URL(other.baseUrl).port), '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const running = other.api.call<{ done: boolean }>('GET', '/test/slow');
    await inside;
    // Longer than this test may take.
    const closed = other.close(600_000);
    await expect(fetch(`${other.baseUrl}/healthz`)).rejects.toThrow();
    release();
    expect((await running).body.data.done).toBe(true);
    await closed;
    idle.destroy();
    await other.destroy();
  });

  it('aborts unfinished requests after the time limit', async () => {
    const other = await startHttpApp({ extraRoutes: [slow] });
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const failed = new Promise<Error>((resolve) => {
      request(`${other.baseUrl}/test/slow`).once('error', resolve).end();
    });
    await inside;
    await other.close(100);
    expect(await failed).toBeInstanceOf(Error);
    release();
    await other.destroy();
  });
});

it('the request log truncates a long URL', async () => {
  const before = app.logs.length;
  await fetch(`${app.baseUrl}/${'x/'.repeat(7_000)}`);
  await vi.waitFor(() => expect(app.logs.length).toBeGreaterThan(before), LOG_LIMIT);
  expect(app.logs.slice(before).join().length).toBeLessThan(1_000);
});

it.each([
  '/r/TOKEN',
  '/R/TOKEN/',
  '//r/TOKEN',
  '/shop/r/TOKEN',
  '/%72/TOKEN',
  '/r%2FTOKEN',
  '/./r/TOKEN;a=1',
])('the request log contains no token of a refund link, whatever the form of its URL: %s', async (path) => {
  const token = 'Zk3vXyLh7NbA2sE9cW5Rm0QpTj4UgDf8HnVtYxKqPwS';
  const { hostname, port } = new URL(app.baseUrl);
  const before = app.logs.length;
  // By hand: fetch would tidy up the address.
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request({ hostname, port, path: path.replace('TOKEN', token) }, (res) => {
      res.resume().once('end', () => resolve(res.statusCode));
    })
      .once('error', reject)
      .end();
  });
  expect(status).toBe(404);
  await vi.waitFor(() => expect(app.logs.length).toBeGreaterThan(before), LOG_LIMIT);
  expect(app.logs.slice(before).join()).not.toContain(token);
});
