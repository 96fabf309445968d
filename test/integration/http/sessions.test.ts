import { base32nopad } from '@scure/base';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOfStep } from '../../../src/usecases/accounts/second-factor/totp.ts';
import { newConfirmedUser as newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { pruned } from '../../_helpers/pruned.ts';
import { cookieOf, SessionClient } from '../../_helpers/session-client.ts';

const PASSWORD = 'correct horse battery';
const HOUR_MS = 3_600_000;

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(async () => app.destroy());

const signIn = async (email: string, headers: Record<string, string> = {}) =>
  SessionClient.signIn(app.baseUrl, { email, password: PASSWORD }, headers);
const isIn = async (client: SessionClient) => (await client.call('GET', '/auth/session')).status === 200;
const outcome = (answer: { status: number; body: { error: { code: string } | null } }) => [
  answer.status,
  answer.body.error?.code ?? null,
];
const listed = async (client: SessionClient) =>
  (
    await client.call<{ sessions: { id: string; current: boolean; address: string; userAgent: string }[] }>(
      'GET',
      '/auth/sessions',
    )
  ).body.data.sessions;
/** What an authenticator app with this secret shows, some steps from now. */
const codeFor = (secret: string, steps = 0) =>
  codeOfStep(base32nopad.decode(secret), Math.floor(app.now() / 30_000) + steps);

describe('sign-in with a session', () => {
  it('sets a cookie that is hidden from scripts and other sites, and returns no token', async () => {
    const { email, id } = await newUser(app);
    const client = new SessionClient(app.baseUrl);
    const answer = await client.call('POST', '/auth/session', { email, password: PASSWORD });
    expect(answer.body.data).toEqual({ user: { id, email, isVerified: true } });
    const cookie = cookieOf(answer);
    expect(cookie?.pair).toMatch(/^tilld_session_3000=[0-9A-Za-z]{43}$/);
    expect(cookie?.attributes).toEqual(['Max-Age=604800', 'Path=/', 'HttpOnly', 'SameSite=Strict']);
    const me = await client.call('GET', '/auth/me');
    expect(me.body.data).toEqual({ user: { id, email, isVerified: true } });
  });

  it('stores only the hash of the token, and encrypts the location of the user', async () => {
    const { email } = await newUser(app);
    const client = await signIn(email, { 'user-agent': 'Mozilla/5.0 Firefox/140.0' });
    const { rows } = await sql<object>`SELECT * FROM sessions`.execute(app.db);
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(client.cookie.split('=')[1]);
    expect(stored).not.toContain('Firefox');
    expect(stored).not.toContain('127.0.0.1');
    expect(app.logs.join('\n')).not.toContain(client.cookie.split('=')[1]);
  });

  it('creates a new session each time, because the response is not stored under an Idempotency-Key', async () => {
    const { email } = await newUser(app);
    const client = new SessionClient(app.baseUrl);
    const body = { email, password: PASSWORD };
    const tokens: (string | undefined)[] = [];
    for (let times = 0; times < 2; times += 1) {
      const answer = await client.call('POST', '/auth/session', body, { 'idempotency-key': 'sign-in' });
      expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, null]);
      tokens.push(cookieOf(answer)?.value);
    }
    expect(new Set(tokens).size).toBe(2);
    const { rows } = await sql`SELECT 1 FROM idempotency WHERE route = 'POST /auth/session'`.execute(app.db);
    expect(rows).toEqual([]);
  });

  it('sets a cookie over https whose prefix binds it to this host and to TLS', async () => {
    const secure = await startHttpApp({ settings: { baseUrl: 'https://pay.shop.example' } });
    try {
      const { email } = await newUser(secure);
      const client = new SessionClient(secure.baseUrl);
      const answer = await client.call('POST', '/auth/session', { email, password: PASSWORD });
      const cookie = cookieOf(answer);
      expect(cookie?.pair).toMatch(/^__Host-tilld=[0-9A-Za-z]{43}$/);
      expect(cookie?.attributes).toEqual([
        'Max-Age=604800',
        'Path=/',
        'HttpOnly',
        'SameSite=Strict',
        'Secure',
      ]);
      expect((await client.call('GET', '/auth/session')).status).toBe(200);
      client.cookie = client.cookie.replace('__Host-tilld', 'tilld_session_3000');
      expect((await client.call('GET', '/auth/session')).status).toBe(401);
    } finally {
      await secure.destroy();
    }
  });

  it('never adopts a token that the browser already has (session fixation)', async () => {
    const { email } = await newUser(app);
    const victim = new SessionClient(app.baseUrl, `tilld_session_3000=${'A'.repeat(43)}`);
    await victim.call('POST', '/auth/session', { email, password: PASSWORD });
    expect(victim.cookie).not.toContain('A'.repeat(43));
    expect(await isIn(new SessionClient(app.baseUrl, `tilld_session_3000=${'A'.repeat(43)}`))).toBe(false);
    const before = new SessionClient(app.baseUrl, victim.cookie);
    await victim.call('POST', '/auth/session', { email, password: PASSWORD });
    expect(victim.cookie).not.toBe(before.cookie);
    expect(await isIn(before)).toBe(false);
    expect(await isIn(victim)).toBe(true);
  });

  it('accepts none of two cookies with the session name', async () => {
    const { email } = await newUser(app);
    const client = await signIn(email);
    const twice = new SessionClient(app.baseUrl, `tilld_session_3000=${'B'.repeat(43)}; ${client.cookie}`);
    expect(await isIn(twice)).toBe(false);
  });

  it('requires the code when a second factor is enabled, and throttles wrong codes', async () => {
    const { email, token } = await newUser(app);
    await enableTotp(token);
    const client = new SessionClient(app.baseUrl);
    const answer = await client.call('POST', '/auth/session', { email, password: PASSWORD });
    expect(outcome(answer)).toEqual([401, 'SECOND_FACTOR_REQUIRED']);
    expect(cookieOf(answer)).toBeNull();
  });

  it('counts towards the sign-in limit', async () => {
    const limited = await startHttpApp({ settings: { authRatePerMinute: 2 } });
    try {
      const client = new SessionClient(limited.baseUrl);
      const attempt = async () =>
        (await client.call('POST', '/auth/session', { email: 'a@b.example', password: 'x' })).status;
      expect([await attempt(), await attempt(), await attempt()]).toEqual([401, 401, 429]);
    } finally {
      await limited.destroy();
    }
  });
});

/** @returns the secret; the code that switched it on was of the step before. */
async function enableTotp(token: string): Promise<string> {
  const { secret } = await app.api.must<{ secret: string }>('POST', '/auth/totp/setup', {
    token,
    body: { password: PASSWORD },
  });
  await app.api.must('POST', '/auth/totp/enable', { token, body: { code: codeFor(secret) } });
  app.advance(31_000);
  return secret;
}

describe('step-up of a session', () => {
  it('is throttled like a sign-in, for passwords and for codes', async () => {
    const limited = await startHttpApp({ settings: { authRatePerMinute: 1000 } });
    try {
      const { email, token } = await newUser(limited);
      const client = await SessionClient.signIn(limited.baseUrl, { email, password: PASSWORD });
      const attempt = async (proof: object) => (await client.call('POST', '/auth/step-up', proof)).status;
      const answers = async (proof: object) => {
        const statuses: number[] = [];
        for (let tries = 0; tries < 6; tries += 1) statuses.push(await attempt(proof));
        return statuses;
      };
      expect(await answers({ password: 'guess' })).toEqual([401, 401, 401, 401, 401, 429]);
      expect(await attempt({ password: PASSWORD })).toBe(429);
      limited.advance(6_000);
      expect(await attempt({ password: PASSWORD })).toBe(200);
      const { secret } = await limited.api.must<{ secret: string }>('POST', '/auth/totp/setup', {
        token,
        body: { password: PASSWORD },
      });
      const code = codeOfStep(base32nopad.decode(secret), Math.floor(limited.now() / 30_000));
      await client.call('POST', '/auth/totp/enable', { code });
      expect(await answers({ code: 'no code' })).toEqual([401, 401, 401, 401, 401, 429]);
    } finally {
      await limited.destroy();
    }
  });
});

function copyOf(client: SessionClient): SessionClient {
  return new SessionClient(app.baseUrl, client.cookie);
}

/** Renews the token: copies of the previous one become invalid, and the browser stays signed in. */
async function expectRenewed(client: SessionClient, act: () => Promise<{ status: number }>) {
  const copy = copyOf(client);
  expect(await isIn(copy)).toBe(true);
  expect((await act()).status).toBe(200);
  expect(client.cookie).not.toBe(copy.cookie);
  expect([await isIn(client), await isIn(copy)]).toEqual([true, false]);
}

describe('the token of a session', () => {
  const NEXT = 'another horse entirely';

  it('is replaced after a step-up and after each change of credentials', async () => {
    const { email } = await newUser(app);
    const client = await signIn(email);
    const post = async (path: string, body: object) => client.call('POST', path, body);
    const session = (await listed(client)).map(({ id }) => id);
    await expectRenewed(client, async () => post('/auth/step-up', { password: PASSWORD }));
    const setup = await client.call<{ secret: string }>('POST', '/auth/totp/setup', { password: PASSWORD });
    const { secret } = setup.body.data;
    await expectRenewed(client, async () => post('/auth/totp/enable', { code: codeFor(secret) }));
    app.advance(31_000);
    await expectRenewed(client, async () => post('/auth/step-up', { code: codeFor(secret) }));
    const change = { currentPassword: PASSWORD, newPassword: NEXT };
    await expectRenewed(client, async () => post('/auth/change-password', change));
    app.advance(31_000);
    const off = { password: NEXT, code: codeFor(secret) };
    await expectRenewed(client, async () => post('/auth/totp/disable', off));
    // It is the same session all along.
    expect((await listed(client)).map(({ id }) => id)).toEqual(session);
  });

  it('has the same expiry after it is replaced', async () => {
    const { email } = await newUser(app);
    const client = await signIn(email);
    for (let hours = 0; hours < 6 * 24; hours += 8) {
      app.advance(8 * HOUR_MS);
      expect(await isIn(client)).toBe(true);
    }
    const answer = await client.call('POST', '/auth/step-up', { password: PASSWORD });
    const maxAge = Number(/Max-Age=(\d+)/.exec(cookieOf(answer)?.attributes.join() ?? '')?.[1]);
    expect(maxAge).toBeLessThanOrEqual(24 * 3600);
    expect(maxAge).toBeGreaterThan(24 * 3600 - 60);
  });

  it('is unchanged after a step-up with a wrong password', async () => {
    const client = await signIn((await newUser(app)).email);
    const before = client.cookie;
    expect((await client.call('POST', '/auth/step-up', { password: 'wrong' })).status).toBe(401);
    expect(client.cookie).toBe(before);
    expect(await isIn(client)).toBe(true);
  });

  it('is replaced by one of two concurrent step-ups, and both succeed', async () => {
    const client = await signIn((await newUser(app)).email);
    const tabs = [copyOf(client), copyOf(client)];
    const answers = await Promise.all(
      tabs.map(async (tab) => tab.call('POST', '/auth/step-up', { password: PASSWORD })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const cookies = answers.flatMap((answer) => cookieOf(answer) ?? []);
    expect(cookies).toHaveLength(1);
    expect(await isIn(new SessionClient(app.baseUrl, cookies[0]?.pair))).toBe(true);
  });

  it('is stored under no Idempotency-Key, and is rejected as a user token', async () => {
    const { email, token } = await newUser(app);
    const client = await signIn(email);
    const body = { currentPassword: PASSWORD, newPassword: NEXT };
    const key = { 'idempotency-key': 'change' };
    expect((await client.call('POST', '/auth/change-password', body, key)).status).toBe(200);
    const kept = sql`SELECT 1 FROM idempotency WHERE route = 'POST /auth/change-password'`;
    expect((await kept.execute(app.db)).rows).toEqual([]);
    const { user, ...other } = await app.api.must<{ token: string; user: object }>('POST', '/auth/login', {
      body: { email, password: NEXT },
    });
    expect(user).toMatchObject({ email });
    expect(token).not.toBe(other.token);
    const byToken = await app.api.call('POST', '/auth/change-password', {
      token: other.token,
      headers: key,
      body: { currentPassword: NEXT, newPassword: PASSWORD },
    });
    expect([byToken.status, byToken.headers.get('set-cookie')]).toEqual([200, null]);
    expect((await kept.execute(app.db)).rows).toHaveLength(1);
  });
});

describe('two daemons on one host', () => {
  it.each([
    ['http://localhost:3000', 'http://localhost:3001'],
    ['https://till.example', 'https://till.example:8443'],
  ])('have separate session cookies: %s and %s', async (one, other) => {
    const daemons = await Promise.all(
      [one, other].map(async (baseUrl) => startHttpApp({ settings: { baseUrl } })),
    );
    try {
      // Browsers send the cookies of a host to all of its ports.
      const jar = new Map<string, string>();
      const clients: SessionClient[] = [];
      for (const daemon of daemons) {
        const { email } = await newUser(daemon);
        const client = await SessionClient.signIn(daemon.baseUrl, { email, password: PASSWORD });
        const [name = '', value = ''] = client.cookie.split('=');
        jar.set(name, value);
        clients.push(client);
      }
      const sent = [...jar].map((pair) => pair.join('=')).join('; ');
      for (const client of clients) {
        client.cookie = sent;
        expect(await isIn(client)).toBe(true);
      }
    } finally {
      await Promise.all(daemons.map(async (daemon) => daemon.destroy()));
    }
  });
});

describe('pruning of sessions', () => {
  it('removes ended sessions and expired challenges, and nothing else', async () => {
    const clean = await startHttpApp();
    try {
      const { email } = await newUser(clean);
      const sign = async () => SessionClient.signIn(clean.baseUrl, { email, password: PASSWORD });
      const [idle, used] = [await sign(), await sign()];
      const spend = async (hash: string, expiresAt: number) =>
        clean.db.insertInto('spent_challenges').values({ challengeHash: hash, expiresAt }).execute();
      await spend('old', clean.now() - 24 * HOUR_MS);
      await spend('new', clean.now() - 11 * HOUR_MS);
      clean.advance(11 * HOUR_MS);
      expect(await isIn(used)).toBe(true);
      expect(await pruned(clean.db, clean.now())).toEqual({ spent_challenges: 1 });
      clean.advance(HOUR_MS);
      expect(await pruned(clean.db, clean.now())).toEqual({ sessions: 1 });
      const sessions = await clean.db.selectFrom('sessions').select('id').execute();
      const challenges = await clean.db.selectFrom('spent_challenges').selectAll().execute();
      expect([sessions.length, challenges.map(({ challengeHash }) => challengeHash)]).toEqual([1, ['new']]);
      expect([await isIn(idle), await isIn(used)]).toEqual([false, true]);
      clean.advance(7 * 24 * HOUR_MS);
      expect(await pruned(clean.db, clean.now())).toMatchObject({ sessions: 1, spent_challenges: 1 });
    } finally {
      await clean.destroy();
    }
  });
});

describe('a dashboard session', () => {
  it('ends at sign-out, also for a copied cookie', async () => {
    const { email } = await newUser(app);
    const client = await signIn(email);
    const thief = new SessionClient(app.baseUrl, client.cookie);
    expect(await isIn(thief)).toBe(true);
    const answer = await client.call('DELETE', '/auth/session');
    expect(cookieOf(answer)?.attributes).toContain('Max-Age=0');
    expect(await isIn(thief)).toBe(false);
    // Once more does no harm, as after a lost answer.
    expect((await client.call('DELETE', '/auth/session')).status).toBe(200);
  });

  it('ends after twelve hours without use or seven days in total', async () => {
    const { email } = await newUser(app);
    const idle = await signIn(email);
    const used = await signIn(email);
    for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
      app.advance(8 * HOUR_MS);
      expect(await isIn(used), `after ${hours + 8} hours`).toBe(true);
    }
    expect(await isIn(idle)).toBe(false);
    app.advance(8 * HOUR_MS);
    expect(await isIn(used)).toBe(false);
  });

  it('ends when the password is changed in another session, which continues', async () => {
    const { email } = await newUser(app);
    const [here, there] = [await signIn(email), await signIn(email)];
    const next = 'another horse entirely';
    const changed = await here.call('POST', '/auth/change-password', {
      currentPassword: PASSWORD,
      newPassword: next,
    });
    expect(changed.status).toBe(200);
    expect([await isIn(here), await isIn(there)]).toEqual([true, false]);
    const { token } = changed.body.data as { token: string };
    await app.api.must('POST', '/auth/change-password', {
      token,
      body: { currentPassword: next, newPassword: 'a third horse by token' },
    });
    expect(await isIn(here)).toBe(false);
  });

  it('ends when the second factor is enabled or disabled in another session', async () => {
    const { email, token } = await newUser(app);
    const there = await signIn(email);
    const secret = await enableTotp(token);
    expect(await isIn(there)).toBe(false);
    const sign = async (code: string) =>
      SessionClient.signIn(app.baseUrl, { email, password: PASSWORD, code });
    const here = await sign(codeFor(secret));
    app.advance(31_000);
    const other = await sign(codeFor(secret));
    app.advance(31_000);
    await here.call('POST', '/auth/totp/disable', { password: PASSWORD, code: codeFor(secret) });
    expect([await isIn(here), await isIn(other)]).toEqual([true, false]);
  });

  it('ends when it is revoked in the list, alone or together with all sessions and user tokens', async () => {
    const { email, token } = await newUser(app);
    const here = await signIn(email, { 'user-agent': 'Here/1.0' });
    app.advance(1000);
    const there = await signIn(email, { 'user-agent': `There/1.0 ${'x'.repeat(400)}` });
    const stranger = await signIn((await newUser(app)).email);
    const sessions = await listed(here);
    expect(sessions.map(({ current, address }) => ({ current, address }))).toEqual([
      { current: false, address: '127.0.0.1' },
      { current: true, address: '127.0.0.1' },
    ]);
    expect(sessions[0]?.userAgent).toMatch(/^There\/1\.0 x{290}$/);
    expect(sessions[1]?.userAgent).toBe('Here/1.0');
    const sessionId = sessions[0]?.id;
    expect(outcome(await stranger.call('DELETE', '/auth/sessions', { sessionId }))).toEqual([
      404,
      'SESSION_NOT_FOUND',
    ]);
    expect(await isIn(there)).toBe(true);
    expect((await here.call('DELETE', '/auth/sessions', { sessionId })).status).toBe(200);
    expect(await isIn(there)).toBe(false);
    const again = await signIn(email);
    const copy = new SessionClient(app.baseUrl, here.cookie);
    expect((await here.call('DELETE', '/auth/sessions')).status).toBe(200);
    expect(here.cookie).toBe('');
    expect([await isIn(copy), await isIn(again), await isIn(stranger)]).toEqual([false, false, true]);
    expect((await app.api.call('GET', '/auth/me', { token })).status).toBe(401);
  });
});

describe('a dashboard session in use', () => {
  it('survives a restart of the daemon', async () => {
    const first = await startHttpApp();
    const { email } = await newUser(first);
    const client = await SessionClient.signIn(first.baseUrl, { email, password: PASSWORD });
    await first.close();
    const second = await startHttpApp({ reopen: first });
    try {
      expect(await isIn(new SessionClient(second.baseUrl, client.cookie))).toBe(true);
    } finally {
      await second.destroy();
    }
  });
});

describe('a cross-site request', () => {
  const edit = { name: 'Robbed', domain: 'robbed.example' };
  const own = SessionClient.OWN_PAGE;
  let client: SessionClient;
  beforeAll(async () => {
    client = await signIn((await newUser(app)).email);
    // Only where the page came from is left to refuse.
    await client.call('POST', '/auth/step-up', { password: PASSWORD });
  });

  it.each([
    ['a form of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['no header at all', {}],
    ['only the header, without the word of the browser', { 'x-tilld-dashboard': '1' }],
    ['only the word of the browser, without the header', { 'sec-fetch-site': 'same-origin' }],
    ['a neighbour below the same domain', { ...own, 'sec-fetch-site': 'same-site' }],
    ['another origin in an old browser', { 'x-tilld-dashboard': '1', origin: 'https://evil.example' }],
    ['a sandboxed frame', { 'x-tilld-dashboard': '1', origin: 'null' }],
    ['an address that was typed', { ...own, 'sec-fetch-site': 'none' }],
  ] as const)('changes nothing with %s', async (_what, headers) => {
    const answer = await client.raw('POST', '/merchant/create', edit, headers);
    expect(outcome(answer)).toEqual([403, 'FORBIDDEN']);
    const ending = await client.raw('DELETE', '/auth/session', undefined, headers);
    expect(outcome(ending)).toEqual([403, 'FORBIDDEN']);
    expect(await isIn(client)).toBe(true);
    const { body } = await client.call<{ merchants: unknown[] }>('GET', '/merchant/list');
    expect(body.data.merchants).toEqual([]);
  });

  it('cannot sign a user in', async () => {
    const { email } = await newUser(app);
    const body = { email, password: PASSWORD };
    const answer = await client.raw('POST', '/auth/session', body, { 'sec-fetch-site': 'cross-site' });
    expect(outcome(answer)).toEqual([403, 'FORBIDDEN']);
    expect(cookieOf(answer)).toBeNull();
  });

  it('cannot read anything', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const answer = await client.raw('GET', '/merchant/list', undefined, { 'sec-fetch-site': site });
      expect(outcome(answer)).toEqual([403, 'FORBIDDEN']);
    }
    const answer = await client.raw('GET', '/merchant/list', undefined, { origin: 'https://evil.example' });
    expect(outcome(answer)).toEqual([403, 'FORBIDDEN']);
    const preflight = await fetch(`${app.baseUrl}/merchant/create`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-tilld-dashboard',
      },
    });
    const granted = [...preflight.headers.keys()].filter((name) => name.startsWith('access-control-'));
    expect([preflight.status, granted]).toEqual([405, []]);
  });

  it('is distinguished from a request of the dashboard, also in a browser without Sec-Fetch-Site', async () => {
    const headers = { 'x-tilld-dashboard': '1', origin: app.baseUrl };
    const answer = await client.raw('POST', '/merchant/create', edit, headers);
    expect(answer.status).toBe(201);
  });
});

describe('credentials sent together with a session cookie', () => {
  it('take precedence over the cookie, valid or not', async () => {
    const [ann, bob] = [await newUser(app), await newUser(app)];
    const client = await signIn(ann.email);
    const asBob = await client.call('GET', '/auth/me', undefined, { authorization: `Bearer ${bob.token}` });
    expect(asBob.body.data).toMatchObject({ user: { email: bob.email } });
    const wrong = await client.call('GET', '/auth/me', undefined, { authorization: 'Bearer nonsense' });
    expect(wrong.status).toBe(401);
  });

  it('are rejected on session routes when they are user tokens', async () => {
    const { token } = await newUser(app);
    for (const [method, path] of [
      ['GET', '/auth/session'],
      ['GET', '/auth/sessions'],
      ['DELETE', '/auth/sessions'],
      ['POST', '/auth/step-up'],
    ] as const) {
      const answer = await app.api.call(method, path, { token });
      expect(outcome(answer), path).toEqual([401, 'UNAUTHORISED']);
    }
  });
});
