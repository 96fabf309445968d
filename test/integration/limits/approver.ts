import { AuthenticatorApp } from '../../_helpers/authenticator-app.ts';
import { newMember, type Person } from '../../_helpers/people.ts';
import type { SessionClient } from '../../_helpers/session-client.ts';
import { PASSWORD, type World } from '../api/world.ts';

/** A person whose session was proven by an authenticator app just now. */
export interface Approver extends Person {
  readonly app: AuthenticatorApp;
}

/** A member who may approve sends once the owner adds the member to the approvers. */
export async function newApprover(world: World, owner: SessionClient, merchantId: string): Promise<Approver> {
  const member = await newMember(world.till.api, owner, { merchantId, role: 'manager' });
  await world.confirm(member);
  return withApp(member, world);
}

/** A person with a confirmed address, after setting up an authenticator app. */
export async function withApp(person: Person, { till: { clock } }: World): Promise<Approver> {
  const app = await AuthenticatorApp.setUp(person.session, clock, PASSWORD);
  await prove(person.session, app);
  return { ...person, app };
}

/** Proves a session again by the app. */
export async function prove(session: SessionClient, app: AuthenticatorApp): Promise<void> {
  const { status } = await session.call('POST', '/auth/step-up', { code: app.code() });
  if (status !== 200) throw new Error(`the step-up answered ${status}`);
}
