import { base32nopad } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOfStep } from '../../../src/usecases/accounts/second-factor/totp.ts';
import { newConfirmedUser as newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { takeMails } from '../../_helpers/outbox.ts';

const PASSWORD = 'correct horse battery';
const STEP_MS = 30_000;

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(async () => app.destroy());

interface User {
  token: string;
  email: string;
  id: string;
}
interface Secured extends User {
  secret: string;
  recoveryCodes: string[];
}

const post = <T = Record<string, unknown>>(path: string, token: string, body: object) =>
  app.api.call<T>('POST', path, { token, body });
const setup = (token: string, password: unknown = PASSWORD) =>
  post<{ secret: string; uri: string }>('/auth/totp/setup', token, { password });
const enable = (token: string, code: unknown) =>
  post<{ recoveryCodes: string[]; session: { token: string } }>('/auth/totp/enable', token, { code });
const disable = (token: string, password: unknown, code: unknown) =>
  post<{ session: { token: string } }>('/auth/totp/disable', token, { password, code });
const status = async (token: string) => app.api.must('GET', '/auth/totp', { token });
const login = (email: string, code?: unknown, password = PASSWORD) =>
  app.api.call<{ token: string }>('POST', '/auth/login', { body: { email, password, code } });
const outcome = (answer: { status: number; body: { error: { code: string } | null } }) => [
  answer.status,
  answer.body.error?.code ?? null,
];
const fields = (answer: { body: { error: { details?: { field: string }[] } | null } }) =>
  answer.body.error?.details?.map(({ field }) => field);

/** What an authenticator app with this secret shows, some steps from now. */
const codeFor = (secret: string, steps = 0) =>
  codeOfStep(base32nopad.decode(secret), Math.floor(app.now() / STEP_MS) + steps);
/** A code that is none of those that would be taken now. */
const wrongCode = (secret: string) => {
  const right = new Set([-2, -1, 0, 1, 2].map((steps) => codeFor(secret, steps)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.has(code)) ?? '';
};
/** To the start of a step, so that no step ends within a test. */
const alignClock = () => app.advance(STEP_MS - (app.now() % STEP_MS) + 10);

/** A user whose second factor is on; the code that switched it on is one step behind. */
async function securedUser(): Promise<Secured> {
  const user = await newUser(app);
  const { secret } = (await setup(user.token)).body.data;
  const { recoveryCodes, session } = (await enable(user.token, codeFor(secret))).body.data;
  app.advance(STEP_MS);
  alignClock();
  return { ...user, token: session.token, secret, recoveryCodes };
}

describe('the setup of TOTP', () => {
  it('returns a secret and its URI, and does not enable TOTP before a code was entered', async () => {
    const user = await newUser(app);
    const { secret, uri } = (await setup(user.token)).body.data;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toContain(`secret=${secret}`);
    expect(uri).toContain(encodeURIComponent(user.email));
    expect(await status(user.token)).toEqual({ enabled: false, enabledAt: null, recoveryCodesLeft: 0 });
    expect((await login(user.email)).status).toBe(200);
  });

  it('enables TOTP with the first valid code, and returns ten recovery codes once', async () => {
    const user = await newUser(app);
    const { secret } = (await setup(user.token)).body.data;
    const answer = await enable(user.token, codeFor(secret));
    expect(answer.status).toBe(200);
    expect(new Set(answer.body.data.recoveryCodes).size).toBe(10);
    for (const code of answer.body.data.recoveryCodes) {
      expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
    }
    const { token } = answer.body.data.session;
    expect((await app.api.call('GET', '/auth/totp', { token: user.token })).status).toBe(401);
    expect(await status(token)).toEqual({
      enabled: true,
      enabledAt: expect.any(String),
      recoveryCodesLeft: 10,
    });
    expect(outcome(await enable(token, codeFor(secret, 1)))).toEqual([409, 'INVALID_STATE']);
    expect((await takeMails(app, user.email)).at(-1)?.subject).toContain(
      'Two-factor sign-in was switched on',
    );
  });

  it('accepts a code with a space in the middle, as apps show it', async () => {
    const user = await newUser(app);
    const { secret } = (await setup(user.token)).body.data;
    const code = codeFor(secret);
    expect((await enable(user.token, ` ${code.slice(0, 3)} ${code.slice(3)} `)).status).toBe(200);
  });

  it('rejects a wrong code and a code of an earlier secret', async () => {
    const user = await newUser(app);
    const first = (await setup(user.token)).body.data.secret;
    const second = (await setup(user.token)).body.data.secret;
    expect(outcome(await enable(user.token, wrongCode(second)))).toEqual([401, 'INVALID_CREDENTIALS']);
    if (codeFor(first) !== codeFor(second)) {
      expect(outcome(await enable(user.token, codeFor(first)))).toEqual([401, 'INVALID_CREDENTIALS']);
    }
    expect((await enable(user.token, codeFor(second))).status).toBe(200);
  });

  it('expires an hour after it began', async () => {
    const user = await newUser(app);
    const { secret } = (await setup(user.token)).body.data;
    app.advance(3_600_001);
    expect(outcome(await enable(user.token, codeFor(secret)))).toEqual([409, 'INVALID_STATE']);
  });

  it('requires the password, and is refused when TOTP is already enabled', async () => {
    const user = await securedUser();
    expect(outcome(await setup(user.token, 'not my password'))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(outcome(await setup(user.token))).toEqual([409, 'INVALID_STATE']);
    expect((await login(user.email, codeFor(user.secret))).status).toBe(200);
  });

  it('succeeds for one of several concurrent requests, whose recovery codes are valid', async () => {
    const user = await newUser(app);
    const { secret } = (await setup(user.token)).body.data;
    const code = codeFor(secret);
    const answers = await Promise.all(Array.from({ length: 5 }, async () => enable(user.token, code)));
    const winners = answers.filter((answer) => answer.status === 200);
    expect(winners).toHaveLength(1);
    const recovery = winners[0]?.body.data.recoveryCodes[0];
    expect((await login(user.email, recovery)).status).toBe(200);
  });

  it('answers 409 to a code when no setup was started', async () => {
    const { token } = await newUser(app);
    expect(outcome(await enable(token, '123456'))).toEqual([409, 'INVALID_STATE']);
  });

  it('stores neither the secret nor the recovery codes in readable form', async () => {
    const user = await securedUser();
    const factor = await app.db
      .selectFrom('second_factors')
      .selectAll()
      .where('userId', '=', user.id)
      .execute();
    const codes = await app.db
      .selectFrom('recovery_codes')
      .selectAll()
      .where('userId', '=', user.id)
      .execute();
    const stored = JSON.stringify([factor, codes]);
    expect(stored).not.toContain(user.secret);
    for (const code of user.recoveryCodes) {
      expect(stored).not.toContain(code);
      expect(stored).not.toContain(code.replaceAll('-', ''));
    }
  });
});

describe('login with a second factor', () => {
  it('requires the code after the correct password', async () => {
    const user = await securedUser();
    expect(outcome(await login(user.email))).toEqual([401, 'SECOND_FACTOR_REQUIRED']);
    expect(outcome(await login(user.email, undefined, 'not my password'))).toEqual([
      401,
      'INVALID_CREDENTIALS',
    ]);
    const right = codeFor(user.secret);
    expect(outcome(await login(user.email, right, 'not my password'))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await login(user.email, right)).status).toBe(200);
  });

  it('accepts codes of the previous and the next time step, and rejects other codes', async () => {
    const user = await securedUser();
    const far = [codeFor(user.secret, 3), codeFor(user.secret, -3)];
    const near = [-1, 0, 1].map((steps) => codeFor(user.secret, steps));
    for (const code of [...far.filter((code) => !near.includes(code)), wrongCode(user.secret)]) {
      expect(outcome(await login(user.email, code))).toEqual([401, 'INVALID_CREDENTIALS']);
    }
    expect((await login(user.email, codeFor(user.secret, 1))).status).toBe(200);
  });

  it('accepts each code once, and no code older than the last accepted one', async () => {
    const user = await securedUser();
    const [before, now, next] = [-1, 0, 1].map((steps) => codeFor(user.secret, steps));
    expect((await login(user.email, now)).status).toBe(200);
    expect(outcome(await login(user.email, now))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(outcome(await login(user.email, before))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await login(user.email, next)).status).toBe(200);
  });

  it('rejects the code with which the second factor was enabled', async () => {
    const user = await newUser(app);
    alignClock();
    const { secret } = (await setup(user.token)).body.data;
    const code = codeFor(secret);
    await enable(user.token, code);
    expect(outcome(await login(user.email, code))).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('accepts exactly one of several requests with the same code', async () => {
    const user = await securedUser();
    const code = codeFor(user.secret);
    const answers = await Promise.all(Array.from({ length: 6 }, async () => login(user.email, code)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    const recovery = user.recoveryCodes[0];
    const more = await Promise.all(Array.from({ length: 6 }, async () => login(user.email, recovery)));
    expect(more.filter((answer) => answer.status === 200)).toHaveLength(1);
  });

  it('accepts each recovery code once, with any spacing and case, and notifies the owner', async () => {
    const user = await securedUser();
    await takeMails(app);
    const [first, second] = user.recoveryCodes;
    expect((await login(user.email, first)).status).toBe(200);
    expect(outcome(await login(user.email, first))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await login(user.email, second?.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
    expect(await status(user.token)).toMatchObject({ recoveryCodesLeft: 8 });
    const subjects = (await takeMails(app, user.email)).map((mail) => mail.subject);
    expect(subjects).toEqual([
      'A recovery code was used (localhost:3000)',
      'A recovery code was used (localhost:3000)',
    ]);
  });

  it('rejects the code of another user', async () => {
    const [one, other] = [await securedUser(), await securedUser()];
    expect(outcome(await login(one.email, other.recoveryCodes[0]))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await login(other.email, other.recoveryCodes[0])).status).toBe(200);
  });

  it('still requires the code after a password reset', async () => {
    const user = await securedUser();
    await app.api.must('POST', '/auth/forgot-password', { body: { email: user.email } });
    const link = (await takeMails(app, user.email)).at(-1)?.link ?? '';
    const token = new URL(link).searchParams.get('token');
    await app.api.must('POST', '/auth/reset-password', { body: { token, password: 'a new password' } });
    expect(outcome(await login(user.email, undefined, 'a new password'))).toEqual([
      401,
      'SECOND_FACTOR_REQUIRED',
    ]);
    expect((await login(user.email, codeFor(user.secret), 'a new password')).status).toBe(200);
  });

  it('ignores a code sent by a user without a second factor', async () => {
    const user = await newUser(app);
    expect((await login(user.email, '123456')).status).toBe(200);
  });
});

describe('disabling TOTP', () => {
  it('requires password and code and notifies the owner, and afterwards login requires only the password', async () => {
    const user = await securedUser();
    const answer = await disable(user.token, PASSWORD, codeFor(user.secret));
    const session = { token: expect.any(String) as unknown, expiresAt: expect.any(String) as unknown };
    expect([answer.status, answer.body.data]).toMatchObject([200, { enabled: false, session }]);
    const off = await status(answer.body.data.session.token);
    expect(off).toEqual({ enabled: false, enabledAt: null, recoveryCodesLeft: 0 });
    expect((await login(user.email)).status).toBe(200);
    expect((await takeMails(app, user.email)).at(-1)?.subject).toContain(
      'Two-factor sign-in was switched off',
    );
  });

  it('accepts a recovery code in place of a TOTP code', async () => {
    const user = await securedUser();
    expect((await disable(user.token, PASSWORD, user.recoveryCodes[9])).status).toBe(200);
  });

  it('rejects a wrong password or code and changes nothing', async () => {
    const user = await securedUser();
    const right = codeFor(user.secret);
    const invalid = [401, 'INVALID_CREDENTIALS'];
    expect(outcome(await disable(user.token, 'not my password', right))).toEqual(invalid);
    expect(outcome(await disable(user.token, PASSWORD, wrongCode(user.secret)))).toEqual(invalid);
    expect(await status(user.token)).toMatchObject({ enabled: true, recoveryCodesLeft: 10 });
    expect((await disable(user.token, PASSWORD, right)).status).toBe(200);
  });

  it('answers 409 when TOTP is not enabled', async () => {
    const { token } = await newUser(app);
    expect(outcome(await disable(token, PASSWORD, '123456'))).toEqual([409, 'INVALID_STATE']);
  });

  it('invalidates the old codes, and a later setup creates a new secret', async () => {
    const user = await securedUser();
    const { token } = (await disable(user.token, PASSWORD, codeFor(user.secret))).body.data.session;
    const { secret } = (await setup(token)).body.data;
    expect(secret).not.toBe(user.secret);
    app.advance(STEP_MS);
    await enable(token, codeFor(secret));
    expect(outcome(await login(user.email, user.recoveryCodes[3]))).toEqual([401, 'INVALID_CREDENTIALS']);
  });
});

describe('TOTP routes with invalid fields', () => {
  const bad = [undefined, null, '', 123_456, ['123456'], 'x'.repeat(65), 'nul\0'];

  it.each(bad)('answer 400 for a code of %j', async (code) => {
    const { token, email } = await newUser(app);
    // Without one, signing in is a question of whether one is needed.
    const logins = code === undefined ? [] : [await login(email, code)];
    const answers = [await enable(token, code), await disable(token, PASSWORD, code), ...logins];
    for (const answer of answers) {
      expect([...outcome(answer), fields(answer)]).toEqual([400, 'VALIDATION_INVALID', ['code']]);
    }
  });

  it.each([null, '', 7, 'x'.repeat(1025)])('answer 400 for a password of %j', async (password) => {
    const { token } = await newUser(app);
    for (const answer of [await setup(token, password), await disable(token, password, '123456')]) {
      expect([...outcome(answer), fields(answer)]).toEqual([400, 'VALIDATION_INVALID', ['password']]);
    }
  });

  it('answer 401 without credentials', async () => {
    const answers = [
      await app.api.call('GET', '/auth/totp'),
      await app.api.call('POST', '/auth/totp/setup', { body: { password: PASSWORD } }),
      await app.api.call('POST', '/auth/totp/enable', { body: { code: '123456' } }),
      await app.api.call('POST', '/auth/totp/disable', { body: { password: PASSWORD, code: '123456' } }),
    ];
    for (const answer of answers) expect(outcome(answer)).toEqual([401, 'UNAUTHORISED']);
  });
});
