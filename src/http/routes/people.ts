import { z } from 'zod';
import { MEMBER_ROLES } from '../../domain/roles.ts';
import type { InvitationRow } from '../../store/schema/people.ts';
import {
  acceptInvitation,
  changeRole,
  REVOKE_BY_DEFAULT,
  type Invited,
  invitePerson,
  listPeople,
  type MadeInvitation,
  type PeopleDeps,
  readInvitation,
  removePerson,
  withdrawInvitation,
} from '../../usecases/shops/index.ts';
import { defineRoute, Reply, type Route } from '../server/route.ts';
import { createSessionCookie, type SessionCookie } from '../server/session-cookie.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { secret } from '../schemas/security-marks.ts';
import { email, identifier } from '../schemas/text.ts';
import { mailedToken, requireSession } from './auth-parts.ts';

const tags = ['People'];
const common = { tags, auth: 'jwt', scope: 'never', dashboardOnly: true } as const;
const role = z.enum(MEMBER_ROLES);

/** The members of a shop: for the dashboard's pages. domain/roles.ts defines the roles. */
export function peopleRoutes(deps: PeopleDeps): Route[] {
  const cookie = createSessionCookie(deps.baseUrl);
  return [
    listRoute(deps),
    inviteRoute(deps),
    editRoute(deps),
    removeRoute(deps, cookie),
    withdrawRoute(deps),
    invitationRoute(deps),
    acceptRoute(deps, cookie),
  ];
}

const invitation = z.object({
  id: z.string(),
  email: z.string(),
  role,
  createdAt: timestamp(),
  expiresAt: timestamp(),
});

const made = z.object({
  endpoints: z.array(z.object({ id: z.string(), url: z.string() })),
  keys: z.array(z.object({ id: z.string(), name: z.string() })),
  links: z.array(z.object({ id: z.string(), name: z.string() })),
});

/** Counts of deleted things that a member had created. */
const ended = z.object({ endpoints: z.int(), keys: z.int(), links: z.int() });

const revokeCreated = z.object({
  endpoints: z.boolean().default(REVOKE_BY_DEFAULT.endpoints),
  keys: z.boolean().default(REVOKE_BY_DEFAULT.keys),
  links: z.boolean().default(REVOKE_BY_DEFAULT.links),
});

function toInvitation(row: InvitationRow) {
  const { id, email: address, role: invitedAs } = row;
  return {
    id,
    email: address,
    role: invitedAs,
    createdAt: isoTime(row.createdAt),
    expiresAt: isoTime(row.expiresAt),
  };
}

function listRoute(deps: PeopleDeps): Route {
  return defineRoute({
    ...common,
    method: 'GET',
    path: '/merchant/people',
    summary: 'Who works for a shop',
    description:
      'The owner, the members with what they made for the shop, also by a restricted key of theirs, and the invitations ' +
      'that can be accepted.',
    query: z.object({ merchantId: identifier() }),
    data: z.object({
      owner: z.object({ userId: z.string(), email: z.string() }),
      members: z.array(
        z.object({ userId: z.string(), email: z.string(), role, createdAt: timestamp(), made }),
      ),
      invitations: z.array(invitation),
    }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN'],
    handler: async ({ auth, query }) => {
      const people = await listPeople(deps, { userId: auth.userId, merchantId: query.merchantId });
      return {
        owner: people.owner,
        members: people.members.map(({ createdAt, ...member }) => ({
          ...member,
          createdAt: isoTime(createdAt),
        })),
        invitations: people.invitations.map(toInvitation),
      };
    },
  });
}

const invitedAnswer = ({ row, link }: MadeInvitation) => ({ invitation: toInvitation(row), link });

function inviteRoute(deps: PeopleDeps): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/merchant/people/invite',
    changesAccess: true,
    summary: 'Invite a member to a shop',
    description:
      'Emails a link that is valid for 7 days, only for the account of that address. If the email does not arrive, ' +
      'pass `link` on. An open invitation of the same address ends.',
    body: z.object({ merchantId: identifier(), email: email(), role }),
    data: z.object({ invitation, link: secret(z.string()) }),
    status: 201,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'EMAIL_UNCONFIRMED', 'INVALID_STATE', 'RATE_LIMITED'],
    handler: async ({ auth, body, storeAnswer }) => {
      const input = { ...body, userId: auth.userId };
      return invitedAnswer(
        await invitePerson(deps, input, (tx, made) => storeAnswer(tx, invitedAnswer(made))),
      );
    },
  });
}

function editRoute(deps: PeopleDeps): Route {
  return defineRoute({
    ...common,
    method: 'PATCH',
    path: '/merchant/people/edit',
    changesAccess: true,
    summary: 'Change the role of a member',
    description:
      'Takes effect at once. The member is signed out everywhere and signs in again with the new role. If it no ' +
      'longer includes webhooks, the endpoints and keys that the member created end.',
    body: z.object({ merchantId: identifier(), userId: identifier(), role }),
    data: z.object({ userId: z.string(), role, ended }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'PERSON_NOT_FOUND'],
    handler: async ({ auth, client, body }) => {
      const { userId: personId, ...rest } = body;
      const made = await changeRole(deps, { ...rest, personId, userId: auth.userId, client });
      return { userId: personId, role: body.role, ended: made };
    },
  });
}

function removeRoute(deps: PeopleDeps, cookie: SessionCookie): Route {
  return defineRoute({
    ...common,
    method: 'DELETE',
    path: '/merchant/people/remove',
    changesAccess: true,
    summary: 'Remove a member from a shop, or leave it',
    description:
      'Revokes their access at once, and signs them out everywhere. The owner can remove any member, and chooses ' +
      'which of their endpoints and keys are revoked (default: all). Members can remove only themselves; their ' +
      'endpoints and keys end, and the session of the request stays valid.',
    body: z.object({
      merchantId: identifier(),
      userId: identifier(),
      revokeCreated: revokeCreated.optional(),
    }),
    data: z.object({
      removed: z.literal(true),
      ended,
    }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'PERSON_NOT_FOUND'],
    handler: async ({ auth, sessionToken, client, body }) => {
      const { merchantId, userId: personId, revokeCreated: end } = body;
      const session = requireSession(auth, sessionToken);
      const removal = { merchantId, personId, end, userId: auth.userId, session, client };
      const { ended: made, renewed } = await removePerson(deps, removal);
      return new Reply(200, { removed: true as const, ended: made }, cookie.renew(renewed, deps.clock.now()));
    },
  });
}

function withdrawRoute(deps: PeopleDeps): Route {
  return defineRoute({
    ...common,
    method: 'DELETE',
    path: '/merchant/people/invitation',
    summary: 'Withdraw an invitation',
    description: 'Its link is no longer valid.',
    body: z.object({ merchantId: identifier(), invitationId: identifier() }),
    data: z.object({ withdrawn: z.literal(true) }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND', 'FORBIDDEN', 'INVITATION_NOT_FOUND'],
    handler: async ({ auth, body }) => {
      await withdrawInvitation(deps, { ...body, userId: auth.userId });
      return { withdrawn: true as const };
    },
  });
}

const invited = z.object({
  shop: z.object({ id: z.string(), name: z.string() }),
  role: z.string(),
  email: z.string(),
});

function toInvited({ merchant, role: invitedAs, email: address }: Invited) {
  return { shop: { id: merchant.id, name: merchant.name }, role: invitedAs, email: address };
}

function invitationRoute(deps: PeopleDeps): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/merchant/people/invitation',
    summary: 'Read an invitation',
    description: 'For the holder of its link. The token is in the body, so that it appears in no log.',
    body: z.object({ token: mailedToken() }),
    data: invited,
    status: 200,
    errors: [],
    handler: async ({ body }) => toInvited(await readInvitation(deps, body.token)),
  });
}

function acceptRoute(deps: PeopleDeps, cookie: SessionCookie): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/merchant/people/accept',
    summary: 'Accept an invitation',
    description:
      'Only as the user whose address was invited. Other sessions and user tokens of that user end.',
    body: z.object({ token: mailedToken() }),
    data: invited,
    status: 200,
    errors: ['FORBIDDEN'],
    handler: async ({ auth, sessionToken, body }) => {
      const session = requireSession(auth, sessionToken);
      const { renewed, ...accepted } = await acceptInvitation(deps, {
        token: body.token,
        userId: auth.userId,
        session,
      });
      return new Reply(200, toInvited(accepted), cookie.renew(renewed, deps.clock.now()));
    },
  });
}
