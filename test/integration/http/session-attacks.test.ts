import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator, type CreateOptions, type GetOptions } from '../../_helpers/authenticator.ts';
import { newConfirmedUser as newUser, startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';
import { cookieOf, SessionClient } from '../../_helpers/session-client.ts';

const PASSWORD = 'correct horse battery';
const ORIGIN = 'http://localhost:3000';

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(async () => app.destroy());

interface Person {
  readonly email: string;
  readonly session: SessionClient;
}

async function person(): Promise<Person> {
  const { email } = await newUser(app);
  return { email, session: await SessionClient.signIn(app.baseUrl, { email, password: PASSWORD }) };
}

const copyOf = ({ cookie }: SessionClient) => new SessionClient(app.baseUrl, cookie);
const prove = async (client: SessionClient) => client.call('POST', '/auth/step-up', { password: PASSWORD });
const whoIs = async (client: SessionClient) => {
  const { body } = await client.call<{ user: { email: string } } | null>('GET', '/auth/session');
  return body.data?.user.email ?? null;
};
/** What a request that moves money is told, which lacks everything else. */
const sendCode = async (client: SessionClient) =>
  (await client.call('POST', '/merchant/keys/create', {})).body.error?.code;

async function withPasskey(session: SessionClient): Promise<Authenticator> {
  await prove(session);
  const device = new Authenticator(ORIGIN);
  const { body } = await session.call<{ options: CreateOptions }>('POST', '/auth/passkeys/options');
  const credential = device.create(body.data.options);
  const { status } = await session.call('POST', '/auth/passkeys', { name: 'Laptop', credential });
  expect(status).toBe(201);
  return device;
}

async function question(client: SessionClient, purpose: 'sign-in' | 'step-up'): Promise<GetOptions> {
  const { body } = await client.call<{ options: GetOptions }>('GET', `/auth/passkeys/${purpose}`);
  return body.data.options;
}

describe('an attacker with a copied session cookie', () => {
  it('loses access when the owner does a step-up', async () => {
    const { session } = await person();
    const thief = copyOf(session);
    await prove(session);
    expect(await sendCode(session)).toBe('VALIDATION_INVALID');
    expect(await sendCode(thief)).toBe('UNAUTHORISED');
  });

  it('cannot do a step-up without the password, and any step-up of the owner ends the copied session', async () => {
    const { session } = await person();
    const thief = copyOf(session);
    expect((await thief.call('POST', '/auth/step-up', { password: 'guess' })).status).toBe(401);
    const stolen = await question(thief, 'step-up');
    expect(stolen).toBeNull();
    await withPasskey(session);
    expect(await whoIs(thief)).toBeNull();
  });

  it('cannot use a passkey challenge from before the token of the session was replaced', async () => {
    const { session } = await person();
    const device = await withPasskey(session);
    const thief = copyOf(session);
    const asked = await question(thief, 'step-up');
    await prove(session);
    const credential = device.get(asked);
    const answer = await thief.call('POST', '/auth/passkeys/step-up', { credential });
    expect([answer.status, cookieOf(answer)]).toEqual([401, null]);
  });
});

describe('two users of one browser', () => {
  it('cannot answer passkey challenges of each other in different tabs', async () => {
    const [ann, bob] = [await person(), await person()];
    const device = await withPasskey(ann.session);
    const asked = await question(ann.session, 'step-up');
    app.advance(6 * 60_000);
    // Bob signs in in another tab: the browser has one cookie, and it is his now.
    const browser = copyOf(ann.session);
    await browser.call('POST', '/auth/session', { email: bob.email, password: PASSWORD });
    const answer = await browser.call('POST', '/auth/passkeys/step-up', { credential: device.get(asked) });
    expect(answer.status).toBe(401);
    expect(await whoIs(browser)).toBe(bob.email);
    expect(await sendCode(browser)).toBe('STEP_UP_REQUIRED');
    // Her session ended with the sign-in over it.
    expect(await whoIs(ann.session)).toBeNull();
  });

  it('need separate step-ups, as do sessions of one user in two browsers', async () => {
    const [ann, bob] = [await person(), await person()];
    const elsewhere = await SessionClient.signIn(app.baseUrl, { email: ann.email, password: PASSWORD });
    await prove(ann.session);
    expect(await sendCode(bob.session)).toBe('STEP_UP_REQUIRED');
    expect(await sendCode(elsewhere)).toBe('STEP_UP_REQUIRED');
  });
});

describe('an attacker on another port or a sibling domain, who can set cookies,', () => {
  it('cannot sign in a victim by a cookie with another or a former name', async () => {
    const [victim, attacker] = [await person(), await person()];
    const [, token] = attacker.session.cookie.split('=');
    for (const name of ['tilld_session', 'tilld_session_3001', '__Host-tilld', 'TILLD_SESSION_3000']) {
      const both = new SessionClient(app.baseUrl, `${name}=${token}; ${victim.session.cookie}`);
      expect(await whoIs(both), name).toBe(victim.email);
      expect(await whoIs(new SessionClient(app.baseUrl, `${name}=${token}`)), name).toBeNull();
    }
  });

  it('only causes a sign-out by a cookie with the same name', async () => {
    const [victim, attacker] = [await person(), await person()];
    for (const cookie of [
      `${attacker.session.cookie}; ${victim.session.cookie}`,
      `${victim.session.cookie}; ${attacker.session.cookie}`,
      `${victim.session.cookie}; ${victim.session.cookie}`,
    ]) {
      expect(await whoIs(new SessionClient(app.baseUrl, cookie))).toBeNull();
    }
  });

  it.each([
    ['POST', '/auth/session'],
    ['DELETE', '/auth/session'],
    ['DELETE', '/auth/sessions'],
    ['POST', '/auth/step-up'],
    ['POST', '/auth/change-password'],
    ['POST', '/auth/totp/setup'],
    ['POST', '/auth/totp/enable'],
    ['POST', '/auth/totp/disable'],
    ['POST', '/auth/passkeys/options'],
    ['POST', '/auth/passkeys'],
    ['PATCH', '/auth/passkeys'],
    ['DELETE', '/auth/passkeys'],
    ['POST', '/auth/passkeys/sign-in'],
    ['POST', '/auth/passkeys/step-up'],
  ])('is refused by %s %s before any processing, and no cookie is set', async (method, path) => {
    const { session, email } = await person();
    const body = {
      email,
      password: PASSWORD,
      currentPassword: PASSWORD,
      newPassword: 'a new horse entirely',
    };
    const foreign: Record<string, string>[] = [
      { 'x-tilld-dashboard': '1', 'sec-fetch-site': 'same-site' },
      { 'x-tilld-dashboard': '1', 'sec-fetch-site': 'cross-site' },
      { 'x-tilld-dashboard': '1', origin: 'http://localhost:3001' },
      { 'x-tilld-dashboard': '1', origin: 'null' },
      { 'sec-fetch-site': 'same-origin' },
      { origin: 'http://localhost:3000' },
    ];
    for (const headers of foreign) {
      const answer = await session.raw(method, path, body, headers);
      expect([answer.status, answer.body.error?.code], JSON.stringify(headers)).toEqual([403, 'FORBIDDEN']);
      expect(cookieOf(answer)).toBeNull();
    }
    expect(await whoIs(session)).toBe(email);
  });
});
