import { AppError } from '../../../domain/errors.ts';
import { roleGrants, type MemberRole } from '../../../domain/roles.ts';
import { endInvitation, listOpenInvitations } from '../../../store/merchants/invitations.ts';
import {
  changeMemberRole,
  deleteMember,
  memberRole,
  listMembers,
  type Member,
} from '../../../store/merchants/members.ts';
import { createdByPerson, type CreatedByPerson } from '../../../store/merchants/created-by-person.ts';
import { findUser } from '../../../store/accounts/users.ts';
import type { InvitationRow } from '../../../store/schema/people.ts';
import { type CurrentSession, revokeCredentials, type RenewedSession } from '../../accounts/index.ts';
import { findOwnMerchant, authorizeMerchant } from '../../access/index.ts';
import {
  REVOKE_BY_DEFAULT,
  REVOKE_NOTHING,
  revokeCreated,
  type RevokedCounts,
  type RevokeChoice,
} from './revoke-created.ts';
import type { PeopleDeps } from './invite-person.ts';
import type { ActingUser } from './audit-action.ts';

type Deps = Pick<PeopleDeps, 'db' | 'clock' | 'secretBox'>;
interface OfShop {
  /** The calling user. */
  readonly userId: string;
  readonly merchantId: string;
}

export interface People {
  readonly owner: { readonly userId: string; readonly email: string };
  readonly members: readonly (Member & { readonly made: CreatedByPerson })[];
  readonly invitations: readonly InvitationRow[];
}

/**
 * The members of a shop, with the objects that each created for it, and its invitations. @throws {AppError}
 * MERCHANT_NOT_FOUND; FORBIDDEN for users other than the owner.
 */
export async function listPeople({ db, clock }: Deps, { userId, merchantId }: OfShop): Promise<People> {
  const merchant = await findOwnMerchant(db, userId, merchantId);
  const owner = await findUser(db, merchant.userId);
  const members = [];
  for (const member of await listMembers(db, merchant.id)) {
    const made = await createdByPerson(db, { merchantId: merchant.id, userId: member.userId });
    members.push({ ...member, made });
  }
  return {
    owner: { userId: merchant.userId, email: owner?.email ?? '' },
    members,
    invitations: await listOpenInvitations(db, merchant.id, clock.now()),
  };
}

export interface NewRole extends OfShop {
  readonly personId: string;
  readonly role: MemberRole;
  readonly client: ActingUser['client'];
}

/**
 * Changes the role of a member. Revokes the member's earlier credentials, so that they sign in again; if the
 * new role no longer includes webhooks, it also ends the endpoints and keys that they created and could
 * continue to read with.
 * @throws {AppError} PERSON_NOT_FOUND, and as above.
 */
export async function changeRole(deps: Deps, input: NewRole): Promise<RevokedCounts> {
  const { userId, personId, role, client } = input;
  return deps.db.transaction(async (tx) => {
    const { id: merchantId } = await findOwnMerchant(tx, userId, input.merchantId);
    const before = await memberRole(tx, merchantId, personId);
    if (before === null) throw noSuchPerson();
    const isLess = roleGrants(before, 'webhooks:write') && !roleGrants(role, 'webhooks:write');
    const end = isLess ? REVOKE_BY_DEFAULT : REVOKE_NOTHING;
    const ended = await revokeCreated(tx, deps, { merchantId, personId, end, by: { userId, client } });
    if (before === role) return ended;
    await changeMemberRole(tx, { merchantId, userId: personId, role });
    await revokeCredentials(tx, { userId: personId, keep: null, now: deps.clock.now() });
    return ended;
  });
}

export interface Removal extends OfShop {
  readonly personId: string;
  /** Which objects of the person end; defaults to endpoints and keys. */
  readonly end?: RevokeChoice | undefined;
  readonly session: CurrentSession;
  readonly client: ActingUser['client'];
}

/** What a removal ended, and the session of a member who left. */
export interface Removed {
  readonly ended: RevokedCounts;
  readonly renewed: RenewedSession | null;
}

/**
 * Ends a member's access to a shop at once, their earlier credentials, and as many of the objects that they
 * created as the owner chooses: the owner can remove any member, and every member may leave, in which case
 * their own session continues. A member who leaves keeps neither endpoints nor keys. @throws as above.
 */
export async function removePerson(deps: Deps, input: Removal): Promise<Removed> {
  const { userId, merchantId, personId, client } = input;
  const isLeaving = personId === userId;
  return deps.db.transaction(async (tx) => {
    const merchant = isLeaving
      ? (await authorizeMerchant(tx, userId, merchantId)).merchant
      : await findOwnMerchant(tx, userId, merchantId);
    if (!(await deleteMember(tx, merchant.id, personId))) throw noSuchPerson();
    const ended = await revokeCreated(tx, deps, {
      merchantId: merchant.id,
      personId,
      end: isLeaving ? REVOKE_BY_DEFAULT : (input.end ?? REVOKE_BY_DEFAULT),
      by: { userId, client },
    });
    const keep = isLeaving ? input.session : null;
    const { renewed } = await revokeCredentials(tx, { userId: personId, keep, now: deps.clock.now() });
    return { ended, renewed };
  });
}

/** Withdraws an invitation. @throws {AppError} INVITATION_NOT_FOUND, and as above. */
export async function withdrawInvitation(
  { db, clock }: Deps,
  input: OfShop & { readonly invitationId: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const merchant = await findOwnMerchant(tx, input.userId, input.merchantId);
    const which = { merchantId: merchant.id, id: input.invitationId, now: clock.now() };
    if (!(await endInvitation(tx, which))) {
      throw new AppError('INVITATION_NOT_FOUND', 'No such invitation: it was accepted or withdrawn already');
    }
  });
}

function noSuchPerson(): AppError {
  return new AppError('PERSON_NOT_FOUND', 'No such member of this shop');
}
