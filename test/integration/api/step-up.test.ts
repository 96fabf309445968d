import { join } from 'node:path';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leafFields, type MarkedField } from '../../../src/http/schemas/security-marks.ts';
import { isListed, type Route } from '../../../src/http/server/route.ts';
import { isChange } from '../../../src/http/server/step-up.ts';
import { invite, signedIn } from '../../_helpers/people.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { observeServers } from './observed-servers.ts';
import { PREPARATIONS } from './preparations.ts';
import { credentialsOf, fresh, PASSWORD, totpCode, World, type Account } from './world.ts';

const served = observeServers();

const world = await World.start();
const routes = served.routes;
afterAll(async () => world.end());

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const guarded = routes.filter(({ auth }) => auth !== 'none');
const isSteppedUp = ({ stepUp }: Route): boolean => stepUp.always === true;
/** Fields that need a step-up where they are given. */
const fieldsAsked = guarded.flatMap((route) =>
  route.stepUp.fields.map((field) => [nameOf(route), route, field] as const),
);
const sends = ({ scope }: Route): boolean => [scope].flat().includes('wallet:send');
const changesKeys = ({ method, path }: Route): boolean => method !== 'GET' && path.includes('/keys/');
const { api, clock } = world.till;

interface Person {
  readonly email: string;
  readonly token: string;
  readonly session: SessionClient;
}

async function person(): Promise<Person> {
  const email = `${fresh('owner')}@example.com`;
  const body = { email, password: PASSWORD };
  const { token } = await api.must<{ token: string }>('POST', '/auth/register', { body });
  await world.confirm({ email, token });
  return { email, token, session: await SessionClient.signIn(api.baseUrl, body) };
}

/** What a request without any field is answered, which changes nothing. */
async function codeOf(session: SessionClient, { method, path }: Pick<Route, 'method' | 'path'>) {
  const { body } = await session.call(method, path, method === 'GET' ? undefined : {});
  return body.error?.code ?? null;
}

const prove = async (session: SessionClient, proof: object) => session.call('POST', '/auth/step-up', proof);
const SEND = { method: 'POST', path: '/merchant/wallet/send' } as const;

it('a dashboard session needs a step-up for exactly the routes in the list of this test', () => {
  expect(routes.filter(isSteppedUp).map(nameOf).toSorted()).toEqual([
    'DELETE /auth/passkeys',
    'DELETE /merchant/keys/delete',
    'DELETE /merchant/people/remove',
    'DELETE /merchant/wallet/forward',
    'DELETE /merchant/wallet/forward/pending',
    'DELETE /merchant/wallet/limits/pending',
    'DELETE /merchant/wallet/watch',
    'DELETE /merchant/wallet/watch/pending',
    'DELETE /merchant/webhook/endpoint/delete',
    'GET /merchant/webhook/endpoint/secret',
    'GET /merchant/webhook/secret',
    'PATCH /merchant/people/edit',
    'PATCH /merchant/wallet/forward',
    'PATCH /merchant/wallet/limits',
    'POST /auth/passkeys',
    'POST /auth/passkeys/options',
    'POST /connect/approve',
    'POST /merchant/counter/connect',
    'POST /merchant/create',
    'POST /merchant/keys/confirm',
    'POST /merchant/keys/create',
    'POST /merchant/keys/regenerate',
    'POST /merchant/people/invite',
    'POST /merchant/sandbox',
    'POST /merchant/subscription/credit',
    'POST /merchant/wallet/consolidate',
    'POST /merchant/wallet/psbt/submit',
    'POST /merchant/wallet/send',
    'POST /merchant/wallet/send/approve',
    'POST /merchant/wallet/send/bump',
    'POST /merchant/wallet/send/cancel',
    'POST /merchant/wallet/send/reject',
    'POST /merchant/wallet/unfreeze',
    'POST /merchant/wallet/watch',
    'POST /merchant/wallet/watch/confirm',
    'POST /merchant/webhook/endpoint/create',
    'POST /merchant/webhook/endpoint/rotate-secret',
    'POST /merchant/webhook/rotate-secret',
    'POST /payment/refund',
    'POST /payment/refund-link',
    'POST /payment/refund-link/approve',
    'POST /payment/resolve',
  ]);
  expect(routes.filter(({ stepUp }) => stepUp.always === 'code').map(nameOf)).toEqual([
    'POST /auth/change-password',
    'POST /auth/totp/setup',
  ]);
});

it('a dashboard session needs a step-up on other routes for exactly the fields in the list of this test', () => {
  expect(fieldsAsked.map(([name, , field]) => `${name} ${field}`).toSorted()).toEqual([
    'GET /payment/refund-links urls',
    'PATCH /merchant/edit business',
    'PATCH /merchant/edit embedOrigins',
    'PATCH /merchant/edit latePayments',
    'PATCH /merchant/edit supportContact',
    'PATCH /merchant/edit tolerancePercent',
    'PATCH /merchant/edit webhookUrl',
    'PATCH /merchant/link/edit amount',
    'PATCH /merchant/link/edit currency',
    'PATCH /merchant/link/edit openAmount',
    'PATCH /merchant/link/edit priceId',
    'PATCH /merchant/link/edit successUrl',
    'PATCH /merchant/price/edit amount',
    'PATCH /merchant/price/edit currency',
    'PATCH /merchant/subscription/edit priceId',
    'PATCH /merchant/subscription/edit quantity',
    'PATCH /merchant/webhook/endpoint/edit active',
    'PATCH /merchant/webhook/endpoint/edit events',
    'PATCH /merchant/webhook/endpoint/edit url',
    'PATCH /payment/update amount',
    'PATCH /payment/update currency',
    'PATCH /payment/update returnUrl',
    'PATCH /payment/update successUrl',
    'POST /merchant/link/create successUrl',
    'POST /merchant/subscription/create returnUrl',
    'POST /merchant/subscription/create successUrl',
  ]);
});

const SECRET_NAME =
  /(secret|token|password|passphrase|mnemonic|seed|words|recoveryCodes|private\w*|xprv|^key|^value|^code|^link|redirectTo)$/i;
/** Answers whose name looks like a secret's, each with the reason why it is none. */
const NO_SECRETS: Readonly<Record<string, string>> = {
  'GET /merchant/keys keys.key': 'the public key; null for the others',
  'POST /merchant/verify-domain verification.token': 'its owner publishes it',
};

it('a response field whose name suggests a secret is marked as secret in the schema', () => {
  const suspicious = routes.flatMap((route) =>
    leafFields(route.data)
      .filter(({ path }) => SECRET_NAME.test(path.at(-1) ?? ''))
      .map(({ path, mark }) => ({ name: `${nameOf(route)} ${path.join('.')}`, mark })),
  );
  const unmarked = suspicious.filter(({ mark }) => mark !== 'secret').map(({ name }) => name);
  expect(suspicious.length).toBeGreaterThan(15);
  expect([...new Set(unmarked)].toSorted()).toEqual(Object.keys(NO_SECRETS).toSorted());
});

const TARGET_NAME =
  /(url|uri|address|destination|domain|origins?|contact|xpub|descriptor|host|payout\w*|sweep\w*|payTo)$/i;
const SETTLING_NAME =
  /(confirmations|depth|tolerance\w*|latePayments|policy|sandboxMode|acceptance|trust\w*)$/i;
/** Fields of requests whose name looks like a target's, or like what counts as paid, each with the reason why not. */
const NO_TARGETS: Readonly<Record<string, string>> = {
  'POST /sandbox/payment/simulate confirmations': 'simulated blocks',
};

function isUrl({ schema }: MarkedField): boolean {
  const format = z.globalRegistry.get(schema)?.['format'];
  return format === 'uri' || format === 'uri-template';
}

it('the check of marked fields rejects a schema of an unknown kind, wherever it occurs', () => {
  const inner = z.object({ url: z.string() });
  for (const schema of [
    z.intersection(inner, inner),
    z.lazy(() => inner),
    z.tuple([inner]),
    inner.catch({ url: '' }),
  ])
    expect(() => leafFields(z.object({ some: schema.optional() }))).toThrow('not a schema with known fields');
});

it('the OpenAPI document marks each edit of an amount as one that changes how much has to be paid', () => {
  const amounts = routes
    .filter(({ method }) => method === 'PATCH')
    .flatMap((route) =>
      leafFields(route.body ?? z.object({})).map((field) => ({ ...field, name: nameOf(route) })),
    )
    .filter(({ path }) => /^(amount|openAmount|min|max)$/.test(path[0] ?? ''));
  expect(new Set(amounts.map(({ name }) => name)).size).toBe(3);
  expect(amounts.filter(({ mark }) => mark !== 'settles')).toEqual([]);
});

it('every request body has an object schema with known fields', () => {
  const bodies = routes.flatMap(({ body }) => body ?? []);
  expect(bodies.filter((body) => !(body instanceof z.ZodObject))).toEqual([]);
});

it('a request field is marked when it contains a destination or affects what counts as paid', () => {
  const suspicious = routes
    .filter((route) => route.auth !== 'none' && isChange(route))
    .flatMap((route) =>
      (route.body === null ? [] : leafFields(route.body))
        .filter((field) => {
          const name = field.path.at(-1) ?? '';
          return isUrl(field) || TARGET_NAME.test(name) || SETTLING_NAME.test(name);
        })
        .map(({ path, mark }) => ({ name: `${nameOf(route)} ${path.join('.')}`, mark })),
    );
  expect(suspicious.length).toBeGreaterThan(15);
  const unmarked = suspicious.filter(({ mark }) => mark === null).map(({ name }) => name);
  expect([...new Set(unmarked)]).toEqual(Object.keys(NO_TARGETS));
});

it('a route that needs wallet:send, or concerns a key or a secret, needs a step-up', () => {
  /** Setting coins aside, or freezing a wallet, moves none. */
  const harmless = new Set([
    'POST /merchant/wallet/freeze',
    'POST /merchant/wallet/labels',
    'POST /merchant/wallet/outputs/freeze',
    'POST /merchant/wallet/outputs/unfreeze',
  ]);
  const suspicious = routes.filter(
    (route) => sends(route) || changesKeys(route) || route.path.includes('secret'),
  );
  expect(suspicious.length).toBeGreaterThan(10);
  const forgotten = suspicious.filter((route) => !isSteppedUp(route) && !harmless.has(nameOf(route)));
  expect(forgotten.map(nameOf)).toEqual([]);
});

describe('a session without step-up', () => {
  let owner: Person;
  beforeAll(async () => {
    owner = await person();
  });

  it.each(guarded.filter(isSteppedUp).map((route) => [nameOf(route), route] as const))(
    'is refused with STEP_UP_REQUIRED by %s, before any processing',
    async (_name, { method, path }) => {
      const answer = await owner.session.call(method, path, method === 'GET' ? undefined : { x: 'y' });
      expect([answer.status, answer.body.error?.code]).toEqual([403, 'STEP_UP_REQUIRED']);
      expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(['password']);
    },
  );

  it.each(fieldsAsked)(
    'is refused with STEP_UP_REQUIRED by %s for its field %3$s',
    async (_name, route, field) => {
      const { method, path } = route;
      const isRead = method === 'GET';
      const address = isRead ? `${path}?${field}=` : path;
      const given = isRead ? undefined : { [field]: null };
      const answer = await owner.session.call(method, address, given);
      expect([answer.status, answer.body.error?.code]).toEqual([403, 'STEP_UP_REQUIRED']);
      const { body } = await api.call(method, address, { token: owner.token, body: given });
      expect(body.error?.code).not.toBe('STEP_UP_REQUIRED');
    },
  );

  it('is accepted on all other routes', async () => {
    const others = guarded.filter((route) => !isSteppedUp(route) && route.path !== '/auth/sessions');
    const asking: string[] = [];
    for (const route of others) {
      if ((await codeOf(owner.session, route)) === 'STEP_UP_REQUIRED') asking.push(nameOf(route));
    }
    expect(others.length).toBeGreaterThan(40);
    expect(asking).toEqual([]);
  });

  it('does not restrict user tokens and API keys', async () => {
    const theirs = guarded.filter((route) => isSteppedUp(route) && isListed(route));
    expect(theirs.length).toBeGreaterThan(10);
    for (const { method, path } of theirs) {
      const { body } = await api.call(method, path, {
        token: owner.token,
        ...(method === 'GET' ? {} : { body: {} }),
      });
      expect(body.error?.code, path).not.toBe('STEP_UP_REQUIRED');
      expect(body.error?.code, path).not.toBe('UNAUTHORISED');
    }
  });
});

describe('a step-up', () => {
  it('is valid for five minutes after the password, and only for the session that did it', async () => {
    const owner = await person();
    const other = await SessionClient.signIn(api.baseUrl, { email: owner.email, password: PASSWORD });
    const wrong = await prove(owner.session, { password: 'wrong' });
    expect([wrong.status, wrong.body.error?.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await prove(owner.session, {})).body.error?.code).toBe('INVALID_CREDENTIALS');
    expect(await codeOf(owner.session, SEND)).toBe('STEP_UP_REQUIRED');
    const { status, body } = await prove(owner.session, { password: PASSWORD });
    expect(status).toBe(200);
    expect(Date.parse(String(body.data['until'])) - clock.now()).toBeGreaterThan(290_000);
    expect(await codeOf(owner.session, SEND)).toBe('VALIDATION_INVALID');
    expect(await codeOf(other, SEND)).toBe('STEP_UP_REQUIRED');
    clock.advance(299_000);
    expect(await codeOf(owner.session, SEND)).toBe('VALIDATION_INVALID');
    clock.advance(2_000);
    expect(await codeOf(owner.session, SEND)).toBe('STEP_UP_REQUIRED');
  });

  it('is not inherited by the next session after a sign-out', async () => {
    const owner = await person();
    await prove(owner.session, { password: PASSWORD });
    await owner.session.call('POST', '/auth/session', { email: owner.email, password: PASSWORD });
    expect(await codeOf(owner.session, SEND)).toBe('STEP_UP_REQUIRED');
  });

  it('needs a TOTP code when a second factor is enabled, and each code is valid once', async () => {
    const owner = await person();
    await prove(owner.session, { password: PASSWORD });
    const setup = await owner.session.call<{ secret: string }>('POST', '/auth/totp/setup', {
      password: PASSWORD,
    });
    const { secret } = setup.body.data;
    const code = () => totpCode(secret, clock.now());
    const on = await owner.session.call<{ recoveryCodes: string[] }>('POST', '/auth/totp/enable', {
      code: code(),
    });
    // What was proven by the password alone counts no longer.
    const asked = await owner.session.call(SEND.method, SEND.path, {});
    expect(asked.body.error?.details?.map(({ field }) => field)).toEqual(['code']);
    clock.advance(31_000);
    const byPassword = await prove(owner.session, { password: PASSWORD });
    expect([byPassword.status, byPassword.body.error?.code]).toEqual([401, 'SECOND_FACTOR_REQUIRED']);
    const right = code();
    expect((await prove(owner.session, { code: right })).status).toBe(200);
    expect(await codeOf(owner.session, SEND)).toBe('VALIDATION_INVALID');
    expect((await prove(owner.session, { code: right })).body.error?.code).toBe('INVALID_CREDENTIALS');
    clock.advance(301_000);
    const [recovery] = on.body.data.recoveryCodes;
    expect((await prove(owner.session, { code: recovery })).status).toBe(200);
    expect((await prove(owner.session, { code: recovery })).body.error?.code).toBe('INVALID_CREDENTIALS');
  });

  it('cannot be completed without the TOTP code, nor with the user token that a password change returns', async () => {
    const owner = await person();
    const change = async () =>
      owner.session.call<{ token: string }>('POST', '/auth/change-password', {
        currentPassword: PASSWORD,
        newPassword: PASSWORD,
      });
    // Without a second factor the password in the request is the proof.
    expect((await change()).status).toBe(200);
    const { body } = await owner.session.call<{ secret: string }>('POST', '/auth/totp/setup', {
      password: PASSWORD,
    });
    const { secret } = body.data;
    await owner.session.call('POST', '/auth/totp/enable', { code: totpCode(secret, clock.now()) });
    const refused = await change();
    expect([refused.status, refused.body.error?.code, refused.body.data]).toEqual([
      403,
      'STEP_UP_REQUIRED',
      null,
    ]);
    expect(refused.body.error?.details?.map(({ field }) => field)).toEqual(['code']);
    clock.advance(31_000);
    await prove(owner.session, { code: totpCode(secret, clock.now()) });
    expect((await change()).status).toBe(200);
  });

  it('is required to read secrets that remain valid after the session', async () => {
    const account = await world.account();
    const session = await SessionClient.signIn(api.baseUrl, { email: account.email, password: PASSWORD });
    const byUser = world.contract.routes.filter((endpoint) => credentialsOf(endpoint).includes('userToken'));
    const shown: string[] = [];
    for (const endpoint of byUser.filter(({ path }) => !path.startsWith('/auth/'))) {
      const { query, body } = account.request(endpoint, 'userToken');
      const search = new URLSearchParams(query).toString();
      const named = endpoint.method === 'GET' ? undefined : { merchantId: account.shop.merchantId, ...body };
      const path = search === '' ? endpoint.path : `${endpoint.path}?${search}`;
      const answer = await session.call(endpoint.method, path, named);
      const text = JSON.stringify(answer.body);
      if (/"([sr]k_|whsec_)[0-9A-Za-z+/=]{20,}"|"eyJ[\w-]+\./.test(text)) shown.push(endpoint.name);
    }
    expect(byUser.length).toBeGreaterThan(40);
    expect(shown).toEqual([]);
  });

  it('can be done between two attempts with one Idempotency-Key, because the refused attempt does not use it up', async () => {
    const owner = await person();
    const { merchant } = await api.must<{ merchant: { id: string } }>('POST', '/merchant/create', {
      token: owner.token,
      body: { name: 'Shop', domain: `${fresh('shop')}.example` },
    });
    const body = { merchantId: merchant.id, name: 'Plugin', scopes: ['events:read'] };
    const create = async () =>
      owner.session.call('POST', '/merchant/keys/create', body, { 'idempotency-key': 'plugin-1' });
    expect((await create()).status).toBe(403);
    await prove(owner.session, { password: PASSWORD });
    const made = await create();
    expect([made.status, made.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});

/** The newest entries of all users. */
function entries(): { action: string; result: string | null }[] {
  const db = new Database(join(world.till.dataDir, 'tilld.sqlite'), { readonly: true });
  try {
    return db.prepare('SELECT action, result FROM audit_log ORDER BY id DESC LIMIT 50').all() as {
      action: string;
      result: string | null;
    }[];
  } finally {
    db.close();
  }
}

describe('the audit log of step-up routes', () => {
  const handing = routes.filter(({ answersSecret, streamsAs }) => answersSecret || streamsAs !== undefined);
  let account: Account;
  beforeAll(async () => {
    account = await world.account();
    await world.confirm({ email: account.email, token: account.shop.token });
  });

  it('covers every route that needs a step-up', () => {
    expect(handing.map(nameOf).toSorted()).toEqual([
      'GET /merchant/wallet/labels',
      'GET /merchant/webhook/endpoint/secret',
      'GET /merchant/webhook/secret',
      'GET /payment/export',
      'GET /payment/month-report',
      'POST /auth/change-password',
      'POST /auth/login',
      'POST /auth/register',
      'POST /auth/totp/disable',
      'POST /auth/totp/enable',
      'POST /auth/totp/setup',
      'POST /connect/approve',
      'POST /connect/token',
      'POST /counter/connect',
      'POST /merchant/counter/connect',
      'POST /merchant/create',
      'POST /merchant/keys/create',
      'POST /merchant/keys/regenerate',
      'POST /merchant/people/invite',
      'POST /merchant/webhook/endpoint/create',
      'POST /merchant/webhook/endpoint/rotate-secret',
      'POST /merchant/webhook/rotate-secret',
    ]);
  });

  it.each(handing.filter(isListed).map((route) => [nameOf(route)] as const))(
    'records each %s, with any kind of credential',
    async (name) => {
      const endpoint = world.contract.routes.find((candidate) => candidate.name === name);
      if (endpoint === undefined) throw new Error(`the document has no ${name}`);
      const kinds = credentialsOf(endpoint).filter((kind) => kind !== 'publicKey');
      const count = () => entries().filter(({ action, result }) => action === name && result === 'OK').length;
      for (const kind of kinds.length === 0 ? [null] : kinds) {
        const before = count();
        const example = account.request(endpoint, kind);
        const request = (await PREPARATIONS[name]?.(world, account, example)) ?? example;
        const answer = await world.send(endpoint, request);
        expect([kind, answer.body.error]).toEqual([kind, null]);
        await expect.poll(count, { message: String(kind) }).toBeGreaterThan(before);
      }
    },
  );

  it('records an invitation, because the response contains its link', async () => {
    const owner = await signedIn(api, account.email);
    const { merchantId } = account.shop;
    await invite(owner.session, { merchantId, email: `${fresh('clerk')}@example.com`, role: 'clerk' });
    expect(entries()).toContainEqual({ action: 'POST /merchant/people/invite', result: 'OK' });
  });
});
