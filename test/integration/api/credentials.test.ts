import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../../src/domain/scopes.ts';
import { credentialsOf, World, type Account, type CredentialKind } from './world.ts';

const KINDS: readonly CredentialKind[] = ['userToken', 'secretKey', 'publicKey'];
const HOURS_25_MS = 25 * 3600 * 1000;

const world = await World.start();
const guarded = world.contract.routes.filter((endpoint) => credentialsOf(endpoint).length > 0);
let account: Account;
/** Credentials that no longer count: a token of yesterday, and keys that were replaced. */
const ended: Record<string, string> = {};

beforeAll(async () => {
  account = await world.account();
  const { api, clock } = world.till;
  const other = await world.account();
  ended['expired token'] = other.shop.token;
  clock.advance(HOURS_25_MS);
  const { token } = await api.must<{ token: string }>('POST', '/auth/login', {
    body: { email: account.email, password: 'correct horse battery' },
  });
  const { merchant } = await api.must<{ merchant: { id: string; auth: { public: string; secret: string } } }>(
    'POST',
    '/merchant/create',
    { token, body: { name: 'Second', domain: 'second-shop.example' } },
  );
  await api.must('POST', '/merchant/keys/regenerate', { token, body: { merchantId: merchant.id } });
  const { value: short } = await restrictedKey(token, {
    expiresAt: new Date(clock.now() + 60_000).toISOString(),
  });
  const { id, value: deleted } = await restrictedKey(token);
  // Both were good: what is refused is their end.
  for (const key of [short, deleted]) await api.must('GET', '/merchant/list', { token: key });
  clock.advance(60_000);
  const body = { merchantId: account.shop.merchantId, keyId: id };
  await api.must('DELETE', '/merchant/keys/delete', { token, body });
  ended['expired restricted key'] = short;
  ended['deleted restricted key'] = deleted;
  ended['replaced secret key'] = merchant.auth.secret;
  ended['replaced public key'] = merchant.auth.public;
});
afterAll(async () => world.end());

async function restrictedKey(token: string, fields: object = {}): Promise<{ id: string; value: string }> {
  const body = { merchantId: account.shop.merchantId, name: 'Soon over', scopes: SCOPES, ...fields };
  const { key } = await world.till.api.must<{ key: { id: string; value: string } }>(
    'POST',
    '/merchant/keys/create',
    { token, body },
  );
  return key;
}

async function problemsWith(name: string, header: string | null, cause: string): Promise<string[]> {
  const endpoint = guarded.find((candidate) => candidate.name === name)!;
  const request = account.request(endpoint);
  const search = new URLSearchParams(request.query).toString();
  const response = await fetch(`${world.till.api.baseUrl}${endpoint.path}?${search}`, {
    method: endpoint.method,
    headers: {
      ...(header === null ? {} : { authorization: header }),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: request.body === undefined ? null : JSON.stringify(request.body),
  });
  const body = (await response.json()) as {
    error: { code: string; details?: { field: string; code: string }[] } | null;
    data: unknown;
  };
  const answer = { status: response.status, headers: response.headers, body };
  const asked = response.headers.get('www-authenticate') === 'Bearer';
  return [
    ...(answer.status === 401 && body.error?.code === 'UNAUTHORISED' && body.data === null
      ? []
      : [JSON.stringify(body)]),
    ...(body.error?.details?.map(({ field, code }) => `${field} ${code}`).join() === `authorization ${cause}`
      ? []
      : [`the cause is not ${cause}: ${JSON.stringify(body)}`]),
    ...(asked ? [] : ['WWW-Authenticate is missing']),
    ...world.contract.answerProblems(endpoint, answer),
  ];
}

describe.each(guarded.map(({ name }) => name))('credentials of %s', (name) => {
  it('are rejected when missing, malformed or unknown', async () => {
    const { secretKey, token } = account.shop;
    const [head = '', claims = '', signature = ''] = token.split('.');
    const causes: Record<string, readonly (string | null)[]> = {
      missing: [null, '', 'Bearer', 'Bearer '],
      malformed: [
        `Basic ${Buffer.from('a:b').toString('base64')}`,
        secretKey,
        `Bearer ${secretKey} x`,
        ...['x', 'a.b.c', 'sk_', 'null', 'x'.repeat(4000), `${head}.${claims}`].map((one) => `Bearer ${one}`),
      ],
      unknown: [
        `sk_${'A'.repeat(43)}`,
        `pk_${'A'.repeat(43)}`,
        `rk_${'A'.repeat(43)}`,
        secretKey.slice(0, -1),
        // Without the signature, an expired token is as unknown as any other.
        `${head}.${claims}.${signature.replaceAll(/./g, 'A')}`,
        `${ended['expired token']?.split('.').slice(0, 2).join('.')}.${signature.replaceAll(/./g, 'A')}`,
      ].map((one) => `Bearer ${one}`),
    };
    for (const [cause, headers] of Object.entries(causes)) {
      for (const header of headers)
        expect(await problemsWith(name, header, cause), String(header)).toEqual([]);
    }
  });

  it('are rejected once revoked or expired', async () => {
    for (const [what, credential] of Object.entries(ended)) {
      // Nothing is kept of a deleted or replaced key.
      const cause = what.startsWith('expired') ? 'expired' : 'unknown';
      expect(await problemsWith(name, `Bearer ${credential}`, cause), what).toEqual([]);
    }
  });

  it('are rejected on routes whose documentation does not list their kind', async () => {
    const endpoint = guarded.find((candidate) => candidate.name === name)!;
    const { token } = await world.till.api.must<{ token: string }>('POST', '/auth/login', {
      body: { email: account.email, password: 'correct horse battery' },
    });
    const wrong = KINDS.filter((kind) => !credentialsOf(endpoint).includes(kind));
    for (const kind of wrong) {
      const credential = kind === 'userToken' ? token : account.tokenOf(kind);
      expect(await problemsWith(name, `Bearer ${credential}`, 'wrong_kind'), kind).toEqual([]);
    }
  });
});
