import { request } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { newUser, startHttpApp, type HttpApp, type HttpAppOptions } from '../../_helpers/http-app.ts';

let app: HttpApp;
afterEach(async () => app.destroy());

const start = async (settings: NonNullable<HttpAppOptions['settings']>) => {
  app = await startHttpApp({ settings });
};
const body = { email: 'who@example.com', password: 'correct horse battery' };
const attempt = (path = '/auth/login', headers: Record<string, string> = {}) =>
  app.api.call('POST', path, { body, headers });

const from = async (address: string) => (await attempt('/auth/login', { 'x-forwarded-for': address })).status;

const raw = async (path: string) =>
  new Promise<number>((resolve) => {
    const headers = { 'content-type': 'application/json' };
    const call = request(app.baseUrl + path, { method: 'POST', headers });
    call.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.end(JSON.stringify(body));
  });

it('the rate limit answers the sixth sign-in of a minute with 429, where registrations and logins count together', async () => {
  await start({ authRatePerMinute: 5 });
  const statuses: number[] = [];
  for (const path of ['/auth/register', '/auth/login', '/auth/login', '/auth/register', '/auth/login']) {
    statuses.push((await attempt(path)).status);
  }
  expect(statuses).toEqual([201, 200, 200, 400, 200]);
  const refused = await attempt();
  expect(refused.status).toBe(429);
  expect(refused.body).toEqual({
    success: false,
    error: { status: 429, code: 'RATE_LIMITED', message: expect.any(String) },
    data: null,
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect((await attempt('/auth/register')).status).toBe(429);
});

it('the rate limit counts refused and malformed sign-ins', async () => {
  await start({ authRatePerMinute: 2 });
  await app.api.call('POST', '/auth/login', { body: {} });
  await app.api.call('POST', '/auth/login', { body: { ...body, password: 'wrong password' } });
  expect((await attempt()).status).toBe(429);
});

it('the rate limit does not count routes that require a token', async () => {
  await start({ authRatePerMinute: 2 });
  const { token } = await newUser(app);
  for (let i = 0; i < 10; i += 1) expect((await app.api.call('GET', '/auth/me', { token })).status).toBe(200);
  expect((await app.api.call('GET', '/auth/me')).status).toBe(401);
});

it('the rate limit is off when it is configured as 0', async () => {
  await start({ authRatePerMinute: 0 });
  for (let i = 0; i < 12; i += 1) expect((await attempt('/auth/login')).status).toBe(401);
});

it('the rate limit uses a forwarded client address only from a trusted proxy', async () => {
  await start({ authRatePerMinute: 1 });
  expect((await attempt('/auth/login', { 'x-forwarded-for': '203.0.113.1' })).status).toBe(401);
  expect((await attempt('/auth/login', { 'x-forwarded-for': '203.0.113.2' })).status).toBe(429);
});

it('the rate limit counts a client once behind a proxy that appends the port of each connection to its address', async () => {
  await start({ authRatePerMinute: 1, trustProxy: 1 });
  for (const [first, second] of [
    ['203.0.113.1:50001', '203.0.113.1:50002'],
    ['[2001:db8::1]:50001', '2001:db8::1'],
    ['[::ffff:203.0.113.7]:1', '203.0.113.7:2'],
  ]) {
    expect([await from(first ?? ''), await from(second ?? '')], first).toEqual([401, 429]);
  }
  // What the client itself put before is not believed.
  expect(await from('198.51.100.1, 203.0.113.1')).toBe(429);
});

it('the rate limit counts per client behind a trusted proxy, and IPv6 clients by /64', async () => {
  await start({ authRatePerMinute: 1, trustProxy: 1 });
  expect(await from('203.0.113.1')).toBe(401);
  expect(await from('203.0.113.2')).toBe(401);
  expect(await from('203.0.113.1')).toBe(429);
  expect(await from('2001:db8:1:2::1')).toBe(401);
  expect(await from('2001:db8:1:2:ffff::9')).toBe(429);
  expect(await from('2001:db8:1:3::1')).toBe(401);
  expect(await from('::ffff:198.51.100.1')).toBe(401);
  expect(await from('::ffff:198.51.100.2')).toBe(401);
});

it('the rate limit is exact for concurrent requests', async () => {
  await start({ authRatePerMinute: 5 });
  const answers = await Promise.all(Array.from({ length: 20 }, async () => attempt()));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
});

it('the rate limit also counts requests with another spelling of the path', async () => {
  await start({ authRatePerMinute: 1 });
  expect(await raw('/auth/login')).toBe(401);
  // No route has these addresses.
  expect(await raw('/AUTH/login')).toBe(404);
  expect(await raw('/auth/login/')).toBe(404);
  expect(await raw('/auth/login?x=1')).toBe(429);
});
