import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  newMerchant,
  newUser,
  startHttpApp,
  type HttpApp,
  type TestMerchant,
} from '../../_helpers/http-app.ts';

const TEN_MINUTES_MS = 600_000;
const REDIRECT = 'https://shop.example/tilld/connected';
const SCOPES = 'payments:write webhooks:write events:read';

let app: HttpApp;
let strict: HttpApp;
beforeAll(async () => {
  app = await startHttpApp();
  strict = await startHttpApp({ allowPrivate: false });
});
afterAll(async () => {
  await app.destroy();
  await strict.destroy();
});

interface Owner {
  readonly app: HttpApp;
  readonly token: string;
  readonly merchant: TestMerchant;
}

async function newOwner(at = app): Promise<Owner> {
  const { token } = await newUser(at);
  return { app: at, token, merchant: await newMerchant(at, token) };
}

const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
const newVerifier = () => randomBytes(32).toString('base64url');

function requestOf({ merchant }: Owner, fields: object = {}) {
  return {
    merchantId: merchant.id,
    name: 'WooCommerce',
    scopes: SCOPES,
    redirectUrl: REDIRECT,
    state: 'a b&c=d#é',
    codeChallenge: s256('x'),
    ...fields,
  };
}

async function approve(owner: Owner, fields: object = {}, token = owner.token) {
  const body = requestOf(owner, fields);
  return owner.app.api.call<{ redirectTo: string }>('POST', '/connect/approve', { token, body });
}

/** A code that the owner agreed to, and the verifier that belongs to it. */
async function agreed(owner: Owner, fields: object = {}): Promise<{ code: string; codeVerifier: string }> {
  const codeVerifier = newVerifier();
  const { body } = await approve(owner, { codeChallenge: s256(codeVerifier), ...fields });
  const code = new URL(body.data.redirectTo).searchParams.get('code') ?? '';
  expect(code).toMatch(/^[0-9A-Za-z]{43}$/);
  return { code, codeVerifier };
}

interface Connection {
  merchantId: string;
  key: string;
  scopes: string[];
  publicKey: string;
  webhookSecret: string | null;
}

async function exchange(body: object, headers: Record<string, string> = {}) {
  return app.api.call<Connection>('POST', '/connect/token', { body, headers });
}

async function expectInvalid(body: object): Promise<void> {
  const answer = await exchange(body);
  expect([answer.status, answer.body.error?.code, answer.body.data]).toEqual([400, 'INVALID_CODE', null]);
}

describe('connecting a shop to a tilld server', () => {
  it('returns the API key once, for the shop and the scopes that the owner approved', async () => {
    const owner = await newOwner();
    const request = await agreed(owner);
    const { status, body } = await exchange(request);
    expect([status, body.error]).toEqual([200, null]);
    expect(body.data).toEqual({
      merchantId: owner.merchant.id,
      key: expect.stringMatching(/^rk_[0-9A-Za-z]{43}$/),
      scopes: SCOPES.split(' '),
      publicKey: owner.merchant.auth.public,
      webhookSecret: expect.stringMatching(/^whsec_/),
    });
    const { key, webhookSecret } = body.data;
    const { secret } = await app.api.must<{ secret: string }>('GET', '/merchant/webhook/secret', {
      token: key,
    });
    expect(secret).toBe(webhookSecret);
    const { restricted } = await app.api.must<{ restricted: { name: string; lastFour: string }[] }>(
      'GET',
      `/merchant/keys?merchantId=${owner.merchant.id}`,
      { token: owner.token },
    );
    expect(restricted).toMatchObject([{ name: 'WooCommerce', lastFour: key.slice(-4), expiresAt: null }]);
    await expectInvalid(request);
  });

  it('returns the current public key, and no webhook secret without the scope for it', async () => {
    const owner = await newOwner();
    const { auth } = await app.api.must<{ auth: { public: string } }>('POST', '/merchant/keys/regenerate', {
      token: owner.token,
      body: { merchantId: owner.merchant.id, gracePeriodSeconds: 600 },
    });
    const { body } = await exchange(await agreed(owner, { scopes: ['payments:write', 'webhooks:read'] }));
    expect(body.data).toMatchObject({ publicKey: auth.public, webhookSecret: null });
    const { status } = await app.api.call('GET', '/merchant/webhook/secret', { token: body.data.key });
    expect(status).toBe(403);
  });

  it('returns a lost response again only for the same Idempotency-Key and verifier', async () => {
    const request = await agreed(await newOwner());
    const headers = { 'idempotency-key': 'connect-1' };
    const first = await exchange(request, headers);
    expect((await exchange(request, headers)).body).toEqual(first.body);
    const other = await exchange({ ...request, codeVerifier: newVerifier() }, headers);
    expect([other.status, other.body.error?.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    await expectInvalid(request);
  });
});

describe('a connect code', () => {
  it('is invalid after one attempt with a wrong verifier', async () => {
    const { code, codeVerifier } = await agreed(await newOwner());
    await expectInvalid({ code, codeVerifier: newVerifier() });
    await expectInvalid({ code, codeVerifier });
  });

  it.each(['', 'plain', 'the challenge itself'])(
    'is invalid after an attempt with a malformed verifier: %s',
    async (what) => {
      const { code, codeVerifier } = await agreed(await newOwner());
      if (what === '') {
        const { status, body } = await exchange({ code, codeVerifier: '' });
        expect([status, body.error?.code]).toEqual([400, 'VALIDATION_INVALID']);
        return;
      }
      await expectInvalid({ code, codeVerifier: what === 'plain' ? what : s256(codeVerifier) });
      await expectInvalid({ code, codeVerifier });
    },
  );

  it('is valid for ten minutes', async () => {
    const late = await agreed(await newOwner());
    app.advance(TEN_MINUTES_MS);
    await expectInvalid(late);
    const intime = await agreed(await newOwner());
    app.advance(TEN_MINUTES_MS - 60_000);
    expect((await exchange(intime)).status).toBe(200);
  });

  it('creates one API key when it is presented many times concurrently', async () => {
    const owner = await newOwner();
    const request = await agreed(owner);
    const answers = await Promise.all(Array.from({ length: 8 }, async () => exchange(request)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    const { restricted } = await app.api.must<{ restricted: unknown[] }>(
      'GET',
      `/merchant/keys?merchantId=${owner.merchant.id}`,
      { token: owner.token },
    );
    expect(restricted).toHaveLength(1);
  });

  it('is stored as a hash, does not appear in the log, and is deleted after it expired', async () => {
    const owner = await newOwner();
    const { code } = await agreed(owner);
    const stored = async () => (await sql<object>`SELECT * FROM connect_codes`.execute(app.db)).rows;
    expect(JSON.stringify(await stored())).not.toContain(code);
    expect(app.logs.join()).not.toContain(code);
    app.advance(TEN_MINUTES_MS);
    await agreed(owner);
    expect(await stored()).toHaveLength(1);
  });

  it('is not accepted with the verifier of another code', async () => {
    const one = await agreed(await newOwner());
    const other = await agreed(await newOwner());
    await expectInvalid({ code: one.code, codeVerifier: other.codeVerifier });
    await expectInvalid({ code: randomBytes(20).toString('hex'), codeVerifier: one.codeVerifier });
    expect((await exchange(other)).status).toBe(200);
  });
});

describe('the approval of a connect request', () => {
  it('is refused for API keys, and for users on a shop of another account', async () => {
    const owner = await newOwner();
    const { body } = await exchange(await agreed(owner, { scopes: 'wallet:send payments:write' }));
    for (const token of [body.data.key, owner.merchant.auth.secret, owner.merchant.auth.public]) {
      const answer = await approve(owner, {}, token);
      expect([answer.status, answer.body.error?.code]).toEqual([401, 'UNAUTHORISED']);
    }
    const other = await newOwner();
    const answer = await approve(owner, {}, other.token);
    expect([answer.status, answer.body.error?.code]).toEqual([404, 'MERCHANT_NOT_FOUND']);
  });

  it('redirects with code and state once each, whatever parameters the redirect URL has', async () => {
    const owner = await newOwner();
    const redirectUrl = `${REDIRECT}?page=2&code=planted&state=planted&error=planted&code=again`;
    const { body } = await approve(owner, { redirectUrl });
    const url = new URL(body.data.redirectTo);
    expect(url.origin + url.pathname).toBe(REDIRECT);
    expect([...url.searchParams.keys()].toSorted()).toEqual(['code', 'page', 'state']);
    expect(url.searchParams.get('state')).toBe('a b&c=d#é');
    expect(url.searchParams.get('code')).not.toBe('planted');
  });
});

async function check(owner: Owner, query: Record<string, string>) {
  const { merchantId: _, ...request } = requestOf(owner);
  const search = new URLSearchParams({ ...request, ...query }).toString();
  return owner.app.api.call<{ scopes: string[]; deniedUrl: string; redirectHost: string }>(
    'GET',
    `/connect/request?${search}`,
    { token: owner.token },
  );
}

describe('the redirect URL of a connect request', () => {
  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://shop.example/',
    '//evil.example/',
    '/dashboard',
    'https://',
    'https://user:secret@shop.example/',
    'https://shop.example@evil.example/',
    'https://shop.example/#fragment',
    'https://shop.example/#',
    'http://shop.example/',
    'http://192.168.1.2/',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://127.0.0.1@evil.example/',
    'https://shop.example/\r\nSet-Cookie: x=1',
    ' ',
  ])('cannot be %s', async (redirectUrl) => {
    const owner = await newOwner();
    const answers = [await approve(owner, { redirectUrl }), await check(owner, { redirectUrl })];
    for (const { status, body } of answers) {
      expect([status, body.error?.code, body.data]).toEqual([400, 'VALIDATION_INVALID', null]);
      expect(body.error?.details?.map(({ field }) => field)).toEqual(['redirectUrl']);
    }
  });

  it.each(['http://localhost:8080/back', 'http://127.0.0.1/back', 'http://[::1]:3000/back'])(
    'can be %s only where private addresses are allowed for webhooks',
    async (redirectUrl) => {
      expect((await approve(await newOwner(), { redirectUrl })).status).toBe(200);
      const elsewhere = await newOwner(strict);
      expect((await approve(elsewhere, { redirectUrl })).status).toBe(400);
      expect((await check(elsewhere, { redirectUrl })).status).toBe(400);
      expect((await approve(elsewhere)).status).toBe(200);
    },
  );

  it('is shown to the owner by its host, and on refusal receives only error and state', async () => {
    const owner = await newOwner();
    const { body } = await check(owner, { redirectUrl: 'https://bücher.example:8443/a?x=1&code=planted' });
    expect(body.data).toMatchObject({
      redirectHost: 'xn--bcher-kva.example:8443',
      scopes: SCOPES.split(' '),
    });
    const denied = new URL(body.data.deniedUrl);
    expect(Object.fromEntries(denied.searchParams)).toEqual({
      x: '1',
      error: 'access_denied',
      state: 'a b&c=d#é',
    });
  });
});

describe('a connect request', () => {
  it.each([
    ['scopes', 'payments:write keys:write'],
    ['scopes', 'payments:*'],
    ['scopes', 'PAYMENTS:WRITE'],
    ['scopes', ''],
    ['codeChallenge', 'short'],
    ['codeChallenge', `${s256('x')}=`],
    ['codeChallenge', 'a'.repeat(44)],
    ['state', ''],
    ['state', 'x'.repeat(1025)],
    ['name', ' '],
    ['name', 'Shop \u202egro.dllit'],
    ['name', 'ti\u200blld'],
    ['name', 'Shop\n\nThis is safe.'],
  ])('is rejected with an invalid parameter: %s %s', async (field, value) => {
    const owner = await newOwner();
    for (const { status, body } of [
      await check(owner, { [field]: value }),
      await approve(owner, { [field]: value }),
    ]) {
      expect([status, body.error?.code]).toEqual([400, 'VALIDATION_INVALID']);
      expect(body.error?.details?.[0]?.field).toBe(field);
    }
  });

  it('is rejected when a parameter occurs twice', async () => {
    const owner = await newOwner();
    const { merchantId: _, ...request } = requestOf(owner);
    const search = new URLSearchParams(request);
    search.append('scopes', 'wallet:send');
    const { status, body } = await app.api.call('GET', `/connect/request?${search.toString()}`, {
      token: owner.token,
    });
    expect([status, body.error?.details?.[0]?.field]).toEqual([400, 'scopes']);
  });

  it('grants each requested scope once and no other, whether sent as a string or as a list', async () => {
    const owner = await newOwner();
    for (const scopes of ['events:read  events:read', ['events:read', 'events:read']]) {
      const { body } = await exchange(await agreed(owner, { scopes }));
      expect(body.data.scopes).toEqual(['events:read']);
    }
  });
});

it('connect codes are rate limited per client address', async () => {
  const limited = await startHttpApp({ settings: { publicRatePerMinute: 3 } });
  try {
    const guess = async () =>
      limited.api.call('POST', '/connect/token', { body: { code: 'x', codeVerifier: 'y' } });
    for (let tries = 0; tries < 3; tries += 1) expect((await guess()).status).toBe(400);
    const { status, body, headers } = await guess();
    expect([status, body.error?.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  } finally {
    await limited.destroy();
  }
});
