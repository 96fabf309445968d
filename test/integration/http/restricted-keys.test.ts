import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../src/http/server/route.ts';
import {
  newMerchant,
  newUser,
  startHttpApp,
  type HttpApp,
  type TestMerchant,
} from '../../_helpers/http-app.ts';
import { eventually } from '../../_helpers/poll.ts';

interface RestrictedKey {
  id: string;
  name: string;
  scopes: string[];
  prefix: string;
  lastFour: string;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
}

/** Answers who asked, and how often it ran. */
let runs = 0;
const who = defineRoute({
  method: 'POST',
  path: '/test/who',
  summary: '',
  description: '',
  tags: [],
  auth: 'payer',
  scope: 'any',
  body: z.object({ n: z.int() }),
  data: z.object({ via: z.string(), merchantId: z.string(), run: z.int() }),
  status: 200,
  errors: [],
  handler: async ({ auth }) => ({ via: auth.via, merchantId: auth.merchantId, run: ++runs }),
});

/** Answers once it is let go. */
let gate = Promise.withResolvers<void>();
let entered = Promise.withResolvers<void>();
const waiting = defineRoute({
  method: 'GET',
  path: '/test/waiting',
  summary: '',
  description: '',
  tags: [],
  auth: 'merchant',
  scope: 'events:read',
  waits: true,
  data: z.object({ secret: z.string() }),
  status: 200,
  errors: [],
  handler: async () => {
    entered.resolve();
    await gate.promise;
    return { secret: 'what happened meanwhile' };
  },
});

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp({ extraRoutes: [who, waiting], settings: { publicRatePerMinute: 2 } });
});
afterAll(async () => app.destroy());

interface Shop {
  readonly token: string;
  readonly merchant: TestMerchant;
}

async function shop(): Promise<Shop> {
  const { token } = await newUser(app);
  return { token, merchant: await newMerchant(app, token) };
}

const createBody = ({ merchant }: Shop, fields: object = {}) => ({
  merchantId: merchant.id,
  name: 'WooCommerce',
  scopes: ['webhooks:write'],
  ...fields,
});

async function newKey(of: Shop, fields: object = {}): Promise<RestrictedKey & { value: string }> {
  const body = createBody(of, fields);
  const { key } = await app.api.must<{ key: RestrictedKey & { value: string } }>(
    'POST',
    '/merchant/keys/create',
    { token: of.token, body },
  );
  return key;
}

async function listed({ token, merchant }: Shop): Promise<RestrictedKey[]> {
  const path = `/merchant/keys?merchantId=${merchant.id}`;
  const { restricted } = await app.api.must<{ restricted: RestrictedKey[] }>('GET', path, { token });
  return restricted;
}

async function use(key: string): Promise<number> {
  return (await app.api.call('GET', '/merchant/webhook/secret', { token: key })).status;
}

async function ask(token: string): Promise<number> {
  return (await app.api.call('POST', '/test/who', { token, body: { n: 1 } })).status;
}

async function remove({ token, merchant }: Shop, keyId: string): Promise<number> {
  const body = { merchantId: merchant.id, keyId };
  return (await app.api.call('DELETE', '/merchant/keys/delete', { token, body })).status;
}

describe('a restricted key', () => {
  it('is shown once, and afterwards listed with its prefix, expiry and scopes', async () => {
    const of = await shop();
    const { value, ...key } = await newKey(of, {
      name: ' My shop ',
      scopes: ['webhooks:read', 'payments:write', 'webhooks:read'],
    });
    expect(value).toMatch(/^rk_[0-9A-Za-z]{43}$/);
    expect(key).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'My shop',
      scopes: ['payments:write', 'webhooks:read'],
      prefix: value.slice(0, 8),
      lastFour: value.slice(-4),
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: null,
      limits: null,
      createdBy: { kind: 'user', id: expect.any(String), name: expect.stringContaining('@') },
    });
    const newer = await newKey(of);
    const list = await listed(of);
    expect(list).toEqual([expect.objectContaining({ id: newer.id }), key]);
    expect(JSON.stringify(list)).not.toContain(value);
  });

  it('is stored as a hash only, and does not appear in the log', async () => {
    const of = await shop();
    const { value } = await newKey(of);
    expect(await use(value)).toBe(200);
    const { rows } = await sql<object>`SELECT * FROM restricted_keys`.execute(app.db);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(value.slice(3, -4));
    expect(app.logs.join()).not.toContain(value.slice(3, -4));
  });

  it('is returned again for the same Idempotency-Key, because it is stored encrypted until that expires', async () => {
    const of = await shop();
    const create = async () =>
      app.api.call<{ key: { value: string } }>('POST', '/merchant/keys/create', {
        token: of.token,
        body: createBody(of),
        headers: { 'idempotency-key': 'new-key' },
      });
    const first = await create();
    const again = await create();
    expect(again.body).toEqual(first.body);
    expect(await listed(of)).toHaveLength(1);
    const { rows } = await sql<object>`SELECT * FROM idempotency`.execute(app.db);
    expect(JSON.stringify(rows)).not.toContain(first.body.data.key.value);
  });

  it('is rejected as soon as it is deleted, also among many concurrent requests', async () => {
    const of = await shop();
    const { id, value } = await newKey(of);
    const other = await newKey(of);
    expect(await use(value)).toBe(200);
    let hasEnded = false;
    const wrong: number[] = [];
    const client = async (): Promise<void> => {
      for (let after = 0; after < 20;) {
        const isAfter = hasEnded;
        const status = await use(value);
        if (isAfter && status !== 401) wrong.push(status);
        if (isAfter) after += 1;
      }
    };
    const clients = Promise.all([client(), client(), client()]);
    expect(await remove(of, id)).toBe(200);
    hasEnded = true;
    await clients;
    expect(wrong).toEqual([]);
    expect(await use(other.value)).toBe(200);
    expect((await listed(of)).map((key) => key.id)).toEqual([other.id]);
    expect(await remove(of, id)).toBe(404);
  });

  it('receives no event on a waiting long poll once it is deleted', async () => {
    const of = await shop();
    const { id, value } = await newKey(of, { scopes: ['events:read'] });
    for (const isDeleted of [false, true]) {
      [gate, entered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const answer = app.api.call('GET', '/test/waiting', { token: value });
      await entered.promise;
      if (isDeleted) expect(await remove(of, id)).toBe(200);
      gate.resolve();
      expect((await answer).status).toBe(isDeleted ? 401 : 200);
    }
  });

  it('is rejected after its expiry, and stays in the list', async () => {
    const of = await shop();
    const expiresAt = new Date(app.now() + 60_000).toISOString();
    const { id, value } = await newKey(of, { expiresAt });
    expect(await use(value)).toBe(200);
    app.advance(60_000);
    expect(await use(value)).toBe(401);
    expect(await listed(of)).toMatchObject([{ id, expiresAt }]);
  });

  it('stays valid when public and secret keys are regenerated', async () => {
    const of = await shop();
    const { value } = await newKey(of);
    await app.api.must('POST', '/merchant/keys/regenerate', {
      token: of.token,
      body: { merchantId: of.merchant.id },
    });
    expect(await use(value)).toBe(200);
  });

  it('has a last use that is recorded to the minute', async () => {
    const of = await shop();
    const { value } = await newKey(of);
    const lastUse = async () => (await listed(of))[0]?.lastUsedAt ?? null;
    const first = app.now();
    await use(value);
    const noted = await eventually('the use is noted', lastUse, (at) => Date.parse(at ?? '') >= first);
    app.advance(50_000);
    await use(value);
    expect(await lastUse()).toBe(noted);
    app.advance(10_000);
    const later = app.now();
    await use(value);
    await eventually('the use is noted', lastUse, (at) => Date.parse(at ?? '') >= later);
  });

  it.each([
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['payments:write', 'keys:write'] }],
    ['a scope that is a prefix of others', { scopes: ['payments'] }],
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['no name', { name: ' ' }],
  ])('cannot be created with %s', async (_what, fields) => {
    const of = await shop();
    const { status, body } = await app.api.call('POST', '/merchant/keys/create', {
      token: of.token,
      body: createBody(of, fields),
    });
    expect([status, body.error?.code]).toEqual([400, 'VALIDATION_INVALID']);
    expect(await listed(of)).toEqual([]);
  });

  it('is limited to a hundred per shop', async () => {
    const of = await shop();
    for (let made = 0; made < 100; made += 1) await newKey(of);
    const more = async () =>
      app.api.call('POST', '/merchant/keys/create', { token: of.token, body: createBody(of) });
    const { status, body } = await more();
    expect([status, body.error?.code]).toEqual([409, 'INVALID_STATE']);
    const [last] = await listed(of);
    expect(await remove(of, last?.id ?? '')).toBe(200);
    expect((await more()).status).toBe(201);
  });
});

describe('a restricted key of one shop', () => {
  it('cannot be created, listed or deleted by another account', async () => {
    const alice = await shop();
    const bob = await shop();
    const { id, value } = await newKey(alice);
    const asBob = { token: bob.token, merchant: alice.merchant };
    const made = await app.api.call('POST', '/merchant/keys/create', {
      token: bob.token,
      body: createBody(asBob),
    });
    expect([made.status, made.body.error?.code]).toEqual([404, 'MERCHANT_NOT_FOUND']);
    expect(await remove(asBob, id)).toBe(404);
    // Named with a shop of his own, it does not exist either.
    expect(await remove(bob, id)).toBe(404);
    expect(await use(value)).toBe(200);
  });

  it('gives access to that shop only, also among several of one account', async () => {
    const first = await shop();
    const second = { token: first.token, merchant: await newMerchant(app, first.token) };
    const { value } = await newKey(first);
    const { merchants } = await app.api.must<{ merchants: { id: string }[] }>('GET', '/merchant/list', {
      token: value,
    });
    expect(merchants.map(({ id }) => id)).toEqual([first.merchant.id]);
    for (const path of [
      `/merchant/webhook/secret?merchantId=${second.merchant.id}`,
      `/merchant/webhook/secret?merchantId=${(await shop()).merchant.id}`,
    ]) {
      const { status, body } = await app.api.call('GET', path, { token: value });
      expect([status, body.error?.code]).toEqual([404, 'MERCHANT_NOT_FOUND']);
    }
    const own = `/merchant/webhook/secret?merchantId=${first.merchant.id}`;
    expect((await app.api.call('GET', own, { token: value })).status).toBe(200);
  });

  it('shares its Idempotency-Keys with the key that replaces it, and with no other credential', async () => {
    const of = await shop();
    const one = await newKey(of);
    const other = await newKey(of, { scopes: ['payments:write', 'wallet:send'] });
    const elsewhere = await newKey(await shop());
    const askOnce = async (token: string) => {
      const { body, headers } = await app.api.call<{ via: string; run: number }>('POST', '/test/who', {
        token,
        body: { n: 1 },
        headers: { 'idempotency-key': 'order-1' },
      });
      return { ...body.data, isReplay: headers.get('idempotent-replayed') === 'true' };
    };
    const first = await askOnce(of.merchant.auth.secret);
    expect(first).toMatchObject({ via: 'secret', isReplay: false });
    const second = await askOnce(one.value);
    expect(second).toMatchObject({ via: 'restricted', isReplay: false });
    const third = await askOnce(other.value);
    expect(third).toMatchObject({ via: 'restricted', isReplay: false });
    const fourth = await askOnce(elsewhere.value);
    expect(fourth).toMatchObject({ via: 'restricted', isReplay: false });
    expect(new Set([first.run, second.run, third.run, fourth.run]).size).toBe(4);
    expect(await askOnce(one.value)).toEqual({ ...second, isReplay: true });
    await remove(of, one.id);
    expect((await app.api.call('POST', '/test/who', { token: one.value, body: { n: 1 } })).status).toBe(401);
    expect(await askOnce((await newKey(of)).value)).toEqual({ ...second, isReplay: true });
  });

  it('is not rate limited like a public key', async () => {
    const of = await shop();
    const { value } = await newKey(of);
    const publicKey = of.merchant.auth.public;
    expect([await ask(publicKey), await ask(publicKey), await ask(publicKey)]).toEqual([200, 200, 429]);
    for (let count = 0; count < 5; count += 1) expect(await ask(value)).toBe(200);
  });

  it('is rejected when a character is changed, or when its hash is sent instead', async () => {
    const of = await shop();
    const { value } = await newKey(of);
    const { rows } = await sql<{ keyHash: string }>`SELECT key_hash FROM restricted_keys`.execute(app.db);
    const wrong = [
      value.replace('rk_', 'sk_'),
      value.replace('rk_', 'pk_'),
      of.merchant.auth.secret.replace('sk_', 'rk_'),
      `rk_${rows[0]?.keyHash ?? ''}`,
      `${value.slice(0, -1)}${value.endsWith('a') ? 'b' : 'a'}`,
      'rk_',
    ];
    for (const credential of wrong) expect(await use(credential)).toBe(401);
  });
});
