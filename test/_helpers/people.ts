import type { MemberRole } from '../../src/domain/roles.ts';
import type { ApiClient } from './api-client.ts';
import { SessionClient } from './session-client.ts';

const PASSWORD = 'correct horse battery';

/** A user with both ways of signing in: a token, and a session that has proved who is there. */
export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly token: string;
  readonly session: SessionClient;
}

let count = 0;

export async function newPerson(api: ApiClient, name = 'person', more: object = {}): Promise<Person> {
  count += 1;
  const email = `${name}-${process.pid}-${count}-${Date.now()}@example.com`;
  const body = { email, password: PASSWORD, ...more };
  const { token } = await api.must<{ token: string }>('POST', '/auth/register', { body });
  return signedIn(api, email, token);
}

/** The same for a user who exists, with the password that helpers register with. */
export async function signedIn(api: ApiClient, email: string, known?: string): Promise<Person> {
  const body = { email, password: PASSWORD };
  const token = known ?? (await api.must<{ token: string }>('POST', '/auth/login', { body })).token;
  const session = await SessionClient.signIn(api.baseUrl, { email, password: PASSWORD });
  await session.call('POST', '/auth/step-up', { password: PASSWORD });
  const { user } = await api.must<{ user: { id: string } }>('GET', '/auth/me', { token });
  return { userId: user.id, email, token, session };
}

/** Invites a person to a shop. @returns the token of the link */
export async function invite(
  owner: SessionClient,
  body: { readonly merchantId: string; readonly email: string; readonly role: MemberRole },
): Promise<string> {
  const answer = await owner.call<{ link: string }>('POST', '/merchant/people/invite', body);
  if (answer.status !== 201) throw new Error(`inviting answered ${JSON.stringify(answer.body.error)}`);
  return new URL(answer.body.data.link).searchParams.get('token') ?? '';
}

/** A person who works for a shop in a role. */
export async function newMember(
  api: ApiClient,
  owner: SessionClient,
  shop: { readonly merchantId: string; readonly role: MemberRole },
): Promise<Person> {
  const member = await newPerson(api, shop.role);
  const token = await invite(owner, { ...shop, email: member.email });
  const { status } = await member.session.call('POST', '/merchant/people/accept', { token });
  if (status !== 200) throw new Error(`accepting answered ${status}`);
  // What was issued before the role has ended.
  return signedIn(api, member.email);
}
