import { createHash, randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { Authenticator, type CreateOptions } from '../../_helpers/authenticator.ts';
import { invite } from '../../_helpers/people.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { observeServers } from './observed-servers.ts';
import { fresh, PASSWORD, totpCode, World } from './world.ts';

const served = observeServers();

const world = await World.start();
afterAll(async () => world.end());
const { api, clock } = world.till;
const NEW_PASSWORD = 'staple battery horse';

interface Shop {
  readonly id: string;
  readonly secret: string;
}

/** A user with a shop, and with one of each credential that a change has to end. */
interface Person {
  readonly email: string;
  readonly userId: string;
  readonly token: string;
  /** The session that asks for the change. */
  readonly session: SessionClient;
  readonly otherSession: SessionClient;
  readonly shop: Shop;
}

async function stepUp(session: SessionClient, proof: object = { password: PASSWORD }): Promise<void> {
  const { status, body } = await session.call('POST', '/auth/step-up', proof);
  if (status !== 200) throw new Error(`stepping up answered ${JSON.stringify(body.error)}`);
}

async function newPerson(): Promise<Person> {
  const email = `${fresh('person')}@example.com`;
  const body = { email, password: PASSWORD };
  const { token, user } = await api.must<{ token: string; user: { id: string } }>('POST', '/auth/register', {
    body,
  });
  await world.confirm({ email, token });
  const session = await SessionClient.signIn(api.baseUrl, body);
  await stepUp(session);
  const { merchant } = await api.must<{ merchant: { id: string; auth: { secret: string } } }>(
    'POST',
    '/merchant/create',
    { token, body: { name: 'Shop', domain: `${fresh('shop')}.example` } },
  );
  return {
    email,
    userId: user.id,
    token,
    session,
    otherSession: await SessionClient.signIn(api.baseUrl, body),
    shop: { id: merchant.id, secret: merchant.auth.secret },
  };
}

interface Prepared {
  /** The change itself, which answers its status. */
  readonly act: (resetToken: string) => Promise<number>;
  /** Of the person's authenticator app, where it is on. */
  readonly secret?: string;
}

interface Change {
  /** Prepares what the change needs. */
  readonly prepare: (person: Person) => Promise<Prepared>;
  /** Whether the session that asks is one of the same user and goes on. */
  readonly keepsSession: boolean;
}

async function enabledTotp({ session }: Person): Promise<string> {
  const { body } = await session.call<{ secret: string }>('POST', '/auth/totp/setup', { password: PASSWORD });
  const { secret } = body.data;
  await session.call('POST', '/auth/totp/enable', { code: nextCode(secret) });
  return secret;
}

/** Each code works once: the next step of 30 seconds. */
function nextCode(secret: string): string {
  clock.advance(30_000);
  return totpCode(secret, clock.now());
}

async function newEvent({ secret }: Shop): Promise<void> {
  const customer = { email: `${fresh('alice')}@example.com` };
  const { id } = await api.must<{ id: string }>('POST', '/merchant/customer/create', {
    token: secret,
    body: customer,
  });
  const payment = { amount: '10', currency: 'USD', customerId: id, orderId: fresh('order') };
  await api.must('POST', '/payment/create', { token: secret, body: payment });
}

async function addPasskey({ session }: Person) {
  const place = await session.call<{ origin: string }>('GET', '/auth/passkeys');
  const { body } = await session.call<{ options: CreateOptions }>('POST', '/auth/passkeys/options');
  const credential = new Authenticator(place.body.data.origin).create(body.data.options);
  return session.call<{ passkey: { id: string } }>('POST', '/auth/passkeys', { name: 'Laptop', credential });
}

/** A shop that a person works for, and its owner. */
async function employ(person: Person): Promise<Person> {
  const owner = await newPerson();
  const token = await invite(owner.session, {
    merchantId: owner.shop.id,
    email: person.email,
    role: 'manager',
  });
  expect((await person.session.call('POST', '/merchant/people/accept', { token })).status).toBe(200);
  return owner;
}

/** Every route that changes a password, a factor or a role. */
const CHANGES: Readonly<Record<string, Change>> = {
  'POST /auth/change-password': {
    keepsSession: true,
    prepare: async ({ session }) => {
      const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
      return { act: async () => (await session.call('POST', '/auth/change-password', body)).status };
    },
  },
  'POST /auth/reset-password': {
    keepsSession: false,
    prepare: async () => ({
      act: async (token) => {
        const body = { token, password: NEW_PASSWORD };
        return (await api.call('POST', '/auth/reset-password', { body })).status;
      },
    }),
  },
  'POST /auth/totp/enable': {
    keepsSession: true,
    prepare: async ({ session }) => {
      const { body } = await session.call<{ secret: string }>('POST', '/auth/totp/setup', {
        password: PASSWORD,
      });
      const act = async () => {
        const code = nextCode(body.data.secret);
        return (await session.call('POST', '/auth/totp/enable', { code })).status;
      };
      return { act };
    },
  },
  'POST /auth/totp/disable': {
    keepsSession: true,
    prepare: async (person) => {
      const secret = await enabledTotp(person);
      return {
        secret,
        act: async () => {
          const body = { password: PASSWORD, code: nextCode(secret) };
          return (await person.session.call('POST', '/auth/totp/disable', body)).status;
        },
      };
    },
  },
  'POST /auth/passkeys': {
    keepsSession: true,
    prepare: async (person) => ({ act: async () => ((await addPasskey(person)).status === 201 ? 200 : 500) }),
  },
  'DELETE /auth/passkeys': {
    keepsSession: true,
    prepare: async (person) => {
      const { body } = await addPasskey(person);
      const removal = { passkeyId: body.data.passkey.id, password: PASSWORD };
      await stepUp(person.session);
      return { act: async () => (await person.session.call('DELETE', '/auth/passkeys', removal)).status };
    },
  },
  'PATCH /merchant/people/edit': {
    keepsSession: false,
    prepare: async (person) => {
      const { session, shop } = await employ(person);
      const body = { merchantId: shop.id, userId: person.userId, role: 'clerk' };
      return { act: async () => (await session.call('PATCH', '/merchant/people/edit', body)).status };
    },
  },
  'DELETE /merchant/people/remove': {
    keepsSession: false,
    prepare: async (person) => {
      const { session, shop } = await employ(person);
      const body = { merchantId: shop.id, userId: person.userId };
      return { act: async () => (await session.call('DELETE', '/merchant/people/remove', body)).status };
    },
  },
  'POST /merchant/people/accept': {
    keepsSession: true,
    prepare: async ({ session, email }) => {
      const owner = await newPerson();
      const token = await invite(owner.session, { merchantId: owner.shop.id, email, role: 'clerk' });
      return { act: async () => (await session.call('POST', '/merchant/people/accept', { token })).status };
    },
  },
  'DELETE /auth/sessions': {
    keepsSession: false,
    prepare: async ({ session }) => ({
      act: async () => (await session.call('DELETE', '/auth/sessions', {})).status,
    }),
  },
};

/** Routes of accounts and people that change no password, factor or role, each with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  'POST /auth/register': 'begins an account',
  'POST /auth/login': 'issues a token',
  'POST /auth/session': 'begins a session',
  'DELETE /auth/session': 'ends the session that asks',
  'PATCH /auth/session': 'sets the language',
  'POST /auth/step-up': 'proves who is there',
  'POST /auth/verify-email': 'whoever confirms their own address loses nothing',
  'POST /auth/resend-verification': 'mails a link',
  'POST /auth/forgot-password': 'mails a link',
  'POST /auth/reset-password/review': 'reads what a reset ends',
  'POST /auth/totp/setup': 'makes a secret that does not count before it is enabled',
  'POST /auth/passkeys/options': 'makes a challenge',
  'PATCH /auth/passkeys': 'renames a passkey',
  'POST /auth/passkeys/sign-in': 'begins a session',
  'POST /auth/passkeys/step-up': 'proves who is there',
  'POST /merchant/people/invite': 'gives no role before it is accepted',
  'DELETE /merchant/people/invitation': 'withdraws what nobody accepted',
  'POST /merchant/people/invitation': 'reads an invitation',
};

async function connectCode({ session, shop }: Person, verifier: string): Promise<string> {
  const answer = await session.call<{ redirectTo: string }>('POST', '/connect/approve', {
    merchantId: shop.id,
    name: 'WooCommerce',
    scopes: ['payments:write'],
    redirectUrl: 'https://shop.example/connected',
    state: 'any',
    codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  return new URL(answer.body.data.redirectTo).searchParams.get('code') ?? '';
}

const statusOf = async (session: SessionClient) => (await session.call('GET', '/auth/session')).status;

it('the test of revoked credentials lists every route that changes a password, a factor or a role', () => {
  const changing = served.routes.filter(
    ({ method, path }) => method !== 'GET' && /^\/(auth|merchant\/people)\//.test(path),
  );
  const names = changing.map(({ method, path }) => `${method} ${path}`);
  expect(names.toSorted()).toEqual([...Object.keys(CHANGES), ...Object.keys(OTHERS)].toSorted());
});

/** What was issued to a person just before a change. */
async function issue(person: Person, secret: string | undefined) {
  const code = (): object => (secret === undefined ? {} : { code: nextCode(secret) });
  const proof = { email: person.email, password: PASSWORD };
  const { token } = await api.must<{ token: string }>('POST', '/auth/login', {
    body: { ...proof, ...code() },
  });
  const other = await SessionClient.signIn(api.baseUrl, { ...proof, ...code() });
  await stepUp(person.session, secret === undefined ? undefined : code());
  await api.call('POST', '/auth/forgot-password', { body: { email: person.email } });
  const resetToken = await world.mailedToken(person.email, 'reset-password');
  const verifier = randomBytes(32).toString('base64url');
  const connectedBy = await connectCode(person, verifier);
  const events = await api.must<{ nextAfter: number }>('GET', `/merchant/events?${followed(person, 0)}`, {
    token,
  });
  const poll = api.call('GET', `/merchant/events?${followed(person, events.nextAfter)}&wait=20`, { token });
  return { token, other, resetToken, connect: { code: connectedBy, codeVerifier: verifier }, poll };
}

const followed = ({ shop }: Person, after: number) => `merchantId=${shop.id}&after=${after}`;

describe.each(Object.entries(CHANGES))('the route %s', (_name, { prepare, keepsSession }) => {
  it('revokes user tokens, sessions, connect codes, reset links and long polls issued before, and no key of a shop', async () => {
    const person = await newPerson();
    const { act, secret } = await prepare(person);
    const issued = await issue(person, secret);

    expect(await act(issued.resetToken)).toBe(200);

    expect(await statusOf(person.session)).toBe(keepsSession ? 200 : 401);
    expect(await statusOf(issued.other)).toBe(401);
    expect((await api.call('GET', '/auth/me', { token: issued.token })).status).toBe(401);
    const exchanged = await api.call('POST', '/connect/token', { body: issued.connect });
    expect(exchanged.body.error?.code).toBe('INVALID_CODE');
    const reset = { token: issued.resetToken, password: NEW_PASSWORD };
    expect((await api.call('POST', '/auth/reset-password', { body: reset })).status).toBe(400);
    const balances = await api.call('GET', '/merchant/wallet/balances', { token: person.shop.secret });
    expect(balances.status).toBe(200);
    await newEvent(person.shop);
    expect((await issued.poll).status).toBe(401);
  });
});
