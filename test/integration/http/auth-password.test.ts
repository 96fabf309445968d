import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { takeMails } from '../../_helpers/outbox.ts';
import { tokenIn } from '../../_helpers/smtp-sink.ts';
import { measureCpuMs } from '../../_helpers/timing/cpu-time.ts';

const PASSWORD = 'correct horse battery';
const NEW = 'an entirely new one';
const HOUR_MS = 3_600_000;

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(async () => app.destroy());

interface Session {
  token: string;
  expiresAt: string;
  user: { id: string; email: string; isVerified: boolean };
}
const login = async (email: string, password: string) =>
  app.api.call<Session>('POST', '/auth/login', { body: { email, password } });
const loginStatus = async (email: string, password: string) => (await login(email, password)).status;
const me = async (token: string) => (await app.api.call('GET', '/auth/me', { token })).status;
const forgot = (email: unknown) => app.api.call('POST', '/auth/forgot-password', { body: { email } });
const reset = (token: unknown, password: unknown = NEW) =>
  app.api.call('POST', '/auth/reset-password', { body: { token, password } });
const change = (token: string, currentPassword: unknown, newPassword: unknown) =>
  app.api.call<Session>('POST', '/auth/change-password', { token, body: { currentPassword, newPassword } });
const refused = (answer: {
  status: number;
  body: { error: null | { code: string; details?: { field: string }[] } };
}) => [answer.status, answer.body.error?.code, answer.body.error?.details?.map(({ field }) => field)];
const statuses = (answers: readonly { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);
const dead = [400, 'VALIDATION_INVALID', ['token']];
const resetToken = async (email: string) => {
  await forgot(email);
  const mail = (await takeMails(app, email)).at(-1);
  return tokenIn(mail?.text ?? '');
};

/** The shortest time in which an address was answered, by the clock and of CPU, ms. */
const timeOf = async (address: string) => {
  const times: number[] = [];
  const cpuTimes: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    const started = performance.now();
    cpuTimes.push(await measureCpuMs(async () => forgot(address)));
    times.push(performance.now() - started);
  }
  return { clock: Math.min(...times), cpu: Math.min(...cpuTimes) };
};

describe('POST /auth/forgot-password', () => {
  it('answers the same for a known and for an unknown address', async () => {
    const { email } = await newUser(app);
    await takeMails(app);
    const known = await forgot(email.toUpperCase());
    const unknown = await forgot('nobody@example.com');
    expect(known.status).toBe(200);
    expect(unknown.status).toBe(200);
    expect(unknown.body).toEqual(known.body);
    expect([...unknown.headers.keys()].sort()).toEqual([...known.headers.keys()].sort());
    expect((await takeMails(app)).map((mail) => [mail.to, mail.subject])).toEqual([
      [email, 'Set a new password (localhost:3000)'],
    ]);
  });

  it('takes the same time for a known and for an unknown address', async () => {
    const { email } = await newUser(app);
    const [known, unknown] = [await timeOf(email), await timeOf('nobody@example.com')];
    // Both wait for the same moment, which hides that one of them has work to do before.
    for (const { clock } of [known, unknown]) expect(clock).toBeGreaterThan(240);
    expect(Math.abs(known.cpu - unknown.cpu)).toBeLessThan(50);
  });

  it('sends at most five links an hour, does not reveal the limit, and the last link is valid', async () => {
    const { email } = await newUser(app);
    await takeMails(app);
    const tokens: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      expect((await forgot(email)).status).toBe(200);
      for (const mail of await takeMails(app, email)) tokens.push(tokenIn(mail.text));
    }
    expect(tokens).toHaveLength(5);
    expect((await reset(tokens[4])).status).toBe(200);
    app.advance(HOUR_MS);
    await forgot(email);
    expect((await takeMails(app, email)).filter((mail) => mail.link !== null)).toHaveLength(1);
  });

  it.each([[undefined], [null], [7], [''], ['nonsense'], ['a@b.co\r\nBcc: x@y.co']])(
    'answers 400 naming the email for %j',
    async (email) => {
      expect(refused(await forgot(email))).toEqual([400, 'VALIDATION_INVALID', ['email']]);
    },
  );
});

describe('POST /auth/reset-password', () => {
  it('sets the password, revokes every token, verifies the address and notifies the owner', async () => {
    const user = await newUser(app);
    const other = await newUser(app);
    const token = await resetToken(user.email);
    expect((await reset(token)).status).toBe(200);
    expect([await loginStatus(user.email, PASSWORD), await loginStatus(user.email, NEW)]).toEqual([401, 200]);
    expect([await me(user.token), await me(other.token)]).toEqual([401, 200]);
    expect(await loginStatus(other.email, PASSWORD)).toBe(200);
    expect((await login(user.email, NEW)).body.data.user.isVerified).toBe(true);
    expect((await takeMails(app, user.email)).map((mail) => mail.subject)).toEqual([
      'Your address was confirmed, and earlier access has ended (localhost:3000)',
    ]);
  });

  it('accepts each token once', async () => {
    const { email } = await newUser(app);
    const token = await resetToken(email);
    expect((await reset(token)).status).toBe(200);
    expect(refused(await reset(token, 'yet another password'))).toEqual(dead);
    expect(await loginStatus(email, NEW)).toBe(200);
  });

  it('accepts exactly one of several concurrent requests with the same token', async () => {
    const { email } = await newUser(app);
    const token = await resetToken(email);
    const passwords = ['password one', 'password two', 'password three', 'password four'];
    const answers = await Promise.all(passwords.map((password) => reset(token, password)));
    expect(statuses(answers)).toEqual([200, 400, 400, 400]);
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? '';
    expect(await loginStatus(email, winner)).toBe(200);
  });

  it('accepts a token for an hour', async () => {
    const { email } = await newUser(app);
    const token = await resetToken(email);
    app.advance(HOUR_MS);
    expect(refused(await reset(token))).toEqual(dead);
    expect(await loginStatus(email, PASSWORD)).toBe(200);
  });

  it('accepts only the newest link', async () => {
    const { email } = await newUser(app);
    const old = await resetToken(email);
    const fresh = await resetToken(email);
    expect(refused(await reset(old))).toEqual(dead);
    expect((await reset(fresh)).status).toBe(200);
  });

  it('rejects a token for email verification', async () => {
    const { email } = await newUser(app);
    const [mail] = await takeMails(app, email);
    expect(refused(await reset(tokenIn(mail?.text ?? '')))).toEqual(dead);
  });

  it('does not use up the token when the new password is refused', async () => {
    const { email } = await newUser(app);
    const token = await resetToken(email);
    expect(refused(await reset(token, 'short'))).toEqual([400, 'VALIDATION_INVALID', ['password']]);
    expect((await reset(token)).status).toBe(200);
  });

  it.each([
    ['token', undefined, NEW],
    ['token', 5, NEW],
    ['token', '', NEW],
    ['token', 'a'.repeat(256), NEW],
    ['token', '0'.repeat(43), NEW],
    ['password', '0'.repeat(43), null],
    ['password', '0'.repeat(43), 'short77'],
    ['password', '0'.repeat(43), 'x'.repeat(129)],
    ['password', '0'.repeat(43), { a: 1 }],
  ])('answers 400 naming %s for %j / %j', async (field, token, password) => {
    expect(refused(await reset(token, password))).toEqual([400, 'VALIDATION_INVALID', [field]]);
  });
});

describe('POST /auth/change-password', () => {
  it('returns a new token and revokes every older one', async () => {
    const user = await newUser(app);
    const second = (await login(user.email, PASSWORD)).body.data.token;
    const { status, body } = await change(user.token, PASSWORD, NEW);
    expect(status).toBe(200);
    expect(body.data.user).toEqual({ id: user.id, email: user.email, isVerified: false });
    expect([await me(user.token), await me(second), await me(body.data.token)]).toEqual([401, 401, 200]);
    expect([await loginStatus(user.email, PASSWORD), await loginStatus(user.email, NEW)]).toEqual([401, 200]);
  });

  it('invalidates a reset link that was requested before, whether or not its email was sent', async () => {
    const user = await newUser(app);
    const token = await resetToken(user.email);
    const { body } = await change(user.token, PASSWORD, NEW);
    expect(refused(await reset(token, 'what the thief wants'))).toEqual(dead);
    await forgot(user.email);
    await change(body.data.token, NEW, PASSWORD);
    expect((await takeMails(app, user.email)).filter((mail) => mail.link !== null)).toEqual([]);
  });

  it('rejects a wrong current password and changes nothing', async () => {
    const user = await newUser(app);
    const answer = await change(user.token, 'not my password', NEW);
    expect(refused(answer)).toEqual([401, 'INVALID_CREDENTIALS', undefined]);
    expect([await me(user.token), await loginStatus(user.email, PASSWORD)]).toEqual([200, 200]);
  });

  it('accepts exactly one of several concurrent requests', async () => {
    const user = await newUser(app);
    const passwords = ['password one', 'password two', 'password three'];
    const answers = await Promise.all(passwords.map((password) => change(user.token, PASSWORD, password)));
    expect(statuses(answers)).toEqual([200, 401, 401]);
  });

  it.each([
    ['currentPassword', undefined, NEW],
    ['currentPassword', '', NEW],
    ['currentPassword', 1, NEW],
    ['newPassword', PASSWORD, undefined],
    ['newPassword', PASSWORD, 'short77'],
    ['newPassword', PASSWORD, 'x'.repeat(129)],
    ['newPassword', PASSWORD, null],
  ])('answers 400 naming %s for %j / %j', async (field, current, next) => {
    const { token } = await newUser(app);
    expect(refused(await change(token, current, next))).toEqual([400, 'VALIDATION_INVALID', [field]]);
  });

  it('requires a user token', async () => {
    expect(refused(await change('nobody', PASSWORD, NEW))).toEqual([401, 'UNAUTHORISED', ['authorization']]);
  });
});

it('password routes log neither passwords nor tokens', async () => {
  const user = await newUser(app);
  const token = await resetToken(user.email);
  await reset(token, 'a very secret password');
  expect(app.logs.join('\n')).not.toContain(token);
  expect(app.logs.join('\n')).not.toContain('a very secret password');
});
