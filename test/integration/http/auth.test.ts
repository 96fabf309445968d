import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasswordHasher } from '../../../src/usecases/accounts/passwords/password-hasher.ts';
import {
  SETUP_TOKEN,
  CHEAP_PASSWORDS,
  newMerchant,
  newUser,
  startHttpApp,
  type HttpApp,
} from '../../_helpers/http-app.ts';
import { measureCpuMs } from '../../_helpers/timing/cpu-time.ts';

const PASSWORD = 'correct horse battery';
const DAY_S = 24 * 3600;

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(async () => app.destroy());

const register = (email: unknown, password: unknown = PASSWORD) =>
  app.api.call('POST', '/auth/register', { body: { email, password } });
const login = (email: unknown, password: unknown = PASSWORD) =>
  app.api.call<{ token: string; expiresAt: string }>('POST', '/auth/login', { body: { email, password } });
const fields = (body: { error: { details?: { field: string }[] } | null }) =>
  body.error?.details?.map(({ field }) => field);

const statuses = (answers: readonly { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);
const me = async (authorization: string | null) => {
  const headers = authorization === null ? {} : { headers: { authorization } };
  const { status, body } = await app.api.call('GET', '/auth/me', headers);
  return [status, body.error?.code ?? null];
};
const forge = async (changes: {
  ver?: number;
  iat?: number;
  exp?: number;
  alg?: string;
  secret?: Uint8Array;
  sub?: string;
}) => {
  const user = await newUser(app);
  const now = Math.floor(app.now() / 1000);
  return new SignJWT({ ver: changes.ver ?? 0 })
    .setProtectedHeader({ alg: changes.alg ?? 'HS256', typ: 'JWT' })
    .setIssuer('tilld')
    .setSubject(changes.sub ?? user.id)
    .setIssuedAt(changes.iat ?? now)
    .setExpirationTime(changes.exp ?? now + 3600)
    .sign(changes.secret ?? app.jwtSecret);
};

const names = (headers: Headers) => [...headers.keys()].sort();

describe('POST /auth/register', () => {
  it('answers 201 with the user and a token that is valid for 24 hours', async () => {
    const before = Date.now();
    const { status, body } = await register('Ann@Example.com');
    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      error: null,
      data: {
        token: expect.any(String),
        expiresAt: expect.any(String),
        user: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), email: 'Ann@Example.com', isVerified: false },
      },
    });
    const issuedAt = Date.parse(String(body.data['expiresAt'])) - DAY_S * 1000;
    expect(issuedAt).toBeGreaterThanOrEqual(before - 1_000);
    expect(issuedAt).toBeLessThanOrEqual(Date.now());
    const me = await app.api.call('GET', '/auth/me', { token: String(body.data['token']) });
    expect([me.status, me.body.data]).toEqual([200, { user: body.data['user'] }]);
  });

  it('refuses an email address that is already registered, whatever its case', async () => {
    await register('bob@example.com');
    const { status, body } = await register('BOB@example.COM');
    expect([status, body.error?.code, fields(body)]).toEqual([400, 'DUPLICATE_ENTRY', ['email']]);
  });

  it('accepts exactly one of several concurrent registrations of an address', async () => {
    const answers = await Promise.all(
      ['race@x.com', 'Race@x.com', 'RACE@X.COM', 'race@X.com'].map((e) => register(e)),
    );
    expect(statuses(answers)).toEqual([201, 400, 400, 400]);
  });

  it.each([
    ['email', 'not-an-email', PASSWORD],
    ['email', undefined, PASSWORD],
    ['email', null, PASSWORD],
    ['email', 7, PASSWORD],
    ['email', `${'a'.repeat(250)}@example.com`, PASSWORD],
    ['email', 'nul\0@example.com', PASSWORD],
    ['password', 'c@example.com', 'short77'],
    ['password', 'c@example.com', 'x'.repeat(129)],
    ['password', 'c@example.com', null],
    ['password', 'c@example.com', ['12345678']],
    ['password', 'c@example.com', 'with\0null bytes'],
  ])('answers 400 naming %s for %j / %j', async (field, email, password) => {
    const { status, body } = await register(email, password);
    expect([status, body.error?.code, fields(body)]).toEqual([400, 'VALIDATION_INVALID', [field]]);
  });

  it('accepts passwords of 8 and of 128 characters, including spaces at both ends', async () => {
    expect((await register('len8@example.com', ' 234567 ')).status).toBe(201);
    expect((await login('len8@example.com', '234567')).status).toBe(401);
    expect((await register('len128@example.com', '💰'.repeat(128))).status).toBe(201);
    expect((await login('len128@example.com', '💰'.repeat(128))).status).toBe(200);
  });

  it('does not store the password in readable form', async () => {
    await register('stored@example.com', 'my own passphrase');
    const row = await app.db
      .selectFrom('users')
      .selectAll()
      .where('email', '=', 'stored@example.com')
      .executeTakeFirstOrThrow();
    expect(row.passwordHash).toMatch(/^\$argon2id\$/);
    expect(JSON.stringify(row)).not.toContain('my own');
  });
});

describe('registration modes of the daemon', () => {
  it('refuse every registration in mode closed', async () => {
    const other = await startHttpApp({ registration: 'closed' });
    const { status, body } = await other.api.call('POST', '/auth/register', {
      body: { email: 'a@b.co', password: PASSWORD },
    });
    expect([status, body.error?.code]).toEqual([403, 'REGISTRATION_CLOSED']);
    await other.destroy();
  });

  it('accept one registration in mode first-user, also when two arrive concurrently', async () => {
    const other = await startHttpApp({ registration: 'first-user' });
    const answers = await Promise.all(
      ['a@b.co', 'c@d.co'].map((email) =>
        other.api.call('POST', '/auth/register', {
          body: { email, password: PASSWORD, setupToken: SETUP_TOKEN },
        }),
      ),
    );
    expect(statuses(answers)).toEqual([201, 403]);
    await other.destroy();
  });

  it('refuse a registration without the setup token in mode first-user', async () => {
    const other = await startHttpApp({ registration: 'first-user' });
    for (const [given, code] of [
      [{}, 'required'],
      [{ setupToken: 'a guess' }, 'invalid'],
      [{ invitation: SETUP_TOKEN }, 'required'],
    ] as const) {
      const { status, body } = await other.api.call('POST', '/auth/register', {
        body: { email: 'stranger@b.co', password: PASSWORD, ...given },
      });
      expect([status, body.error?.code]).toEqual([400, 'VALIDATION_INVALID']);
      expect(body.error?.details).toMatchObject([{ field: 'setupToken', code }]);
    }
    const body = { email: 'owner@b.co', password: PASSWORD, setupToken: SETUP_TOKEN };
    expect((await other.api.call('POST', '/auth/register', { body })).status).toBe(201);
    const again = { ...body, email: 'stranger@b.co' };
    const refused = await other.api.call('POST', '/auth/register', { body: again });
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'REGISTRATION_CLOSED']);
    expect(other.logs.join('\n')).not.toContain(SETUP_TOKEN);
    await other.destroy();
  });
});

describe('POST /auth/login', () => {
  it('answers 200 in the response format of /auth/register', async () => {
    await register('carl@example.com');
    const { status, body } = await login('CARL@example.com');
    expect(status).toBe(200);
    expect(Object.keys(body.data).sort()).toEqual(['expiresAt', 'token', 'user']);
  });

  it('answers an unknown address and a wrong password identically', async () => {
    await register('dora@example.com');
    const wrong = await login('dora@example.com', 'wrong password');
    const unknown = await login('nobody@example.com', 'wrong password');
    expect(wrong.status).toBe(401);
    expect(wrong.body.error?.code).toBe('INVALID_CREDENTIALS');
    expect(unknown.status).toBe(401);
    expect(unknown.body).toEqual(wrong.body);
    expect(names(unknown.headers)).toEqual(names(wrong.headers));
  });

  it('answers 401 instead of 400 for a password shorter than the minimum length', async () => {
    expect((await login('dora@example.com', 'x')).status).toBe(401);
  });

  it.each([
    ['email', undefined, PASSWORD],
    ['email', 'nonsense', PASSWORD],
    ['password', 'd@example.com', null],
    ['password', 'd@example.com', 12_345_678],
    ['password', 'd@example.com', ''],
  ])('answers 400 naming %s for %j / %j', async (field, email, password) => {
    const { status, body } = await login(email, password);
    expect([status, fields(body)]).toEqual([400, [field]]);
  });

  it('names all invalid fields in one response', async () => {
    const { body } = await login(1, 2);
    expect(fields(body)).toEqual(['email', 'password']);
  });

  it('takes as long for an unknown address as for a wrong password', async () => {
    // A cost high enough to stand out from everything else a request does.
    const slow = await startHttpApp({ passwordCost: { memoryKiB: 32_768, iterations: 3, parallelism: 1 } });
    await slow.api.must('POST', '/auth/register', { body: { email: 'known@x.com', password: PASSWORD } });
    const timeOf = async (email: string) =>
      measureCpuMs(async () =>
        slow.api.call('POST', '/auth/login', { body: { email, password: 'wrong password' } }),
      );
    // Taken in turns and by their quickest: whatever else this process does counts for both alike.
    let known = Infinity;
    let unknown = Infinity;
    for (let round = 0; round < 5; round += 1) {
      known = Math.min(known, await timeOf('known@x.com'));
      unknown = Math.min(unknown, await timeOf('unknown@x.com'));
    }
    expect(unknown / known).toBeGreaterThan(0.5);
    expect(unknown / known).toBeLessThan(2);
    await slow.destroy();
  });

  it('treats composed and decomposed letters in a password as equal', async () => {
    await register('uml@example.com', 'p\u00e4ssw\u00f6rter');
    expect((await login('uml@example.com', 'pa\u0308sswo\u0308rter')).status).toBe(200);
  });

  it('hashes the password again when the configured hashing cost has changed', async () => {
    await register('eve@example.com');
    await app.db
      .updateTable('users')
      .set({
        passwordHash: await (
          await createPasswordHasher({ ...CHEAP_PASSWORDS, iterations: 3 })
        ).hash(PASSWORD),
      })
      .where('email', '=', 'eve@example.com')
      .execute();
    expect((await login('eve@example.com')).status).toBe(200);
    const row = await app.db
      .selectFrom('users')
      .selectAll()
      .where('email', '=', 'eve@example.com')
      .executeTakeFirstOrThrow();
    expect(row.passwordHash).toContain('t=2$');
    expect((await login('eve@example.com')).status).toBe(200);
  });
});

describe('user tokens (JWT)', () => {
  const refused = [401, 'UNAUTHORISED'];

  it('are accepted when signed as the daemon issues them', async () => {
    expect(await me(`Bearer ${await forge({})}`)).toEqual([200, null]);
    expect(await me(`bearer  ${await forge({})}`)).toEqual([200, null]);
  });

  it('are rejected when missing, empty, or sent with another scheme', async () => {
    const token = await forge({});
    for (const header of [
      null,
      '',
      'Bearer',
      'Bearer ',
      `Basic ${token}`,
      token,
      `Bearer ${token} x`,
      'Bearer ..',
    ]) {
      expect(await me(header)).toEqual(refused);
    }
  });

  it('are rejected when signed with another secret, with another algorithm, or unsigned', async () => {
    expect(await me(`Bearer ${await forge({ secret: randomBytes(32) })}`)).toEqual(refused);
    expect(await me(`Bearer ${await forge({ alg: 'HS512' })}`)).toEqual(refused);
    const [, payload] = (await forge({})).split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    expect(await me(`Bearer ${none}.${payload}.`)).toEqual(refused);
  });

  it('are rejected when they have another token version, an unknown user, or a date in the future', async () => {
    const now = Math.floor(app.now() / 1000);
    expect(await me(`Bearer ${await forge({ ver: 1 })}`)).toEqual(refused);
    expect(await me(`Bearer ${await forge({ sub: 'nobody' })}`)).toEqual(refused);
    expect(await me(`Bearer ${await forge({ iat: now + 90 })}`)).toEqual(refused);
    expect(await me(`Bearer ${await forge({ iat: now + 30 })}`)).toEqual([200, null]);
  });

  it('are rejected when their lifetime is longer than that of issued tokens', async () => {
    const now = Math.floor(app.now() / 1000);
    expect(await me(`Bearer ${await forge({ exp: now + 30 * DAY_S })}`)).toEqual(refused);
  });

  it('expire after 24 hours', async () => {
    const other = await startHttpApp();
    const { token } = await newUser(other);
    const status = async () => (await other.api.call('GET', '/auth/me', { token })).status;
    other.advance((DAY_S - 60) * 1000);
    expect(await status()).toBe(200);
    other.advance(61_000);
    expect(await status()).toBe(401);
    await other.destroy();
  });

  it('become invalid when the token version of the user increases', async () => {
    const { token, id } = await newUser(app);
    await app.db.updateTable('users').set({ tokenVersion: 1 }).where('id', '=', id).execute();
    expect(await me(`Bearer ${token}`)).toEqual(refused);
  });

  it('cannot be replaced by an API key on account routes', async () => {
    const { token } = await newUser(app);
    const { auth } = await newMerchant(app, token);
    expect(await me(`Bearer ${auth.secret}`)).toEqual(refused);
    expect(await me(`Bearer ${auth.public}`)).toEqual(refused);
  });
});
