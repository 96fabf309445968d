import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base32nopad } from '@scure/base';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findUserPasskeys } from '../../../src/store/accounts/passkeys.ts';
import { findSecondFactorSetUpAt } from '../../../src/usecases/accounts/index.ts';
import { codeOfStep } from '../../../src/usecases/accounts/second-factor/totp.ts';
import {
  Authenticator,
  type CreateOptions,
  type Forgery,
  type GetOptions,
} from '../../_helpers/authenticator.ts';
import { newConfirmedUser as newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { cookieOf, SessionClient } from '../../_helpers/session-client.ts';

const PASSWORD = 'correct horse battery';
const ORIGIN = 'https://pay.shop.example';
const MINUTE_MS = 60_000;

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp({ settings: { baseUrl: ORIGIN } });
});
afterAll(async () => app.destroy());

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly usable: boolean;
  readonly backedUp: boolean;
  readonly lastUsedAt: string | null;
}

interface Owner {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly session: SessionClient;
}

const outcome = (answer: { status: number; body: { error: { code: string } | null } }) => [
  answer.status,
  answer.body.error?.code ?? null,
];
const REFUSED = [401, 'INVALID_CREDENTIALS'];
const isIn = async (client: SessionClient) => (await client.call('GET', '/auth/session')).status === 200;
const prove = async (session: SessionClient) => session.call('POST', '/auth/step-up', { password: PASSWORD });

async function owner(on = app): Promise<Owner> {
  const { id, email, token } = await newUser(on);
  const session = await SessionClient.signIn(on.baseUrl, { email, password: PASSWORD });
  await prove(session);
  return { id, email, token, session };
}

async function createOptions(session: SessionClient): Promise<CreateOptions> {
  const { body } = await session.call<{ options: CreateOptions }>('POST', '/auth/passkeys/options');
  return body.data.options;
}

async function add(session: SessionClient, device = new Authenticator(ORIGIN), forged: Forgery = {}) {
  const credential = device.create(await createOptions(session), forged);
  const answer = await session.call<{ passkey: Listed }>('POST', '/auth/passkeys', {
    name: 'Laptop',
    credential,
  });
  // A changed factor ends what the session had proved.
  await prove(session);
  return { device, answer };
}

async function signInOptions(client: SessionClient): Promise<GetOptions> {
  const { body } = await client.call<{ options: GetOptions }>('GET', '/auth/passkeys/sign-in');
  return body.data.options;
}

async function stepUpOptions(client: SessionClient): Promise<GetOptions> {
  const { body } = await client.call<{ options: GetOptions }>('GET', '/auth/passkeys/step-up');
  return body.data.options;
}

const signInWith = async (client: SessionClient, credential: object) =>
  client.call('POST', '/auth/passkeys/sign-in', { credential });
const stepUpWith = async (client: SessionClient, credential: object) =>
  client.call('POST', '/auth/passkeys/step-up', { credential });
const listed = async (session: SessionClient) =>
  (await session.call<{ passkeys: Listed[] }>('GET', '/auth/passkeys')).body.data.passkeys;

/** Whether the session may do what moves money: what is asked then lacks everything. */
async function maySend(session: SessionClient): Promise<boolean> {
  const { body } = await session.call('POST', '/merchant/keys/create', {});
  return body.error?.code !== 'STEP_UP_REQUIRED';
}

async function notices(email: string, on = app): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM mails JOIN users
    ON users.id = mails.user_id WHERE kind = 'notice' AND email = ${email}`.execute(on.db);
  return rows[0]?.count ?? 0;
}

describe('a passkey', () => {
  it('can be added after a step-up, with an email notice, listed, renamed and removed', async () => {
    const { session, email } = await owner();
    const { answer } = await add(session);
    expect(answer.status).toBe(201);
    expect(answer.body.data.passkey).toMatchObject({ name: 'Laptop', usable: true, lastUsedAt: null });
    expect(await notices(email)).toBe(1);
    const [first] = await listed(session);
    const renamed = await session.call<{ passkey: Listed }>('PATCH', '/auth/passkeys', {
      passkeyId: first?.id,
      name: ' Work laptop ',
    });
    expect(renamed.body.data.passkey.name).toBe('Work laptop');
    expect((await listed(session)).map(({ name }) => name)).toEqual(['Work laptop']);
    const removed = await session.call('DELETE', '/auth/passkeys', {
      passkeyId: first?.id,
      password: PASSWORD,
    });
    expect(removed.status).toBe(200);
    expect(await listed(session)).toEqual([]);
    expect(await notices(email)).toBe(2);
  });

  it('requires a step-up to be added or removed, and a dashboard session for every operation', async () => {
    const { email, token } = await newUser(app);
    const session = await SessionClient.signIn(app.baseUrl, { email, password: PASSWORD });
    const asked = await session.call('POST', '/auth/passkeys/options');
    expect(outcome(asked)).toEqual([403, 'STEP_UP_REQUIRED']);
    expect(outcome(await session.call('POST', '/auth/passkeys', {}))).toEqual([403, 'STEP_UP_REQUIRED']);
    expect(outcome(await session.call('DELETE', '/auth/passkeys', {}))).toEqual([403, 'STEP_UP_REQUIRED']);
    for (const [method, path] of [
      ['GET', '/auth/passkeys'],
      ['POST', '/auth/passkeys/options'],
      ['POST', '/auth/passkeys'],
      ['PATCH', '/auth/passkeys'],
      ['DELETE', '/auth/passkeys'],
      ['GET', '/auth/passkeys/step-up'],
      ['POST', '/auth/passkeys/step-up'],
    ] as const) {
      expect(outcome(await app.api.call(method, path, { token })), path).toEqual([401, 'UNAUTHORISED']);
    }
  });

  it('cannot be renamed or removed by another user', async () => {
    const [ann, bob] = [await owner(), await owner()];
    await add(ann.session);
    const [first] = await listed(ann.session);
    const body = { passkeyId: first?.id, name: 'Mine now', password: PASSWORD };
    expect(outcome(await bob.session.call('PATCH', '/auth/passkeys', body))).toEqual([
      404,
      'PASSKEY_NOT_FOUND',
    ]);
    expect(outcome(await bob.session.call('DELETE', '/auth/passkeys', body))).toEqual([
      404,
      'PASSKEY_NOT_FOUND',
    ]);
    expect((await listed(ann.session)).map(({ name }) => name)).toEqual(['Laptop']);
  });

  it('is stored once, with at most twenty per user', async () => {
    const [ann, bob] = [await owner(), await owner()];
    const { device } = await add(ann.session);
    expect(outcome((await add(bob.session, device)).answer)).toEqual([409, 'INVALID_STATE']);
    for (let more = 0; more < 19; more += 1) expect((await add(ann.session)).answer.status).toBe(201);
    const asked = await ann.session.call('POST', '/auth/passkeys/options');
    expect(outcome(asked)).toEqual([409, 'INVALID_STATE']);
  });

  const forgeries: [string, Forgery][] = [
    ['of another origin', { origin: 'https://evil.example' }],
    ['of the same host without TLS', { origin: 'http://pay.shop.example' }],
    ['of another port', { origin: `${ORIGIN}:8443` }],
    ['for another site', { rpId: 'shop.example' }],
    ['that is an assertion', { type: 'webauthn.get' }],
    ['without user verification', { userVerified: false }],
    ['without user presence', { userPresent: false }],
    ['under another id than the authenticator signed', { id: 'AAAA' }],
    ['for an unknown challenge', { challenge: Buffer.from('whatever').toString('base64url') }],
    ['that is backed up but not eligible for backup', { backedUp: true }],
  ];
  it.each(forgeries)('cannot be registered %s', async (_what, forged) => {
    const { session } = await owner();
    const { answer } = await add(session, new Authenticator(ORIGIN), forged);
    expect(outcome(answer)).toEqual(REFUSED);
    expect(await listed(session)).toEqual([]);
  });

  it('causes no request to the URLs in its attestation certificates', async () => {
    const { session } = await owner();
    let asked = 0;
    const site = createServer((_req, res) => {
      asked += 1;
      res.end();
    });
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
    const { port } = site.address() as AddressInfo;
    const certificates = [Buffer.from(`http://127.0.0.1:${port}/crl`)];
    for (const format of ['packed', 'tpm', 'android-key', 'apple', 'fido-u2f', 'unheard-of']) {
      const { answer } = await add(session, new Authenticator(ORIGIN), {
        attestation: { format, certificates },
      });
      expect(outcome(answer), format).toEqual(REFUSED);
    }
    site.close();
    expect(asked).toBe(0);
    expect(app.logs.join('\n')).not.toContain('Unsupported Attestation Format');
  });

  it('can be registered once per challenge, before the challenge expires, in the session that requested it', async () => {
    const { session, email } = await owner();
    const other = await SessionClient.signIn(app.baseUrl, { email, password: PASSWORD });
    await prove(other);
    const device = new Authenticator(ORIGIN);
    const body = { name: 'Laptop', credential: device.create(await createOptions(session)) };
    expect(outcome(await other.call('POST', '/auth/passkeys', body))).toEqual(REFUSED);
    expect((await session.call('POST', '/auth/passkeys', body)).status).toBe(201);
    await prove(session);
    expect(outcome(await session.call('POST', '/auth/passkeys', body))).toEqual(REFUSED);
    const late = { name: 'Late', credential: new Authenticator(ORIGIN).create(await createOptions(session)) };
    app.advance(6 * MINUTE_MS);
    await prove(session);
    expect(outcome(await session.call('POST', '/auth/passkeys', late))).toEqual(REFUSED);
  });
});

describe('findSecondFactorSetUpAt', () => {
  it('returns the setup time of the authenticator app, or of a newer passkey that was used within the last minutes', async () => {
    const { session, email, id } = await owner();
    const setUpAt = async () => findSecondFactorSetUpAt(app.db, id, app.now());
    const { device } = await add(session);
    expect(await setUpAt()).toBeNull();
    await enableTotp(app, email);
    const enabledAt = await setUpAt();
    expect(enabledAt).not.toBeNull();
    await app.db.updateTable('second_factors').set({ enabledAt: 1 }).where('userId', '=', id).execute();
    expect(await setUpAt()).toBe(1);
    const client = new SessionClient(app.baseUrl);
    await signInWith(client, device.get(await signInOptions(client)));
    const [passkey] = await findUserPasskeys(app.db, id);
    expect(await setUpAt()).toBe(passkey?.createdAt);
    app.advance(6 * MINUTE_MS);
    expect(await setUpAt()).toBe(passkey?.createdAt);
    app.advance(6 * MINUTE_MS);
    expect(await setUpAt()).toBe(1);
  });
});

describe('sign-in with a passkey', () => {
  it('requires neither an email address nor a password, nor a TOTP code', async () => {
    const { session, email, id } = await owner();
    const { device } = await add(session);
    await enableTotp(app, email);
    const client = new SessionClient(app.baseUrl);
    const answer = await signInWith(client, device.get(await signInOptions(client)));
    expect(answer.body.data).toEqual({ user: { id, email, isVerified: true } });
    expect(cookieOf(answer)?.pair).toMatch(/^__Host-tilld=[0-9A-Za-z]{43}$/);
    expect(cookieOf(answer)?.attributes).toEqual([
      'Max-Age=604800',
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
      'Secure',
    ]);
    expect(await isIn(client)).toBe(true);
    expect(await maySend(client)).toBe(false);
    expect((await listed(client))[0]?.lastUsedAt).not.toBeNull();
  });

  it('ends the previous session of the browser, and does not adopt an existing token (session fixation)', async () => {
    const [ann, bob] = [await owner(), await owner()];
    const { device } = await add(bob.session);
    const before = new SessionClient(app.baseUrl, ann.session.cookie);
    await signInWith(ann.session, device.get(await signInOptions(ann.session)));
    expect(ann.session.cookie).not.toBe(before.cookie);
    expect(await isIn(before)).toBe(false);
    const me = await ann.session.call('GET', '/auth/me');
    expect(me.body.data).toMatchObject({ user: { email: bob.email } });
  });

  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const forgeries: [string, Forgery][] = [
    ['of another origin', { origin: 'https://evil.example' }],
    ['of a sibling domain', { origin: 'https://blog.shop.example' }],
    ['of another port', { origin: `${ORIGIN}:8443` }],
    ['within a frame of another site', { crossOrigin: true, topOrigin: 'https://evil.example' }],
    ['for another site', { rpId: 'evil.example' }],
    ['that is a registration', { type: 'webauthn.create' }],
    ['without user verification', { userVerified: false }],
    ['without user presence', { userPresent: false, userVerified: true }],
    ['signed by another key', { key: other }],
    ['with a signature that was altered', { spoil: 'signature' }],
    ['without a user handle', { userHandle: null }],
    ['with the user handle of another user', { userHandle: Buffer.from('usr_other').toString('base64url') }],
    ['of an unknown passkey', { id: 'bm9ib2R5LWhhcyB0aGlz' }],
    ['for an unknown challenge', { challenge: Buffer.from('whatever').toString('base64url') }],
  ];
  it.each(forgeries)('is refused, with the same message for every reason: %s', async (_what, forged) => {
    const { session } = await owner();
    const { device } = await add(session);
    const client = new SessionClient(app.baseUrl);
    const answer = await signInWith(client, device.get(await signInOptions(client), forged));
    expect(outcome(answer)).toEqual(REFUSED);
    expect(answer.body.error?.message).toBe('This passkey was not accepted');
    expect(cookieOf(answer)).toBeNull();
    // The same passkey is fine where nothing was forged.
    expect((await signInWith(client, device.get(await signInOptions(client)))).status).toBe(200);
  });

  it('accepts a challenge once, within five minutes, and only one that was issued for sign-in', async () => {
    const { session } = await owner();
    const { device } = await add(session);
    const client = new SessionClient(app.baseUrl);
    const answer = device.get(await signInOptions(client));
    expect((await signInWith(client, answer)).status).toBe(200);
    expect(outcome(await signInWith(new SessionClient(app.baseUrl), answer))).toEqual(REFUSED);
    const late = device.get(await signInOptions(client));
    app.advance(5 * MINUTE_MS);
    expect(outcome(await signInWith(client, late))).toEqual(REFUSED);
    await prove(session);
    const stepUp = device.get(await stepUpOptions(session));
    expect(outcome(await signInWith(client, stepUp))).toEqual(REFUSED);
    const { challenge } = await createOptions(session);
    const create = device.get({ challenge, rpId: 'pay.shop.example' });
    expect(outcome(await signInWith(client, create))).toEqual(REFUSED);
  });

  it('accepts one of two concurrent requests with the same challenge', async () => {
    const { session } = await owner();
    const { device } = await add(session);
    const answer = device.get(await signInOptions(session));
    const both = await Promise.all(
      [0, 1].map(async () => signInWith(new SessionClient(app.baseUrl), answer)),
    );
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });

  it('is refused after the passkey was removed, and sessions that the passkey opened end', async () => {
    const { session } = await owner();
    const { device, answer } = await add(session);
    const thief = new SessionClient(app.baseUrl);
    await signInWith(thief, device.get(await signInOptions(thief)));
    const pending = device.get(await signInOptions(thief));
    const body = { passkeyId: answer.body.data.passkey.id, password: PASSWORD };
    expect((await session.call('DELETE', '/auth/passkeys', body)).status).toBe(200);
    expect([await isIn(thief), await isIn(session)]).toEqual([false, true]);
    expect(outcome(await signInWith(thief, pending))).toEqual(REFUSED);
  });

  it('is refused for requests from pages of other sites', async () => {
    const { session } = await owner();
    const { device } = await add(session);
    const credential = device.get(await signInOptions(session));
    const client = new SessionClient(app.baseUrl);
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'x-tilld-dashboard': '1' },
    ];
    for (const headers of foreign) {
      const answer = await client.raw('POST', '/auth/passkeys/sign-in', { credential }, headers);
      expect(outcome(answer)).toEqual([403, 'FORBIDDEN']);
      expect(cookieOf(answer)).toBeNull();
    }
    const site = { 'sec-fetch-site': 'cross-site' };
    expect((await client.raw('GET', '/auth/passkeys/sign-in', undefined, site)).status).toBe(403);
    expect((await signInWith(client, credential)).status).toBe(200);
  });

  it('survives a restart of the daemon between challenge and response', async () => {
    const first = await startHttpApp({ settings: { baseUrl: ORIGIN } });
    const { session } = await owner(first);
    const { device } = await add(session);
    const [used, open] = [await signInOptions(session), await signInOptions(session)];
    expect((await signInWith(session, device.get(used))).status).toBe(200);
    await first.close();
    const second = await startHttpApp({ reopen: first, settings: { baseUrl: ORIGIN } });
    try {
      const client = new SessionClient(second.baseUrl);
      expect(outcome(await signInWith(client, device.get(used)))).toEqual(REFUSED);
      expect((await signInWith(client, device.get(open))).status).toBe(200);
    } finally {
      await second.destroy();
    }
  });
});

describe('the passkey routes on malformed input', () => {
  /** Extensions in CBOR, arrays in arrays, deeper than a stack is. */
  const deep = Buffer.concat([Buffer.alloc(32), Buffer.from([0x85, 0, 0, 0, 1]), Buffer.alloc(11_000, 0x81)]);
  const texts = ['null', '[]', '{}', '"x"', '{"challenge":7,"type":"webauthn.get"}', 'no JSON', ''];
  const values = [
    ...texts.map((text) => Buffer.from(text).toString('base64url') || 'A'),
    deep.toString('base64url'),
    'AAAA',
    '----',
  ];

  it.each(['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'])(
    'refuse a malformed field %s of an assertion without an internal error',
    async (field) => {
      const { session } = await owner();
      const { device } = await add(session);
      for (const value of values) {
        const credential = device.get(await signInOptions(session)) as { response: object };
        const forged = { ...credential, response: { ...credential.response, [field]: value } };
        const answer = await signInWith(new SessionClient(app.baseUrl), forged);
        expect([400, 401], value).toContain(answer.status);
      }
    },
  );

  it.each(['clientDataJSON', 'attestationObject', 'transports'])(
    'refuse a malformed field %s of a new passkey without an internal error',
    async (field) => {
      const { session } = await owner();
      for (const value of [...values, 7, [{}]]) {
        const credential = new Authenticator(ORIGIN).create(await createOptions(session)) as {
          response: object;
        };
        const forged = { ...credential, response: { ...credential.response, [field]: value } };
        const answer = await session.call('POST', '/auth/passkeys', { name: 'x', credential: forged });
        expect([400, 401], JSON.stringify(value)).toContain(answer.status);
      }
      expect(await listed(session)).toEqual([]);
    },
  );
});

describe('the signature counter of an authenticator', () => {
  it('indicates a cloned passkey when it does not increase, which causes a refusal, a log line and an email', async () => {
    const { session, email } = await owner();
    const device = new Authenticator(ORIGIN);
    device.counter = 7;
    await add(session, device);
    const client = new SessionClient(app.baseUrl);
    const attempt = async (counter: number) =>
      signInWith(client, device.get(await signInOptions(client), { counter }));
    const before = await notices(email);
    expect((await attempt(8)).status).toBe(200);
    for (const counter of [8, 7, 0]) {
      const answer = await attempt(counter);
      expect(outcome(answer), String(counter)).toEqual(REFUSED);
      expect(answer.body.error?.message).toContain('its counter went back');
    }
    expect(await notices(email)).toBe(before + 3);
    expect(app.logs.join('\n')).toContain('its signature counter went back');
    expect((await attempt(9)).status).toBe(200);
  });

  it('is ignored when the signature is invalid', async () => {
    const { session, email } = await owner();
    const device = new Authenticator(ORIGIN);
    device.counter = 7;
    await add(session, device);
    const before = await notices(email);
    const client = new SessionClient(app.baseUrl);
    const forged = device.get(await signInOptions(client), { counter: 1, spoil: 'signature' });
    const answer = await signInWith(client, forged);
    expect(answer.body.error?.message).toBe('This passkey was not accepted');
    expect(await notices(email)).toBe(before);
  });

  it('may stay 0, as with synced passkeys', async () => {
    const { session } = await owner();
    const synced = { backupEligible: true, backedUp: true };
    const { device } = await add(session, new Authenticator(ORIGIN), synced);
    for (let times = 0; times < 2; times += 1) {
      const client = new SessionClient(app.baseUrl);
      expect((await signInWith(client, device.get(await signInOptions(client), synced))).status).toBe(200);
    }
    expect((await listed(session))[0]?.backedUp).toBe(true);
  });
});

describe('step-up with a passkey', () => {
  it('allows money transfers in that session for five minutes, with and without TOTP', async () => {
    const { session, email } = await owner();
    const { device } = await add(session);
    app.advance(6 * MINUTE_MS);
    expect(await maySend(session)).toBe(false);
    expect((await stepUpWith(session, device.get(await stepUpOptions(session)))).status).toBe(200);
    expect(await maySend(session)).toBe(true);
    app.advance(6 * MINUTE_MS);
    expect(await maySend(session)).toBe(false);
    await enableTotp(app, email);
    const again = new SessionClient(app.baseUrl);
    await signInWith(again, device.get(await signInOptions(again)));
    expect((await stepUpWith(again, device.get(await stepUpOptions(again)))).status).toBe(200);
    expect(await maySend(again)).toBe(true);
  });

  it('requires a challenge issued to this session for a step-up, and a passkey of this user', async () => {
    const ann = await owner();
    const bob = await owner();
    const { device } = await add(ann.session);
    const { device: bobs } = await add(bob.session);
    const there = new SessionClient(app.baseUrl);
    await signInWith(there, device.get(await signInOptions(there)));
    app.advance(6 * MINUTE_MS);
    const { session } = ann;
    for (const [what, credential] of [
      ['of another session', device.get(await stepUpOptions(there))],
      ['of another user’s session', device.get(await stepUpOptions(bob.session))],
      ['for signing in', device.get(await signInOptions(session))],
      ['signed by another user’s passkey', bobs.get(await stepUpOptions(session))],
      ['as if it were hers', bobs.get(await stepUpOptions(session), { userHandle: device.userHandle })],
      ['under the id of hers', bobs.get(await stepUpOptions(session), { id: device.id })],
      ['without user verification', device.get(await stepUpOptions(session), { userVerified: false })],
    ] as const) {
      expect(outcome(await stepUpWith(session, credential)), what).toEqual(REFUSED);
      expect(await maySend(session), what).toBe(false);
    }
    // Where the user is known, an authenticator need not tell.
    const silent = device.get(await stepUpOptions(session), { userHandle: null });
    expect((await stepUpWith(session, silent)).status).toBe(200);
    expect(await maySend(there)).toBe(false);
  });

  it('issues no challenge to a user without passkeys', async () => {
    const { session } = await owner();
    const { body } = await session.call('GET', '/auth/passkeys/step-up');
    expect(body.data).toEqual({ options: null, origin: ORIGIN, reason: null });
  });
});

describe('removing the last passkey', () => {
  it('requires the password when no authenticator app remains', async () => {
    const { session } = await owner();
    const { answer } = await add(session);
    const passkeyId = answer.body.data.passkey.id;
    const remove = async (fields: object = {}) =>
      session.call('DELETE', '/auth/passkeys', { passkeyId, ...fields });
    const without = await remove();
    expect(outcome(without)).toEqual([400, 'VALIDATION_INVALID']);
    expect(without.body.error?.details).toEqual([expect.objectContaining({ field: 'password' })]);
    expect(outcome(await remove({ password: 'wrong' }))).toEqual(REFUSED);
    expect(await listed(session)).toHaveLength(1);
    expect((await remove({ password: PASSWORD })).status).toBe(200);
  });

  it('requires no password when another passkey or an authenticator app remains', async () => {
    const { session, email } = await owner();
    const first = await add(session);
    const second = await add(session);
    const remove = async (client: SessionClient, { answer }: typeof first) =>
      client.call('DELETE', '/auth/passkeys', { passkeyId: answer.body.data.passkey.id });
    expect((await remove(session, first)).status).toBe(200);
    const secret = await enableTotp(app, email);
    const client = new SessionClient(app.baseUrl);
    await signInWith(client, second.device.get(await signInOptions(client)));
    await client.call('POST', '/auth/step-up', { code: codeFor(app, secret) });
    expect((await remove(client, second)).status).toBe(200);
  });
});

describe('passkey attempts', () => {
  it('count towards the sign-in limit, whereas requests for a challenge do not', async () => {
    const limited = await startHttpApp({ settings: { baseUrl: ORIGIN, authRatePerMinute: 2 } });
    try {
      const client = new SessionClient(limited.baseUrl);
      const options = await signInOptions(client);
      const device = new Authenticator(ORIGIN);
      const attempt = async () =>
        (await signInWith(client, device.get(options, { userHandle: 'AA' }))).status;
      for (let times = 0; times < 5; times += 1) await signInOptions(client);
      expect([await attempt(), await attempt(), await attempt()]).toEqual([401, 401, 429]);
    } finally {
      await limited.destroy();
    }
  });

  it('are throttled per passkey, known or not, and wrong passwords do not block passkeys', async () => {
    const limited = await startHttpApp({ settings: { baseUrl: ORIGIN, authRatePerMinute: 1000 } });
    try {
      const { session, email } = await owner(limited);
      const { device } = await add(session);
      const client = new SessionClient(limited.baseUrl);
      for (let tries = 0; tries < 6; tries += 1) {
        await client.call('POST', '/auth/session', { email, password: 'guess' });
      }
      expect((await client.call('POST', '/auth/session', { email, password: PASSWORD })).status).toBe(429);
      expect((await signInWith(client, device.get(await signInOptions(client)))).status).toBe(200);
      const answers = async (forged: Forgery) => {
        const statuses: number[] = [];
        for (let tries = 0; tries < 6; tries += 1) {
          statuses.push((await signInWith(client, device.get(await signInOptions(client), forged))).status);
        }
        return statuses;
      };
      const slowed = [401, 401, 401, 401, 401, 429];
      expect(await answers({ id: 'bm9ib2R5LWhhcyB0aGlz' })).toEqual(slowed);
      expect(await answers({ spoil: 'signature' })).toEqual(slowed);
      limited.advance(6_000);
      expect((await signInWith(client, device.get(await signInOptions(client)))).status).toBe(200);
    } finally {
      await limited.destroy();
    }
  });
});

describe('passkeys with the public URL of the daemon', () => {
  it.each([
    ['http://pay.shop.example', 'https'],
    ['http://192.168.1.4:3000', 'domain name'],
    ['https://[2001:db8::1]', 'domain name'],
  ])('are not offered at %s, with the reason', async (baseUrl, why) => {
    const plain = await startHttpApp({ settings: { baseUrl } });
    try {
      const { session } = await owner(plain);
      const { body } = await session.call<{ reason: string }>('GET', '/auth/passkeys');
      expect(body.data.reason).toContain(why);
      const signIn = await session.call('GET', '/auth/passkeys/sign-in');
      expect(signIn.body.data).toEqual({ options: null, origin: null, reason: body.data.reason });
      const asked = await session.call('POST', '/auth/passkeys/options');
      expect(outcome(asked)).toEqual([409, 'INVALID_STATE']);
      expect(asked.body.error?.message).toBe(body.data.reason);
      const device = new Authenticator(baseUrl);
      const credential = device.get(
        { challenge: 'AAAA', rpId: new URL(baseUrl).hostname },
        { userHandle: null },
      );
      expect(outcome(await signInWith(session, credential))).toEqual([409, 'INVALID_STATE']);
    } finally {
      await plain.destroy();
    }
  });

  it('are offered without TLS on localhost', async () => {
    const local = await startHttpApp({ settings: { baseUrl: 'http://localhost:3000' } });
    try {
      const { session } = await owner(local);
      const { device } = await add(session, new Authenticator('http://localhost:3000'));
      const client = new SessionClient(local.baseUrl);
      expect((await signInWith(client, device.get(await signInOptions(client)))).status).toBe(200);
    } finally {
      await local.destroy();
    }
  });

  it('become unusable but removable when the URL changes', async () => {
    const first = await startHttpApp({ settings: { baseUrl: ORIGIN } });
    const { session, email } = await owner(first);
    const { device } = await add(session);
    await first.close();
    const baseUrl = 'https://till.shop.example';
    const second = await startHttpApp({ reopen: first, settings: { baseUrl } });
    try {
      const client = await SessionClient.signIn(second.baseUrl, { email, password: PASSWORD });
      const [old] = await listed(client);
      expect(old?.usable).toBe(false);
      const asked = await client.call('GET', '/auth/passkeys/step-up');
      expect(asked.body.data).toEqual({ options: null, origin: baseUrl, reason: null });
      const moved = device.get(await signInOptions(client), { origin: baseUrl, rpId: 'pay.shop.example' });
      expect(outcome(await signInWith(client, moved))).toEqual(REFUSED);
      await prove(client);
      const body = { passkeyId: old?.id, password: PASSWORD };
      expect((await client.call('DELETE', '/auth/passkeys', body)).status).toBe(200);
    } finally {
      await second.destroy();
    }
  });
});

function codeFor(on: HttpApp, secret: string): string {
  return codeOfStep(base32nopad.decode(secret), Math.floor(on.now() / 30_000));
}

/** @returns the secret; the code that switched it on was of the step before. Every session of the user ends. */
async function enableTotp(on: HttpApp, email: string): Promise<string> {
  const body = { email, password: PASSWORD };
  const { token } = await on.api.must<{ token: string }>('POST', '/auth/login', { body });
  const { secret } = await on.api.must<{ secret: string }>('POST', '/auth/totp/setup', {
    token,
    body: { password: PASSWORD },
  });
  await on.api.must('POST', '/auth/totp/enable', { token, body: { code: codeFor(on, secret) } });
  on.advance(31_000);
  return secret;
}
