import { base32nopad } from '@scure/base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { markVerified } from '../../../src/store/accounts/users.ts';
import { codeOfStep } from '../../../src/usecases/accounts/second-factor/totp.ts';
import { startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { takeMails } from '../../_helpers/outbox.ts';

const PASSWORD = 'correct horse battery';
const EMAIL = 'owner@example.com';
const HOME = '192.0.2.7';
const MINUTE_S = 60;

let app: HttpApp;
beforeEach(async () => {
  // The limit per address is out of the way; what is left is the one per account.
  app = await startHttpApp({ settings: { authRatePerMinute: 1_000_000, trustProxy: 1 } });
  await app.api.must('POST', '/auth/register', {
    body: { email: EMAIL, password: PASSWORD },
    headers: { 'x-forwarded-for': HOME },
  });
});
afterEach(async () => app.destroy());

const login = (password: string, options: { email?: string; from?: string; code?: string } = {}) =>
  app.api.call<{ token: string; user: { id: string } }>('POST', '/auth/login', {
    body: { email: options.email ?? EMAIL, password, code: options.code },
    headers: { 'x-forwarded-for': options.from ?? HOME },
  });
const retryAfter = (answer: { headers: Headers }) => Number(answer.headers.get('retry-after'));

/** Waits run while a slow machine works: up to 3 s may have passed already. */
const expectWait = (actualS: number, expectedS: number) => {
  expect(actualS).toBeLessThanOrEqual(expectedS);
  expect(actualS).toBeGreaterThanOrEqual(expectedS - 3);
};

/** Tries until refused with 429. @returns how many were looked at, and the seconds to wait. */
async function untilLimited(attempt: () => Promise<{ status: number; headers: Headers }>) {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await attempt();
    if (answer.status === 429) return { tries, waitS: retryAfter(answer) };
  }
  throw new Error('never limited');
}

const outcomes = async (email: string) => {
  const answers = [];
  for (let i = 0; i < 8; i += 1) answers.push(await login('wrong password', { email }));
  return answers.map(({ status, body, headers }) => [status, body, [...headers.keys()].sort()]);
};

/** Each try from a network of its own. */
const spread = (password = 'wrong password') => {
  let next = 0;
  return () => {
    next += 1;
    return login(password, { from: `10.${next >> 8}.${next & 255}.1` });
  };
};

const tokenOf = async () => (await login(PASSWORD)).body.data.token;

/** Switches the second factor on. */
const secured = async () => {
  const before = await login(PASSWORD);
  const { token, user } = before.body.data;
  await app.db.transaction((tx) => markVerified(tx, user.id, app.now()));
  const { secret } = await app.api.must<{ secret: string }>('POST', '/auth/totp/setup', {
    token,
    body: { password: PASSWORD },
  });
  const codeNow = () => codeOfStep(base32nopad.decode(secret), Math.floor(app.now() / 30_000));
  const { session } = await app.api.must<{ session: { token: string } }>('POST', '/auth/totp/enable', {
    token,
    body: { code: codeNow() },
  });
  app.advance(60_000);
  return { token: session.token, codeNow };
};

describe('login throttling of failures for one account from one network', () => {
  it('answers 429 with Retry-After after five failures', async () => {
    for (let i = 0; i < 5; i += 1) expect((await login('wrong password')).status).toBe(401);
    const refused = await login('wrong password');
    expect(refused.status).toBe(429);
    expect(refused.body.error).toEqual({ status: 429, code: 'RATE_LIMITED', message: expect.any(String) });
    expectWait(retryAfter(refused), 5);
    expect((await login(PASSWORD)).status).toBe(429);
  });

  it('increases the delay up to fifteen minutes, and resets when the owner signs in', async () => {
    for (const expectedS of [5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900]) {
      const { waitS } = await untilLimited(() => login('wrong password'));
      expectWait(waitS, expectedS);
      app.advance(waitS * 1000);
    }
    expect((await login(PASSWORD)).status).toBe(200);
    for (let i = 0; i < 4; i += 1) expect((await login('wrong password')).status).toBe(401);
    expect((await login(PASSWORD)).status).toBe(200);
  });

  it('checks no more than five passwords when many arrive concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, async () => login('wrong password')));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
  });

  it('treats an IPv4 /24 and an IPv6 /48 as one network', async () => {
    for (let i = 0; i < 5; i += 1) await login('wrong password', { from: `198.51.100.${i + 1}` });
    expect((await login('wrong password', { from: '198.51.100.200' })).status).toBe(429);
    expect((await login('wrong password', { from: '198.51.101.1' })).status).toBe(401);
    for (let i = 0; i < 5; i += 1) await login('wrong password', { from: `2001:db8:7:${i}::1` });
    expect((await login('wrong password', { from: '2001:db8:7:ffff::1' })).status).toBe(429);
    expect((await login('wrong password', { from: '2001:db8:8::1' })).status).toBe(401);
  });

  it('delays neither the owner in another network nor other users in this network', async () => {
    await app.api.must('POST', '/auth/register', { body: { email: 'else@example.com', password: PASSWORD } });
    await untilLimited(() => login('wrong password', { from: '203.0.113.5' }));
    expect((await login(PASSWORD)).status).toBe(200);
    expect((await login(PASSWORD, { from: '203.0.113.5', email: 'else@example.com' })).status).toBe(200);
  });

  it('does not reveal whether the account exists', async () => {
    expect(await outcomes('nobody@example.com')).toEqual(await outcomes(EMAIL));
  });

  it('counts upper and lower case spellings of the email address together', async () => {
    for (let i = 0; i < 5; i += 1)
      await login('wrong password', { email: i % 2 ? EMAIL : EMAIL.toUpperCase() });
    expect((await login('wrong password', { email: 'Owner@Example.Com' })).status).toBe(429);
  });
});

describe('login throttling of failures for one account from many networks', () => {
  it('allows one attempt in 30 s after 50 failures, while the owner can sign in from a known network', async () => {
    const attempt = spread();
    const { tries, waitS } = await untilLimited(attempt);
    expect(tries).toBe(50);
    expectWait(waitS, 30);
    expect((await login(PASSWORD)).status).toBe(200);
    app.advance(waitS * 1000);
    expect((await attempt()).status).toBe(401);
    expect((await attempt()).status).toBe(429);
    expect((await login(PASSWORD)).status).toBe(200);
  });

  it('delays the owner in a new network by seconds only', async () => {
    const { waitS } = await untilLimited(spread());
    const refused = await login(PASSWORD, { from: '203.0.113.9' });
    expect(refused.status).toBe(429);
    expect(retryAfter(refused)).toBeLessThanOrEqual(30);
    app.advance(waitS * 1000);
    expect((await login(PASSWORD, { from: '203.0.113.9' })).status).toBe(200);
  });

  it('remembers the known networks of the owner across a restart', async () => {
    const settings = { authRatePerMinute: 1_000_000, trustProxy: 1 };
    await app.close();
    const before = app;
    app = await startHttpApp({ settings, reopen: before });
    await untilLimited(spread());
    expect((await login(PASSWORD)).status).toBe(200);
  });

  it('lets the owner sign in from a new network after a password reset', async () => {
    const attempt = spread();
    await untilLimited(attempt);
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    await app.api.must('POST', '/auth/forgot-password', { body: { email: EMAIL }, headers });
    const link = (await takeMails(app, EMAIL)).at(-1)?.link ?? '';
    const token = new URL(link).searchParams.get('token');
    const password = 'quite another one';
    await app.api.must('POST', '/auth/reset-password', { body: { token, password }, headers });
    await untilLimited(attempt);
    expect((await login(password, { from: '203.0.113.9' })).status).toBe(200);
  });

  it('does not reveal whether the account exists', async () => {
    let next = 0;
    const nobody = () => {
      next += 1;
      return login('wrong password', { email: 'nobody@example.com', from: `10.9.${next}.1` });
    };
    const { tries, waitS } = await untilLimited(nobody);
    expect(tries).toBe(50);
    expectWait(waitS, 30);
  });
});

describe('throttling after the password step', () => {
  it('limits second-factor codes from all networks together, and the delay ends', async () => {
    const { codeNow } = await secured();
    let next = 0;
    const attempt = () => {
      next += 1;
      // A wrong code: with letters it is read as an unknown recovery code.
      return login(PASSWORD, { code: 'zzzz-zzzz-zzzz-zzzz', from: `10.0.${next}.1` });
    };
    const { tries, waitS } = await untilLimited(attempt);
    expect(tries).toBe(5);
    expectWait(waitS, 5);
    expect((await login(PASSWORD, { code: codeNow() })).status).toBe(429);
    expect((await login(PASSWORD)).body.error?.code).toBe('SECOND_FACTOR_REQUIRED');
    app.advance(5000);
    expect((await login(PASSWORD, { code: codeNow() })).status).toBe(200);
  });

  it('does not count a login without a code', async () => {
    await secured();
    for (let i = 0; i < 20; i += 1) {
      expect((await login(PASSWORD)).body.error?.code).toBe('SECOND_FACTOR_REQUIRED');
    }
  });

  it('limits guesses of the current password by a stolen user token', async () => {
    const token = await tokenOf();
    const change = (currentPassword: string) =>
      app.api.call('POST', '/auth/change-password', {
        token,
        body: { currentPassword, newPassword: 'what the thief wants' },
      });
    const { tries, waitS } = await untilLimited(() => change('wrong password'));
    expect(tries).toBe(5);
    expectWait(waitS, 5);
    const setup = await app.api.call('POST', '/auth/totp/setup', { token, body: { password: PASSWORD } });
    expect(setup.status).toBe(429);
    expect((await login(PASSWORD)).status).toBe(200);
    app.advance(waitS * 1000);
    expect((await change(PASSWORD)).status).toBe(200);
  });
});

it('the rate limit per client address counts every POST without a token under /auth', async () => {
  const limited = await startHttpApp({ settings: { authRatePerMinute: 5 } });
  const bodies = [
    ['/auth/session', { email: EMAIL, password: PASSWORD }],
    ['/auth/forgot-password', { email: EMAIL }],
    ['/auth/reset-password', { token: 'x', password: PASSWORD }],
    ['/auth/login', { email: EMAIL, password: PASSWORD }],
    ['/auth/register', { email: EMAIL, password: PASSWORD }],
  ] as const;
  for (const [path, body] of bodies) {
    expect((await limited.api.call('POST', path, { body })).status).not.toBe(429);
  }
  for (const [path, body] of bodies) {
    const answer = await limited.api.call('POST', path, { body });
    expect(answer.status).toBe(429);
    expect(retryAfter(answer)).toBeLessThanOrEqual(MINUTE_S);
  }
  await limited.destroy();
});
