import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { takeMails } from '../../_helpers/outbox.ts';
import { tokenIn } from '../../_helpers/smtp-sink.ts';

const HOUR_MS = 3_600_000;

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp({ settings: { baseUrl: 'https://pay.example.com' } });
});
afterAll(async () => app.destroy());

const verify = (owner: { readonly token: string }, token: unknown) =>
  app.api.call('POST', '/auth/verify-email', { token: owner.token, body: { token } });
const resend = (token: string) =>
  app.api.call<{ sent: boolean }>('POST', '/auth/resend-verification', { token });
/** The user with a token of today: one lives for 24 hours. */
const signedIn = async ({ email }: { readonly email: string }) =>
  app.api.must<{ token: string }>('POST', '/auth/login', {
    body: { email, password: 'correct horse battery' },
  });
const isVerified = async (token: string) => {
  const { user } = await app.api.must<{ user: { isVerified: boolean } }>('GET', '/auth/me', { token });
  return user.isVerified;
};
const mailedToken = async (email: string) => {
  const [mail] = await takeMails(app, email);
  if (mail === undefined) throw new Error(`no mail to ${email}`);
  return tokenIn(mail.text);
};
const refused = (answer: Awaited<ReturnType<typeof verify>>) => [
  answer.status,
  answer.body.error?.code,
  answer.body.error?.details?.map(({ field }) => field),
];
const dead = [400, 'VALIDATION_INVALID', ['token']];

describe('the verification email after registration', () => {
  it('is sent to the new user and links to the dashboard, in text and HTML', async () => {
    const { email, token } = await newUser(app);
    const mails = await takeMails(app, email);
    expect(mails).toHaveLength(1);
    const [mail] = mails;
    expect(mail?.link).toMatch(
      /^https:\/\/pay\.example\.com\/dashboard\/verify-email\?token=[0-9A-Za-z]{43}$/,
    );
    expect(mail?.text).toContain(`\n${mail?.link}\n`);
    expect(mail?.html).toContain(`<a href="${mail?.link}">`);
    expect(mail?.subject).toBe('Confirm your email address (pay.example.com)');
    expect(await isVerified(token)).toBe(false);
  });

  it('is not queued for a refused registration', async () => {
    const { email } = await newUser(app);
    await takeMails(app);
    await app.api.call('POST', '/auth/register', { body: { email, password: 'another password' } });
    expect(await takeMails(app, email)).toEqual([]);
  });

  it('is stored encrypted, and deleted from the database once sent', async () => {
    const { id, email } = await newUser(app);
    const rows = async () => app.db.selectFrom('mails').selectAll().where('userId', '=', id).execute();
    const before = JSON.stringify(await rows());
    const token = await mailedToken(email);
    const tokens = await app.db.selectFrom('account_tokens').selectAll().where('userId', '=', id).execute();
    expect(before + JSON.stringify(tokens)).not.toContain(token);
    expect(before).not.toContain(email);
    expect(await rows()).toMatchObject([{ state: 'sent', bodySealed: null, attempts: 1 }]);
  });
});

describe('POST /auth/verify-email', () => {
  it('verifies the address, and is idempotent for the same token', async () => {
    const user = await newUser(app);
    const token = await mailedToken(user.email);
    const first = await verify(user, token);
    expect([first.status, first.body.data]).toEqual([200, { isVerified: true }]);
    expect(await isVerified(user.token)).toBe(true);
    expect((await verify(user, token)).status).toBe(200);
    expect(await isVerified(user.token)).toBe(true);
  });

  it('does not verify another user', async () => {
    const [one, other] = [await newUser(app), await newUser(app)];
    await verify(one, await mailedToken(one.email));
    expect(await isVerified(other.token)).toBe(false);
  });

  it('accepts the token for 48 hours', async () => {
    const [early, late] = [await newUser(app), await newUser(app)];
    const mails = await takeMails(app);
    const tokenOf = (email: string) => tokenIn(mails.find((mail) => mail.to === email)?.text ?? '');
    app.advance(48 * HOUR_MS - 5000);
    expect((await verify(await signedIn(early), tokenOf(early.email))).status).toBe(200);
    app.advance(6000);
    expect(refused(await verify(await signedIn(late), tokenOf(late.email)))).toEqual(dead);
  });

  it('verifies the address once when the same token arrives many times concurrently', async () => {
    const user = await newUser(app);
    const token = await mailedToken(user.email);
    const answers = await Promise.all(Array.from({ length: 8 }, async () => verify(user, token)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  });

  it.each([[undefined], [null], [1], [''], ['a'.repeat(256)], [['x']], ['nul\0'], ['0'.repeat(43)]])(
    'answers 400 naming the token for %j',
    async (token) => {
      expect(refused(await verify(await newUser(app), token))).toEqual(dead);
    },
  );

  it('rejects a token that was issued for another purpose', async () => {
    const user = await newUser(app);
    const { email } = user;
    await takeMails(app);
    await app.api.must('POST', '/auth/forgot-password', { body: { email } });
    expect(refused(await verify(user, await mailedToken(email)))).toEqual(dead);
  });
});

describe('POST /auth/resend-verification', () => {
  it('sends a new token and invalidates the old one', async () => {
    const user = await newUser(app);
    const old = await mailedToken(user.email);
    expect((await resend(user.token)).body.data).toEqual({ sent: true, by: 'mail' });
    const fresh = await mailedToken(user.email);
    expect(refused(await verify(user, old))).toEqual(dead);
    expect((await verify(user, fresh)).status).toBe(200);
  });

  it('answers that the link is in the log when no mail server is configured', async () => {
    const without = await startHttpApp({ hasMailServer: false });
    const { token, email } = await newUser(without);
    const sent = await without.api.must('POST', '/auth/resend-verification', { token });
    expect(sent).toEqual({ sent: true, by: 'log' });
    const { message } = await without.api.must<{ message: string }>('POST', '/auth/forgot-password', {
      body: { email },
    });
    expect(message).toContain('in the log of this server');
    await without.destroy();
  });

  it('sends only the newest of several queued emails', async () => {
    const user = await newUser(app);
    await resend(user.token);
    await resend(user.token);
    const mails = await takeMails(app, user.email);
    expect(mails).toHaveLength(1);
    expect((await verify(user, tokenIn(mails[0]?.text ?? ''))).status).toBe(200);
  });

  it('sends nothing once the address is verified', async () => {
    const user = await newUser(app);
    await verify(user, await mailedToken(user.email));
    const answer = await resend(user.token);
    expect([answer.status, answer.body.data]).toEqual([200, { sent: false, by: 'mail' }]);
    expect(await takeMails(app, user.email)).toEqual([]);
  });

  it('sends at most five emails a day, returns the time of the next, and the last link stays valid', async () => {
    const user = await newUser(app);
    for (let i = 0; i < 4; i += 1) expect((await resend(user.token)).status).toBe(200);
    const token = await mailedToken(user.email);
    const answer = await resend(user.token);
    expect([answer.status, answer.body.error?.code]).toEqual([429, 'RATE_LIMITED']);
    const waitS = Number(answer.headers.get('retry-after'));
    expect(waitS).toBeGreaterThan(23.9 * 3600);
    expect(waitS).toBeLessThanOrEqual(24 * 3600);
    expect((await verify(user, token)).status).toBe(200);
  });

  it('sends an email again on the next day after the daily limit', async () => {
    const user = await newUser(app);
    for (let i = 0; i < 5; i += 1) await resend(user.token);
    app.advance(24 * HOUR_MS);
    const { token } = await app.api.must<{ token: string }>('POST', '/auth/login', {
      body: { email: user.email, password: 'correct horse battery' },
    });
    expect((await resend(token)).status).toBe(200);
  });

  it('requires a user token', async () => {
    const answer = await app.api.call('POST', '/auth/resend-verification');
    expect([answer.status, answer.body.error?.code]).toEqual([401, 'UNAUTHORISED']);
  });
});
