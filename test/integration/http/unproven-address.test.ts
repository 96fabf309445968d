import { createHash, randomBytes } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertConnectCode } from '../../../src/store/merchants/connect-codes.ts';
import { createLink } from '../../../src/usecases/links/create-link.ts';
import { findMerchant } from '../../../src/store/merchants/merchants.ts';
import { upsertMember } from '../../../src/store/merchants/members.ts';
import { keyHash } from '../../../src/usecases/access/api-key.ts';
import { codeOfStep } from '../../../src/usecases/accounts/second-factor/totp.ts';
import { Authenticator, type CreateOptions, type GetOptions } from '../../_helpers/authenticator.ts';
import {
  newConfirmedUser,
  newMerchant,
  newUser,
  startHttpApp,
  type HttpApp,
  type TestMerchant,
} from '../../_helpers/http-app.ts';
import { takeMails } from '../../_helpers/outbox.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { tokenIn } from '../../_helpers/smtp-sink.ts';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'an entirely new one';
const settings = { baseUrl: 'https://pay.shop.example' };

let app: HttpApp;
beforeAll(async () => {
  app = await startHttpApp({ settings });
});
afterAll(async () => app.destroy());

const outcome = (answer: { status: number; body: { error: { code: string } | null } }) => [
  answer.status,
  answer.body.error?.code ?? null,
];
const lastMail = async (email: string) => (await takeMails(app, email)).at(-1);
async function resetLink(email: string): Promise<string> {
  await app.api.must('POST', '/auth/forgot-password', { body: { email } });
  return tokenIn((await lastMail(email))?.text ?? '');
}
const reset = (token: string, more: object = {}) =>
  app.api.call<{ ended: Record<string, unknown> }>('POST', '/auth/reset-password', {
    body: { token, password: NEW_PASSWORD, ...more },
  });
const review = (token: string) =>
  new SessionClient(app.baseUrl).call('POST', '/auth/reset-password/review', { token });
const statusWith = async (token: string, path: string) => (await app.api.call('GET', path, { token })).status;

async function sessionOf(email: string, on = app): Promise<SessionClient> {
  const session = await SessionClient.signIn(on.baseUrl, { email, password: PASSWORD });
  await session.call('POST', '/auth/step-up', { password: PASSWORD });
  return session;
}

async function addPasskey(session: SessionClient): Promise<Authenticator> {
  const device = new Authenticator(settings.baseUrl);
  const { body } = await session.call<{ options: CreateOptions }>('POST', '/auth/passkeys/options');
  const credential = device.create(body.data.options);
  const { status } = await session.call('POST', '/auth/passkeys', { name: 'Laptop', credential });
  expect(status).toBe(201);
  return device;
}

async function signInWith(device: Authenticator): Promise<number> {
  const client = new SessionClient(app.baseUrl);
  const { body } = await client.call<{ options: GetOptions }>('GET', '/auth/passkeys/sign-in');
  return (await client.call('POST', '/auth/passkeys/sign-in', { credential: device.get(body.data.options) }))
    .status;
}

async function enableTotp(token: string): Promise<void> {
  const { secret } = await app.api.must<{ secret: string }>('POST', '/auth/totp/setup', {
    token,
    body: { password: PASSWORD },
  });
  const code = codeOfStep(base32nopad.decode(secret), Math.floor(app.now() / 30_000));
  await app.api.must('POST', '/auth/totp/enable', { token, body: { code } });
}

async function restrictedKey(token: string, merchantId: string): Promise<string> {
  const { key } = await app.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
    token,
    body: { merchantId, name: 'Plugin', scopes: ['payments:write', 'wallet:send'] },
  });
  return key.value;
}

async function loginToken(email: string, password = PASSWORD): Promise<string> {
  return (await app.api.must<{ token: string }>('POST', '/auth/login', { body: { email, password } })).token;
}

describe('an email verification link', () => {
  it('confirms nothing when it is opened without a session or token of the same account', async () => {
    const [victim, other] = [await newUser(app), await newUser(app)];
    const body = { token: tokenIn((await lastMail(victim.email))?.text ?? '') };
    expect(outcome(await app.api.call('POST', '/auth/verify-email', { body }))).toEqual([
      401,
      'UNAUTHORISED',
    ]);
    const byOther = await app.api.call('POST', '/auth/verify-email', { token: other.token, body });
    expect(outcome(byOther)).toEqual([403, 'FORBIDDEN']);
    const { user } = await app.api.must<{ user: { isVerified: boolean } }>('GET', '/auth/me', {
      token: victim.token,
    });
    expect(user.isVerified).toBe(false);
    const session = await sessionOf(victim.email);
    expect((await session.call('POST', '/auth/verify-email', body)).status).toBe(200);
  });

  it('revokes no credentials of an account whose owner opens it', async () => {
    const owner = await newUser(app);
    const merchant = await newMerchant(app, owner.token);
    const key = await restrictedKey(owner.token, merchant.id);
    const session = await sessionOf(owner.email);
    const body = { token: tokenIn((await lastMail(owner.email))?.text ?? '') };
    expect((await session.call('POST', '/auth/verify-email', body)).status).toBe(200);
    expect(await statusWith(owner.token, '/auth/me')).toBe(200);
    expect((await session.call('GET', '/auth/session')).status).toBe(200);
    expect(await statusWith(merchant.auth.secret, '/merchant/webhook/secret')).toBe(200);
    expect(await statusWith(key, '/merchant/customer/list')).toBe(403);
  });
});

describe('an unconfirmed account on a daemon with a mail server', () => {
  const REFUSED = [403, 'EMAIL_UNCONFIRMED'];

  it('cannot add a passkey or a second factor', async () => {
    const { email, token } = await newUser(app);
    const session = await sessionOf(email);
    expect(outcome(await session.call('POST', '/auth/passkeys/options'))).toEqual(REFUSED);
    const setup = await app.api.call('POST', '/auth/totp/setup', { token, body: { password: PASSWORD } });
    expect(outcome(setup)).toEqual(REFUSED);
  });

  it('cannot finish the setup of a factor that began before the mail server was configured', async () => {
    const without = await startHttpApp({ settings, hasMailServer: false });
    const { token } = await newUser(without);
    const { secret } = await without.api.must<{ secret: string }>('POST', '/auth/totp/setup', {
      token,
      body: { password: PASSWORD },
    });
    const code = codeOfStep(base32nopad.decode(secret), Math.floor(without.now() / 30_000));
    await without.close();
    const again = await startHttpApp({ settings, reopen: without });
    try {
      const enabled = await again.api.call('POST', '/auth/totp/enable', { token, body: { code } });
      expect(outcome(enabled)).toEqual(REFUSED);
      expect(await again.api.must('GET', '/auth/totp', { token })).toMatchObject({ enabled: false });
    } finally {
      await again.destroy();
    }
  });

  it('can sign in, and create shops, keys and customers', async () => {
    const { email } = await newUser(app);
    const token = await loginToken(email);
    const merchant = await newMerchant(app, token);
    await restrictedKey(token, merchant.id);
    const body = { email: 'alice@example.com' };
    expect((await app.api.call('POST', '/merchant/customer/create', { token, body })).status).toBe(201);
  });
});

it('an account on a daemon without a mail server can add factors, because it cannot confirm an address', async () => {
  const without = await startHttpApp({ settings, hasMailServer: false });
  try {
    const { email } = await newUser(without);
    const session = await sessionOf(email, without);
    expect((await session.call('POST', '/auth/passkeys/options')).status).toBe(200);
  } finally {
    await without.destroy();
  }
});

interface Squatted {
  readonly email: string;
  readonly token: string;
  readonly session: SessionClient;
  readonly device: Authenticator;
  readonly merchant: TestMerchant;
  readonly key: string;
  readonly memberToken: string;
  readonly code: { readonly code: string; readonly codeVerifier: string };
}

/** Credentials that a stranger can create in an account with another person's address, also before the till had mail. */
async function squat(): Promise<Squatted> {
  const { email, token: first, id } = await newConfirmedUser(app);
  const [member, employer] = [await newUser(app), await newUser(app)];
  await enableTotp(first);
  await app.db.deleteFrom('second_factors').where('userId', '=', id).execute();
  const device = await addPasskey(await sessionOf(email));
  const token = await loginToken(email);
  const merchant = await newMerchant(app, token);
  await app.api.must('PATCH', '/merchant/edit', {
    token,
    body: {
      merchantId: merchant.id,
      webhookUrl: 'https://stranger.example/hook',
      supportContact: 'help@stranger.example',
      embedOrigins: ['https://stranger.example'],
    },
  });
  const shop = await newMerchant(app, employer.token);
  const verifier = randomBytes(32).toString('base64url');
  const createdAt = app.now();
  await app.db.transaction(async (tx) => {
    await upsertMember(tx, { merchantId: merchant.id, userId: member.id, role: 'manager', createdAt });
    await upsertMember(tx, { merchantId: shop.id, userId: id, role: 'manager', createdAt });
    await insertConnectCode(tx, {
      codeHash: keyHash('a code of the stranger'),
      merchantId: merchant.id,
      name: 'Plugin',
      scopes: 'payments:write',
      creatorKind: null,
      creatorId: null,
      codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
      createdAt,
      expiresAt: createdAt + 600_000,
    });
    await tx.updateTable('users').set({ isVerified: false }).where('id', '=', id).execute();
  });
  return {
    email,
    token,
    session: await sessionOf(email),
    device,
    merchant,
    key: await restrictedKey(token, merchant.id),
    memberToken: member.token,
    code: { code: 'a code of the stranger', codeVerifier: verifier },
  };
}

describe('a password reset for an unconfirmed address', () => {
  it('revokes every credential of the account, and lists them', async () => {
    const squatted = await squat();
    const { email, merchant } = squatted;
    const token = await resetLink(email);
    const shown = await review(token);
    expect(shown.body.data).toMatchObject({
      isConfirmed: false,
      passkeys: [{ name: 'Laptop' }],
      keys: [{ name: 'Plugin' }],
      shops: [merchant.name],
    });
    const answer = await reset(token);
    expect(answer.body.data.ended).toEqual({
      passkeys: 1,
      secondFactor: false,
      memberships: 1,
      people: 1,
      keys: 3,
      webhooks: 1,
      shops: [{ id: merchant.id, name: merchant.name }],
    });

    expect(await signInWith(squatted.device)).toBe(401);
    expect(await statusWith(squatted.token, '/auth/me')).toBe(401);
    expect((await squatted.session.call('GET', '/auth/session')).status).toBe(401);
    expect(await statusWith(merchant.auth.secret, '/merchant/webhook/secret')).toBe(401);
    expect(await statusWith(squatted.key, '/merchant/customer/list')).toBe(401);
    expect(await statusWith(squatted.memberToken, '/auth/me')).toBe(401);
    const exchanged = await app.api.call('POST', '/connect/token', { body: squatted.code });
    expect(outcome(exchanged)).toEqual([400, 'INVALID_CODE']);
    expect(
      await app.db.selectFrom('members').selectAll().where('merchantId', '=', merchant.id).execute(),
    ).toEqual([]);
    const mail = await lastMail(email);
    expect(mail?.subject).toContain('Your address was confirmed, and earlier access has ended');
    expect(mail?.text).toContain('passkeys (1)');
  });

  it('leaves the shop to the owner of the address, with a new public key and without webhook URL', async () => {
    const { email, merchant } = await squat();
    await reset(await resetLink(email));
    const token = await loginToken(email, NEW_PASSWORD);
    const { keys } = await app.api.must<{ keys: { kind: string; key: string | null }[] }>(
      'GET',
      `/merchant/keys?merchantId=${merchant.id}`,
      { token },
    );
    expect(keys.map(({ kind }) => kind).toSorted()).toEqual(['public', 'secret']);
    expect(keys.find(({ kind }) => kind === 'public')?.key).not.toBe(merchant.auth.public);
    const row = await app.db
      .selectFrom('merchants')
      .selectAll()
      .where('id', '=', merchant.id)
      .executeTakeFirst();
    expect(row?.webhookUrl).toBeNull();
  });

  it('removes the return URLs that the earlier user set for payers', async () => {
    const { email, merchant } = await squat();
    const shop = await findMerchant(app.db, merchant.id);
    if (shop === undefined) throw new Error('the shop of the stranger is gone');
    await createLink(
      { db: app.db, clock: { now: () => app.now() } },
      {
        merchant: shop,
        actor: { kind: 'user', id: shop.userId, role: 'owner' },
        kind: 'link',
        name: 'A mug',
        description: null,
        terms: { kind: 'amount', amount: '5', currency: 'USD' },
        fields: [],
        successUrl: 'https://stranger.example/thanks',
        active: true,
      },
    );
    const row = async () =>
      app.db
        .selectFrom('merchants')
        .innerJoin('payment_links', 'payment_links.merchantId', 'merchants.id')
        .select(['supportContact', 'embedOriginsJson', 'successUrl', 'payment_links.active'])
        .where('merchants.id', '=', merchant.id)
        .execute();
    expect(JSON.stringify(await row()).match(/stranger/g)).toHaveLength(3);
    await reset(await resetLink(email));
    expect(await row()).toEqual([
      { supportContact: null, embedOriginsJson: '[]', successUrl: null, active: true },
    ]);
  });

  it('removes a second factor, which would lock out the owner of the address', async () => {
    const { email, token, id } = await newConfirmedUser(app);
    await enableTotp(token);
    await app.db.updateTable('users').set({ isVerified: false }).where('id', '=', id).execute();
    const answer = await reset(await resetLink(email));
    expect(answer.body.data.ended).toMatchObject({ secondFactor: true });
    expect(await loginToken(email, NEW_PASSWORD)).not.toBe('');
  });

  it('is explained in the email with the reset link', async () => {
    const { email } = await newUser(app);
    await app.api.must('POST', '/auth/forgot-password', { body: { email } });
    expect((await lastMail(email))?.text).toContain('This address is not confirmed yet');
  });

  it('is recorded in the audit log of the account', async () => {
    const { email, id } = await newUser(app);
    await reset(await resetLink(email));
    const rows = await app.db.selectFrom('audit_log').selectAll().where('actorId', '=', id).execute();
    expect(rows.map(({ action, result }) => [action, result])).toContainEqual([
      'POST /auth/reset-password',
      'OK',
    ]);
  });
});

async function confirmedOwner() {
  const { email, token } = await newConfirmedUser(app);
  const merchant = await newMerchant(app, token);
  const key = await restrictedKey(token, merchant.id);
  return { email, merchant, key, device: await addPasskey(await sessionOf(email)) };
}

describe('a password reset for a confirmed address', () => {
  it('lists passkeys and keys, and keeps them by default', async () => {
    const { email, merchant, key, device } = await confirmedOwner();
    const token = await resetLink(email);
    expect((await review(token)).body.data).toMatchObject({
      isConfirmed: true,
      hasSecondFactor: false,
      passkeys: [{ name: 'Laptop' }],
      keys: [{ shop: merchant.name, name: 'Plugin', lastFour: key.slice(-4) }],
    });
    const answer = await reset(token);
    expect(answer.body.data.ended).toMatchObject({ passkeys: 0, keys: 0, shops: [] });
    expect(await signInWith(device)).toBe(200);
    expect(await statusWith(merchant.auth.secret, '/merchant/webhook/secret')).toBe(200);
  });

  it('revokes passkeys and keys on request', async () => {
    const { email, merchant, key, device } = await confirmedOwner();
    const answer = await reset(await resetLink(email), { endPasskeys: true, endKeys: true });
    expect(answer.body.data.ended).toMatchObject({ passkeys: 1, keys: 3 });
    expect(await signInWith(device)).toBe(401);
    expect(await statusWith(merchant.auth.secret, '/merchant/webhook/secret')).toBe(401);
    expect(await statusWith(key, '/merchant/customer/list')).toBe(401);
  });

  it('neither lists nor revokes passkeys and keys when a second factor is enabled, because the email alone does not prove it', async () => {
    const { email, token } = await newConfirmedUser(app);
    await enableTotp(token);
    const link = await resetLink(email);
    expect((await review(link)).body.data).toEqual({
      isConfirmed: true,
      hasSecondFactor: true,
      passkeys: [],
      keys: [],
      shops: [],
    });
    expect(outcome(await reset(link, { endKeys: true }))).toEqual([409, 'INVALID_STATE']);
    expect((await reset(link)).status).toBe(200);
  });
});
