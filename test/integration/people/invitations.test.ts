import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemberRole } from '../../../src/domain/roles.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { invite, newMember, newPerson, signedIn, type Person } from '../../_helpers/people.ts';
import { Till } from '../../_helpers/till.ts';

const DAY_MS = 86_400_000;
let till: Till;
let owner: Person;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start();
  owner = await newPerson(till.api, 'owner');
  shop = await Shop.open(till.api, { owner: owner.token });
});
afterAll(async () => till.end());

const accept = async ({ session }: Person, token: string) =>
  session.call('POST', '/merchant/people/accept', { token });
const asked = (email: string, role: MemberRole = 'clerk') => ({ merchantId: shop.merchantId, email, role });
const inviting = async (by: Person, email: string) =>
  by.session.call('POST', '/merchant/people/invite', asked(email));

async function refusal({ token }: Person): Promise<string | null> {
  const answer = await till.api.call('GET', `/payment/list?merchantId=${shop.merchantId}`, { token });
  return answer.body.error?.code ?? null;
}

it('an invitation lets only its email address register where registration is closed', async () => {
  const closed = await Till.start({ TILLD_REGISTRATION: 'first-user' });
  try {
    const boss = await newPerson(closed.api, 'boss', { setupToken: closed.setupToken });
    const { merchantId } = await Shop.open(closed.api, { owner: boss.token });
    const invitation = await invite(boss.session, { merchantId, email: 'clerk@example.com', role: 'clerk' });
    const register = async (body: object) =>
      closed.api.call('POST', '/auth/register', { body: { password: 'correct horse battery', ...body } });
    const codes = [
      await register({ email: 'clerk@example.com' }),
      await register({ email: 'other@example.com', invitation }),
      await register({ email: 'clerk@example.com', invitation: 'nonsense' }),
    ].map(({ body }) => body.error?.code);
    expect(codes).toEqual(Array(3).fill('REGISTRATION_CLOSED'));
    expect((await register({ email: 'Clerk@example.com', invitation })).status).toBe(201);
  } finally {
    await closed.end();
  }
});

describe('an invitation', () => {
  it('shows its shop and role to the recipient of the link, and makes the user a member once', async () => {
    const person = await newPerson(till.api);
    const token = await invite(owner.session, asked(person.email));
    const about = await person.session.call('POST', '/merchant/people/invitation', { token });
    expect(about.body.data).toEqual({
      shop: { id: shop.merchantId, name: expect.any(String) as unknown },
      role: 'clerk',
      email: person.email,
    });
    expect(await refusal(person)).toBe('MERCHANT_NOT_FOUND');
    const answers = await Promise.all([accept(person, token), accept(person, token)]);
    // The second finds the invitation spent, or its session renewed by the first.
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect([
      [200, 400],
      [200, 401],
    ]).toContainEqual(statuses);
    expect(await refusal(await signedIn(till.api, person.email))).toBeNull();
  });

  it('cannot be accepted by another account with the link', async () => {
    const person = await newPerson(till.api);
    const thief = await newPerson(till.api, 'thief');
    const token = await invite(owner.session, asked(person.email, 'manager'));
    const { status, body } = await accept(thief, token);
    expect([status, body.error?.code]).toEqual([403, 'FORBIDDEN']);
    expect(await refusal(thief)).toBe('MERCHANT_NOT_FOUND');
    expect((await accept(person, token)).status).toBe(200);
  });

  it('is invalid once it is withdrawn', async () => {
    const person = await newPerson(till.api);
    const token = await invite(owner.session, asked(person.email));
    const people = await owner.session.call<{ invitations: { id: string; email: string }[] }>(
      'GET',
      `/merchant/people?merchantId=${shop.merchantId}`,
    );
    const open = people.body.data.invitations.find(({ email }) => email === person.email);
    const gone = { merchantId: shop.merchantId, invitationId: open?.id };
    const withdraw = async () => owner.session.call('DELETE', '/merchant/people/invitation', gone);
    expect((await withdraw()).status).toBe(200);
    expect((await withdraw()).body.error?.code).toBe('INVITATION_NOT_FOUND');
    expect((await accept(person, token)).body.error?.code).toBe('VALIDATION_INVALID');
  });

  it('becomes invalid when the same address is invited again', async () => {
    const person = await newPerson(till.api);
    const first = await invite(owner.session, asked(person.email, 'manager'));
    const second = await invite(owner.session, asked(person.email, 'bookkeeper'));
    expect((await accept(person, first)).body.error?.code).toBe('VALIDATION_INVALID');
    expect((await accept(person, second)).body.data).toMatchObject({ role: 'bookkeeper' });
  });

  it('gets the same response whether or not the address has an account', async () => {
    const known = await newPerson(till.api);
    for (const email of [known.email, `nobody-${known.email}`]) {
      const { status, body } = await inviting(owner, email);
      expect([status, Object.keys(body.data)]).toEqual([201, ['invitation', 'link']]);
    }
  });

  it('is refused for the address of the owner and of an existing member', async () => {
    const { merchantId } = shop;
    const member = await newMember(till.api, owner.session, { merchantId, role: 'clerk' });
    for (const email of [owner.email.toUpperCase(), member.email]) {
      const { body } = await inviting(owner, email);
      expect([body.error?.code, body.error?.details?.[0]?.field]).toEqual(['VALIDATION_INVALID', 'email']);
    }
  });
});

it('an invitation requires a recent step-up', async () => {
  till.clock.advance(6 * 60_000);
  expect((await inviting(owner, 'later@example.com')).body.error?.code).toBe('STEP_UP_REQUIRED');
});

it('invitations are limited to twenty a day, including withdrawn and accepted ones, and are valid for seven days', async () => {
  const boss = await newPerson(till.api, 'boss');
  const { merchantId } = await Shop.open(till.api, { owner: boss.token });
  const ask = async (by: Person, email: string) =>
    by.session.call('POST', '/merchant/people/invite', { merchantId, email, role: 'clerk' });
  const person = await newPerson(till.api);
  const token = await invite(boss.session, { merchantId, email: person.email, role: 'clerk' });
  for (let count = 1; count < 20; count += 1)
    expect((await ask(boss, `one${count}@example.com`)).status).toBe(201);
  expect((await ask(boss, 'last@example.com')).body.error?.code).toBe('RATE_LIMITED');
  till.clock.advance(DAY_MS + 1);
  expect((await ask(await signedIn(till.api, boss.email), 'last@example.com')).status).toBe(201);
  till.clock.advance(6 * DAY_MS);
  const late = await accept(await signedIn(till.api, person.email), token);
  expect(late.body.error?.code).toBe('VALIDATION_INVALID');
});
