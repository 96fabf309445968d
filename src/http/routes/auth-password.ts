import { z } from 'zod';
import {
  type AccountDeps,
  changePassword,
  forgotPassword,
  resetPassword,
  reviewReset,
} from '../../usecases/accounts/index.ts';
import { defineRoute, Reply, type Route } from '../server/route.ts';
import { createSessionCookie, type SessionCookie } from '../server/session-cookie.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { email } from '../schemas/text.ts';
import {
  authTags,
  currentPassword,
  currentSession,
  mailedToken,
  newPassword,
  session,
  sessionAnswer,
} from './auth-parts.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const count = () =>
  z
    .int()
    .min(0)
    .meta({ examples: [1] });

const ended = z.object({
  passkeys: count(),
  secondFactor: z.boolean(),
  memberships: count(),
  people: count(),
  keys: count(),
  webhooks: count(),
  shops: z
    .array(
      z.object({
        id: z.string().meta({ examples: ['7b1d9e0c-52a4-4b7e-8f3a-2d5c9a6e1b40'] }),
        name: z.string().meta({ example: EXAMPLES.shopName }),
      }),
    )
    .meta({
      description: 'Shops of an account that was never confirmed; they stay',
    }),
});

/** Password change, and reset of a forgotten password. */
export function passwordRoutes(deps: AccountDeps): Route[] {
  return [
    forgotRoute(deps),
    reviewRoute(deps),
    resetRoute(deps),
    changeRoute(deps, createSessionCookie(deps.baseUrl)),
  ];
}

function forgotRoute(deps: AccountDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/forgot-password',
    summary: 'Request a link to set a new password',
    description:
      'Always returns the same response, whether or not an account has the address. The link is emailed, works ' +
      'once, for one hour, and invalidates the previous one. At most five such emails an hour.',
    tags: authTags,
    auth: 'none',
    scope: 'never',
    body: z.object({ email: email() }),
    data: z.object({
      message: z
        .string()
        .meta({ example: 'If an account has this address, a link to set a new password is on its way' }),
    }),
    status: 200,
    errors: [],
    handler: async ({ body }) => {
      await forgotPassword(deps, body.email);
      const where = deps.hasMailServer
        ? 'is on its way'
        : 'is in the log of this server, which has no mail server';
      return { message: `If an account has this address, a link to set a new password ${where}` };
    },
  });
}

function resetRoute(deps: AccountDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/reset-password',
    summary: 'Set a new password',
    description:
      'Consumes the token of the emailed link, and ends every user token and session. On a confirmed account the ' +
      'second factor stays on, and passkeys and keys of shops end on request (INVALID_STATE with two-factor ' +
      'sign-in on). Where the address was never confirmed, the account may have been registered by someone else: ' +
      'passkeys, two-factor sign-in, memberships, and all keys, people, webhooks and targets of payers of its ' +
      'shops end. `ended` lists them. An invalid token is VALIDATION_INVALID.',
    tags: authTags,
    auth: 'none',
    scope: 'never',
    body: z.object({
      token: mailedToken().meta({ example: EXAMPLES.mailedToken }),
      password: newPassword().meta({ example: EXAMPLES.password }),
      endPasskeys: z.boolean().default(false).meta({ description: 'Also ends the passkeys' }),
      endKeys: z
        .boolean()
        .default(false)
        .meta({ description: 'Also ends every key of the shops; regenerate them afterwards' }),
    }),
    data: z.object({
      message: z.string().meta({ example: 'The password was changed: sign in with the new one' }),
      ended,
    }),
    status: 200,
    errors: ['INVALID_STATE'],
    handler: async ({ body, network, client }) => ({
      ended: await resetPassword(deps, { ...body, network, client }),
      message: 'The password was changed: sign in with the new one',
    }),
  });
}

function reviewRoute(deps: AccountDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/reset-password/review',
    dashboardOnly: true,
    summary: 'Preview what a reset ends',
    description:
      'Does not consume the token of the emailed link. Lists the other credentials of the account. With two-factor ' +
      'sign-in on, a confirmed account lists nothing: sign in with a code to see it.',
    tags: authTags,
    auth: 'none',
    scope: 'never',
    body: z.object({ token: mailedToken() }),
    data: z.object({
      isConfirmed: z.boolean(),
      hasSecondFactor: z.boolean(),
      passkeys: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          createdAt: timestamp(),
          lastUsedAt: timestamp().nullable(),
        }),
      ),
      keys: z.array(
        z.object({
          id: z.string(),
          shop: z.string(),
          name: z.string(),
          lastFour: z.string(),
          lastUsedAt: timestamp().nullable(),
        }),
      ),
      shops: z.array(z.string()),
    }),
    status: 200,
    errors: [],
    handler: async ({ body }) => {
      const { passkeys, keys, ...review } = await reviewReset(deps, body.token);
      return {
        ...review,
        passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
          id,
          name,
          createdAt: isoTime(createdAt),
          lastUsedAt: timeOrNull(lastUsedAt),
        })),
        keys: keys.map((key) => ({ ...key, lastUsedAt: timeOrNull(key.lastUsedAt) })),
      };
    },
  });
}

function timeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

function changeRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/change-password',
    holdsProof: 'password',
    renewsSession: true,
    summary: 'Change the password',
    description:
      'Revokes every user token issued before, including the token of this request: continue with the one in the ' +
      'response. Dashboard sessions end as well, except the one of this request. A wrong current password is ' +
      'INVALID_CREDENTIALS; after several, 429 with Retry-After.',
    tags: authTags,
    auth: 'jwt',
    scope: 'never',
    body: z.object({
      currentPassword: currentPassword().meta({ example: EXAMPLES.password }),
      newPassword: newPassword().meta({ example: 'another horse battery staple' }),
    }),
    data: session,
    status: 200,
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
    handler: async ({ auth, sessionToken, body }) => {
      const session = currentSession(auth, sessionToken);
      const changed = await changePassword(deps, { userId: auth.userId, session, ...body });
      return new Reply(200, sessionAnswer(changed.session), cookie.renew(changed.renewed, deps.clock.now()));
    },
  });
}
